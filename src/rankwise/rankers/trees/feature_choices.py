"""Hyper-parameters that name features: which may only raise the score, which hold categories.

They are texts, so that a command, a plan, a model file and a wrapped ranker hold them alike:
`monotone` is `bm25:+,price:-`, or LightGBM's list `0,1,-1` of all features; `categorical` is
`brand,colour`. A feature goes by its name where the data name theirs, and by its number from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.shown import brief

HIGHEST_CATEGORY = 65_535
"""LightGBM keeps a bit for every whole number up to the highest category, at every split."""

_LISTED = {"1": 1, "+1": 1, "-1": -1, "0": 0}
_NAMED = {"+": 1, "+1": 1, "1": 1, "-": -1, "-1": -1}
_SIGNS = {1: "+", -1: "-"}


def monotone_text(given: Any, ranker: str) -> str:
    """The text of directions that may also come as a list for all features, by name, or as None."""
    if given is None:
        return ""
    if isinstance(given, Mapping):
        pairs = [(str(name), _direction(value, ranker)) for name, value in given.items()]
        _refuse_commas([name for name, _ in pairs], "monotone", ranker)
        return ",".join(f"{name}:{_SIGNS[value]}" for name, value in pairs if value)
    if not isinstance(given, str):
        return ",".join(str(_direction(one, ranker)) for one in _listed(given, "monotone", ranker))
    if not _is_list(given):
        for part in _parts(given):
            _named_direction(part, ranker)
    return given


def categorical_text(given: Any, ranker: str) -> str:
    """The text of features that may also come as a list of names and numbers from 1, or None."""
    if given is None or isinstance(given, str):
        return given or ""
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    names = [str(one) for one in _listed(given, "categorical", ranker)]
    _refuse_commas(names, "categorical", ranker)
    return ",".join(names)


def monotone_directions(
    text: str, width: int, names: tuple[str, ...] | None, ranker: str
) -> list[int]:
    """1, −1 or 0 for each of `width` features."""
    if _is_list(text):
        found = [_LISTED[part] for part in _parts(text)]
        if len(found) != width:
            raise RankwiseError(
                f"{ranker}: a list of monotone must have a number for each of the {width} "
                f"features, found {len(found)}; or name features: price:-"
            )
        return found
    directions = [0] * width
    for part in _parts(text):
        name, direction = _named_direction(part, ranker)
        column = _column(name, width, names, "monotone", ranker)
        if directions[column]:
            raise RankwiseError(
                f"{ranker}: monotone must name a feature once, found {brief(name)} again"
            )
        directions[column] = direction
    return directions


def categorical_columns(
    text: str, width: int, names: tuple[str, ...] | None, ranker: str
) -> list[int]:
    """The columns, from 0 and ascending, of the features that are named."""
    found = [_column(part, width, names, "categorical", ranker) for part in _parts(text)]
    twice = next((column for column in found if found.count(column) > 1), None)
    if twice is not None:
        raise RankwiseError(
            f"{ranker}: categorical must name a feature once, found feature {twice + 1} again"
        )
    return sorted(found)


def refuse_categories(train: Dataset, columns: Iterable[int], ranker: str) -> None:
    """Refuse training data whose categories are not whole numbers, or are too large."""
    for column in columns:
        values = _values(train, column)
        wrong = values[(values < 0) | (values > HIGHEST_CATEGORY) | (values % 1 != 0)]
        if len(wrong):
            name = train.feature_names[column] if train.feature_names else str(column + 1)
            raise RankwiseError(
                f"{ranker}: the categories of feature {brief(name)} must be whole numbers from 0 "
                f"to {HIGHEST_CATEGORY:,}, or NULL, found {wrong[0]:g}; number them, or take it "
                "out of categorical"
            )


def _values(train: Dataset, column: int) -> NDArray[np.float64]:
    """What a column holds, without NULL; of sparse data what they store, zeros being one."""
    sparse = train.sparse
    values = train.column(column) if sparse is None else sparse.values[sparse.columns == column]
    return np.asarray(values[~np.isnan(values)], dtype=np.float64)


def _column(name: str, width: int, names: tuple[str, ...] | None, what: str, ranker: str) -> int:
    if names is not None and name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= width:
        return int(name) - 1
    known = f"names of features or numbers from 1 to {width}"
    if names is None:
        known = f"numbers of features from 1 to {width}, as the data name none"
    raise RankwiseError(f"{ranker}: {what} must hold {known}, found {brief(name)}")


def _named_direction(part: str, ranker: str) -> tuple[str, int]:
    name, colon, sign = (one.strip() for one in part.rpartition(":"))
    if not colon or not name or sign not in _NAMED:
        raise RankwiseError(
            f"{ranker}: monotone must be written feature:+ or feature:-, several with commas, or "
            f"as a list of 1, 0 and -1, found {brief(part)}"
        )
    return name, _NAMED[sign]


def _direction(value: Any, ranker: str) -> int:
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    found = {**_NAMED, **_LISTED}.get(text)
    if found is None:
        raise RankwiseError(
            f"{ranker}: monotone must be 1, 0 or -1 for each feature, found {brief(value)}"
        )
    return found


def _listed(given: Any, what: str, ranker: str) -> list[Any]:
    if isinstance(given, Iterable):
        return list(given)
    raise RankwiseError(f"{ranker}: {what} must be a text or a list, found {brief(given)}")


def _refuse_commas(names: Iterable[str], what: str, ranker: str) -> None:
    for name in names:
        if "," in name:
            raise RankwiseError(
                f"{ranker}: {what} parts features by commas, found one in {brief(name)}; give the "
                "number of the feature"
            )


def _is_list(text: str) -> bool:
    parts = _parts(text)
    return bool(parts) and all(part in _LISTED for part in parts)


def _parts(text: str) -> list[str]:
    """What stands between commas; the brackets of other libraries' lists are left out."""
    bare = text.strip()
    if bare[:1] + bare[-1:] in ("()", "[]"):
        bare = bare[1:-1]
    return [part.strip() for part in bare.split(",")] if bare.strip() else []
