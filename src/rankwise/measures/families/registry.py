"""Every family of measures: one line each; names, documentation and tests derive from here.

The order is that of lists and pages. Nothing else depends on it.

Anybody's own measures are `module:name` wherever a measure is named.

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
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from rankwise.errors import RankwiseError
from rankwise.measures.families.family import AVERAGING, ORDER, Family, Function

if TYPE_CHECKING:
    from rankwise.measures.families.family import RankedList


HOMES = (
    "rankwise.measures.families.ndcg:NDCG",
    "rankwise.measures.families.ndcg:MEAN_NDCG",
    "rankwise.measures.families.precision_recall:PRECISION",
    "rankwise.measures.families.average_precision:AVERAGE_PRECISION",
    "rankwise.measures.families.reciprocal_rank:RECIPROCAL_RANK",
    "rankwise.measures.families.reciprocal_rank:EXPECTED_RECIPROCAL_RANK",
    "rankwise.measures.families.precision_recall:RECALL",
    "rankwise.measures.families.precision_recall:SUCCESS",
    "rankwise.measures.families.precision_recall:HITS",
    "rankwise.measures.families.precision_recall:F1",
    "rankwise.measures.families.precision_recall:R_PRECISION",
    "rankwise.measures.families.reciprocal_rank:RANK_BIASED_PRECISION",
    "rankwise.measures.families.average_precision:BPREF",
    "rankwise.measures.families.pair_measures:PAIRWISE_ACCURACY",
    "rankwise.measures.families.pair_measures:KENDALL_TAU",
    "rankwise.measures.families.best:WINNER_TAKES_ALL",
    "rankwise.measures.families.best:BEST",
    "rankwise.measures.families.average_precision:INTERPOLATED_PRECISION",
    "rankwise.measures.families.set_measures:SET_MEASURES",
    "rankwise.measures.families.root_mean_square_error",
    "rankwise.measures.families.set_measures:COUNTS",
    "rankwise.measures.families.not_computed",
)
"""The modules of families; `module:NAME` where it has several tuples of them."""


def folded(name: str) -> str:
    """A name as it is looked up: capitals, underscores and runs of spaces make no difference."""
    return " ".join(name.casefold().replace("_", " ").split())


def _families(home: str) -> tuple[Family, ...]:
    module, _, name = home.partition(":")
    found: tuple[Family, ...] = getattr(import_module(module), name or "FAMILIES")
    return found


def by_alias(families: tuple[Family, ...]) -> dict[str, Family]:
    """Every family by all of its names; two that share one would be told apart by nothing."""
    found: dict[str, Family] = {}
    for family in families:
        for name in {folded(alias) for alias in (family.name, *family.aliases)}:
            if name in found:
                raise ValueError(f"{family.name} and {found[name].name} are both called {name!r}")
            found[name] = family
    return found


BY_HOME: dict[str, tuple[Family, ...]] = {home: _families(home) for home in HOMES}
FAMILIES: tuple[Family, ...] = tuple(family for found in BY_HOME.values() for family in found)
COMPUTED: tuple[Family, ...] = tuple(family for family in FAMILIES if family.compute is not None)
BY_ALIAS: dict[str, Family] = by_alias(FAMILIES)
BY_NAME: dict[str, Family] = {family.name: family for family in FAMILIES}


_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_OWN_NAME = re.compile(f"{_DOTTED}:{_DOTTED}")
_OWN_FIELDS = {"table": None, "short": "cut", **ORDER, **AVERAGING}
_ANY_RANGE = (-math.inf, math.inf)
_LOADED_FAMILIES: dict[str, Family] = {}


def is_own(name: str) -> bool:
    """Whether the name of a family is `module:name`."""
    return _OWN_NAME.fullmatch(name) is not None


def own_family(name: str) -> Family:
    """The family of an own measure; what its module says of it counts once it was loaded."""

    def compute(ranked: RankedList) -> float:
        return function_of(name)(ranked)

    return _LOADED_FAMILIES.get(name) or Family(
        name, name, compute=compute, fields=_OWN_FIELDS, range=_ANY_RANGE
    )


def load_family(name: str) -> Family:
    """Import the measure `module:name`; what the function or `Family` there says of it counts."""
    from rankwise.registry import import_own

    if name not in _LOADED_FAMILIES:
        _LOADED_FAMILIES[name] = _make_family(name, import_own(name, "measure"))
    return _LOADED_FAMILIES[name]


def function_of(name: str) -> Function:
    """The Python function `module:name`, imported."""
    function: Any = load_family(name).compute
    return cast(Function, function)


def _make_family(name: str, found: Any) -> Family:
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
        fields=_OWN_FIELDS,
        range=_read_range(name, getattr(found, "range", _ANY_RANGE)),
        lower_is_better=bool(getattr(found, "lower_is_better", False)),
    )


def _read_range(name: str, found: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in found)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not low < high:
        raise RankwiseError(
            f"the range of {name} must be two rising numbers, such as (0, 1), found {found!r}"
        )
    return low, high
