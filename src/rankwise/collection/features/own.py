"""Features of a user's own, from a Python file that is named explicitly.

The file holds functions under `@feature(…)`, as in `definition`. It is run, as an import would, and
what it puts into the list of features belongs to the data set that is made with it, not to others.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from rankwise.collection.features.definition import FEATURES, Feature
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import read_bounded
from rankwise.registry import describe_failure


@dataclass(frozen=True)
class FeatureFile:
    """A file of features: where it is, the digest of what was run (BLAKE2b), what it defines."""

    path: Path
    digest: str
    features: tuple[Feature, ...]


def read_feature_files(paths: Iterable[str | Path]) -> tuple[FeatureFile, ...]:
    """Run the files and take the features that they define; no name may come twice."""
    known = set(FEATURES)
    try:
        return tuple(_read(path) for path in paths)
    finally:
        for name in set(FEATURES) - known:
            del FEATURES[name]


def _read(path: str | Path) -> FeatureFile:
    source = read_bounded(path, 1 << 24, "file of features")
    digest = hashlib.blake2b(source, digest_size=16).hexdigest()
    known = set(FEATURES)
    _run(Path(path), source, f"rankwise_features_{digest}")
    own = tuple(feature for name, feature in FEATURES.items() if name not in known)
    if not own:
        raise RankwiseError(f"{path} must have functions under @feature(…), found none")
    return FeatureFile(Path(path), digest, own)


def _run(path: Path, source: bytes, name: str) -> None:
    """Whatever the file raises is one sentence, which keeps its cause."""
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise FormatError(
            f"the file must be Python, found: {error.msg}", path, error.lineno
        ) from error
    except RankwiseError as error:
        raise RankwiseError(f"cannot take features from {path}: {error}") from error
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise RankwiseError(
            f"cannot take features from {path}, which fails with {describe_failure(error)}"
        ) from error
