"""Features of a user's own, from a Python file that is named explicitly.

The file holds functions under `@feature(…)`, as in `definition`. It is run, as an import would, and
what it puts into the list of features belongs to the data set that is made with it, not to others.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from rankwise.collection.features.definition import FEATURES, Feature
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import readable


@dataclass(frozen=True)
class FeatureFile:
    """A file of features: where it is, the digest of what was run (BLAKE2b), what it defines."""

    path: Path
    digest: str
    features: tuple[Feature, ...]


def read_feature_file(path: str | Path) -> FeatureFile:
    """Run the file and take the features that it defines."""
    with readable(path) as stream:
        source = stream.read()
    digest = hashlib.blake2b(source, digest_size=16).hexdigest()
    known = set(FEATURES)
    try:
        _run(Path(path), source, f"rankwise_features_{digest}")
    finally:
        own = tuple(FEATURES.pop(name) for name in list(FEATURES) if name not in known)
    if not own:
        raise RankwiseError(f"{path} must have functions under @feature(…), found none")
    return FeatureFile(Path(path), digest, own)


def _run(path: Path, source: bytes, name: str) -> None:
    """Other errors of the file are its author's and keep their traceback."""
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise FormatError(
            f"the file must be Python, found: {error.msg}", path, error.lineno
        ) from error
    except (ImportError, NameError, TypeError, ValueError, RankwiseError) as error:
        raise RankwiseError(f"cannot take features from {path}: {error}") from error
