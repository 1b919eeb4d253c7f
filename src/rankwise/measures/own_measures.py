"""Anybody's own measures: `module:name` wherever a measure is named.

    def cumulated_gain(ranked: RankedList) -> float:
        return sum(label for label in ranked.labels if label == label)

in a file `mymodule.py` on the path of Python is `mymodule:cumulated_gain`, and with a cut-off
`mymodule:cumulated_gain@10`. The function may have the attributes `title`, `range` and
`lower_is_better`; a `Family` object that holds it in `compute` may stand in its place.

A name runs the code of its module, but not before something is evaluated: reading a name, as in a
table of results from elsewhere, imports nothing.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, cast

from rankwise.errors import RankwiseError
from rankwise.measures.families.family import Family, Function
from rankwise.measures.families.fields import AVERAGING, ORDER

if TYPE_CHECKING:
    from rankwise.measures.ranked_list import RankedList

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_NAME = re.compile(f"{_DOTTED}:{_DOTTED}")
_FIELDS = {"table": None, "short": "cut", **ORDER, **AVERAGING}
_ANY = (-math.inf, math.inf)
_LOADED: dict[str, Family] = {}


def is_own(name: str) -> bool:
    """Whether the name of a family is `module:name`."""
    return _NAME.fullmatch(name) is not None


def own_family(name: str) -> Family:
    """The family of an own measure; what its module says of it counts once it was loaded."""

    def compute(ranked: RankedList) -> float:
        return function_of(name)(ranked)

    return _LOADED.get(name) or Family(name, name, compute=compute, fields=_FIELDS, range=_ANY)


def load_family(name: str) -> Family:
    """Import the measure `module:name`; what the function or `Family` there says of it counts."""
    from rankwise.registry import import_own

    if name not in _LOADED:
        _LOADED[name] = _described(name, import_own(name, "measure"))
    return _LOADED[name]


def function_of(name: str) -> Function:
    """The Python function `module:name`, imported."""
    function: Any = load_family(name).compute
    return cast(Function, function)


def _described(name: str, found: Any) -> Family:
    function = found.compute if isinstance(found, Family) else found
    if not callable(function):
        raise RankwiseError(
            f"{name} must be a function of one ranked list, or a Family whose compute is one; "
            f"found {type(found).__name__}"
        )
    return Family(
        name,
        str(getattr(found, "title", name)),
        compute=function,
        fields=_FIELDS,
        range=_range(name, getattr(found, "range", _ANY)),
        lower_is_better=bool(getattr(found, "lower_is_better", False)),
    )


def _range(name: str, found: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in found)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low < high:
        raise RankwiseError(
            f"the range of {name} must be two rising numbers, such as (0, 1), found {found!r}"
        )
    return low, high
