"""Names of features from the data card of a build."""

from __future__ import annotations

from pathlib import Path

from rankwise.collection.data_card import CARD, read_card, read_feature_names
from rankwise.files import is_file, resolve


def read_build_names(folds: Path, n_features: int) -> tuple[str, ...] | None:
    """Names from the card of the data set that a folder of folds belongs to, if it has one.

    A card of another number of features is not that of these folds, as where features were
    selected and written beside a build.
    """
    home = resolve(folds).parent
    if not is_file(home / CARD):
        return None
    names = read_feature_names(read_card(home), home / CARD)
    return names if len(names) == n_features else None
