"""Train the named rankers and print a digest of each model file: run with other thread counts."""

from __future__ import annotations

import hashlib
import json
import sys

from rankwise.errors import RankwiseError
from rankwise.models.model_file import ModelFile, as_text
from tests.conformance.made import planted, quick


def digest(name: str) -> str:
    """Everything that the model file would hold, and the scores to the bit."""
    train, validation = planted(), planted(12, seed=1)
    model = quick(name).fit(train, validation, seed=3)
    content = as_text(ModelFile(model, "")).encode() + model.score(validation).tobytes()
    return hashlib.sha256(content).hexdigest()


def digest_or_failure(name: str) -> str:
    """A failing ranker must not hide the others."""
    try:
        return digest(name)
    except (RankwiseError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    print(json.dumps({name: digest_or_failure(name) for name in sys.argv[1:]}))
