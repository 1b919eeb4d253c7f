"""Train the named rankers and print a digest of each model file: run with other thread counts.

    python -m tests.conformance.in_another_process THREADS RANKER...

Small data would be worked on by one thread whatever is asked for, so that every size from which
threads are worth their while is set to 1, and the machine says that it has THREADS processors.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys

from rankwise.errors import RankwiseError
from rankwise.models.model_file import ModelFile, as_text
from tests.conformance.made import planted, quick

# What decides how work is shared between threads, and where.
SIZES = {
    "rankwise.measures.computing": "ROWS_WORTH_A_THREAD",
    "rankwise.rankers.boosting.performance": "_SCORES_IN_A_BLOCK",
    "rankwise.rankers.trees.lightgbm_training": "_CELLS_WORTH_A_THREAD",
    "rankwise.rankers.scorers.trees": "_WALKS_WORTH_A_THREAD",
}


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


def share_work_between(threads: int) -> None:
    """Make so many threads share even the smallest work."""
    for module, size in SIZES.items():
        home = importlib.import_module(module)
        assert getattr(home, size) > 1000
        setattr(home, size, 1)
    os.cpu_count = lambda: threads
    os.sched_getaffinity = lambda process: set(range(threads))


if __name__ == "__main__":
    share_work_between(int(sys.argv[1]))
    print(json.dumps({name: digest_or_failure(name) for name in sys.argv[2:]}))
