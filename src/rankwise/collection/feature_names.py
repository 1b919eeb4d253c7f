"""Names of features: from the data card of a build, or from a file with a name a line."""

from __future__ import annotations

from pathlib import Path

from rankwise.collection.data_card import CARD, card_feature_names, read_card
from rankwise.errors import RankwiseError
from rankwise.files import readable


def read_feature_names(path: Path, n_features: int) -> tuple[str, ...]:
    """The names in a file: a line for each feature, in order."""
    with readable(path) as stream:
        names = tuple(line.decode("utf-8", "replace").strip() for line in stream)
    if len(names) != n_features or not all(names):
        raise RankwiseError(
            f"{path} must hold a name for each of the {n_features} features, one a line, found "
            f"{sum(map(bool, names))} names in {len(names)} lines"
        )
    return names


def names_of_build(folds: Path, n_features: int) -> tuple[str, ...] | None:
    """Names from the card of the data set that a folder of folds belongs to, if it has one.

    A card of another number of features is not that of these folds, as where features were
    selected and written beside a build.
    """
    home = folds.resolve().parent
    if not (home / CARD).is_file():
        return None
    names = card_feature_names(read_card(home), home / CARD)
    return names if len(names) == n_features else None
