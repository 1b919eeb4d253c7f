"""Names of features from a file, one a line."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import readable

_MOST_BYTES = 2**24


def read_feature_names(path: str | Path, n_features: int) -> tuple[str, ...]:
    """The names in a file: a line for each feature, in order."""
    with readable(path) as stream:
        content = stream.read(_MOST_BYTES).decode("utf-8", "replace")
    names = tuple(line.strip() for line in content.split("\n"))
    names = names[:-1] if names[-1:] == ("",) else names
    if len(names) != n_features or not all(names):
        raise RankwiseError(
            f"{path} must hold a name for each of the {n_features} features, one a line, found "
            f"{sum(map(bool, names))} names in {len(names)} lines"
        )
    return names
