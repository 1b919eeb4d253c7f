"""Names of features: from a file, one a line, or from the card of the build that made the data."""

from __future__ import annotations

import json
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import is_file, readable, resolve

CARD = "data-card.json"
_LARGEST_CARD = 1 << 26
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


def read_card(folder: Path) -> dict[str, object]:
    """The card of the build in a folder; empty where there is none that can be read."""
    if not is_file(folder / CARD):
        return {}
    try:
        with readable(folder / CARD) as stream:
            card = json.loads(stream.read(_LARGEST_CARD))
    except (RankwiseError, ValueError, RecursionError):
        return {}
    return card if isinstance(card, dict) else {}


def find_build_names(path: str | Path, n_features: int) -> tuple[str, ...] | None:
    """The names of the features in a file of a build, which LETOR text has no room for.

    The file is two folders down, as in `QueryLevelNorm/Fold1/train.txt` and `Feature-min/ALL`. A
    card of another number of features is not that of the file, as where features were selected and
    written beside a build.
    """
    features = read_card(resolve(Path(path)).parent.parent.parent).get("features")
    if not isinstance(features, list) or len(features) != n_features:
        return None
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in features]
    return tuple(map(str, names)) if all(names) and len(set(names)) == len(names) else None
