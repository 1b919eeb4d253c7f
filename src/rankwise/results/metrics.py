"""The names of metrics in result tables: one spelling each, and the range their values lie in.

A result is a mean over queries, so that AP is written MAP and RR is written MRR here.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rankwise.errors import RankwiseError

Parameter = Literal["none", "cutoff", "cutoff or none", "persistence"]


@dataclass(frozen=True)
class Metric:
    """A family of metrics: what follows the `@`, the closed range of its values, its aliases."""

    name: str
    parameter: Parameter = "none"
    low: float = 0.0
    high: float = 1.0
    lower_is_better: bool = False
    aliases: tuple[str, ...] = ()


METRICS = (
    Metric("NDCG", "cutoff or none"),
    Metric("MeanNDCG", aliases=("mean ndcg", "mndcg", "ndcg mean")),
    Metric("DCG", "cutoff or none", high=math.inf),
    Metric("MAP", "cutoff or none", aliases=("ap", "average precision", "mean average precision")),
    Metric("P", "cutoff", aliases=("prec", "precision")),
    Metric("R", "cutoff", aliases=("recall",)),
    Metric("F1", "cutoff or none", aliases=("f-measure",)),
    Metric("ERR", "cutoff or none"),
    Metric("MRR", "cutoff or none", aliases=("rr", "reciprocal rank", "mean reciprocal rank")),
    Metric("RBP", "persistence"),
    Metric("Success", "cutoff", aliases=("hit", "hits")),
    Metric("WTA", aliases=("winner takes all",)),
    Metric("Bpref"),
    Metric("Rprec", aliases=("r-precision", "r precision")),
    Metric("PFound", "cutoff or none"),
    Metric("AUC"),
    Metric("OPA", aliases=("pairwise accuracy", "ordered pair accuracy")),
    Metric("KendallTau", low=-1.0, aliases=("tau", "kendall tau", "kendall's tau")),
    Metric("ARP", high=math.inf, lower_is_better=True),
    Metric("RMSE", high=math.inf, lower_is_better=True),
)

_LARGEST_CUTOFF = 1_000_000
_NAME = re.compile(r"(?P<family>[^@()]+)(?P<fields>\([^()@]*\))?(?:\s*@\s*(?P<parameter>\S+))?")


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """The one spelling of a metric: `ndcg @ 10` is `NDCG@10`, `Precision@5` is `P@5`.

    The fields of a measure that departs from its definition stay: `ndcg(gain=linear)@10` is
    `NDCG(gain=linear)@10`. Raises RankwiseError with the nearest name for an unknown one.
    """
    match = _NAME.fullmatch(name.strip())
    metric = None if match is None else _BY_NAME.get(_folded(match["family"]))
    if match is None or metric is None:
        raise RankwiseError(f"there is no metric {name!r}{_suggestion(name)}")
    return metric.name + (match["fields"] or "") + _suffix(metric, match["parameter"], name)


@lru_cache(maxsize=4096)
def metric_of(name: str) -> Metric:
    """The family of a metric given by any of its spellings."""
    return _BY_NAME[_folded(re.split(r"[(@]", canonical(name))[0])]


def lower_is_better(name: str) -> bool:
    """Whether a smaller value is the better one; False for a metric that is not known."""
    try:
        return metric_of(name).lower_is_better
    except RankwiseError:
        return False


def _folded(family: str) -> str:
    return " ".join(family.casefold().replace("_", " ").split())


_BY_NAME = {
    _folded(spelling): metric for metric in METRICS for spelling in (metric.name, *metric.aliases)
}


def _suffix(metric: Metric, parameter: str | None, name: str) -> str:
    if parameter is None:
        if metric.parameter in ("none", "cutoff or none"):
            return ""
        wanted = "a persistence" if metric.parameter == "persistence" else "a cut-off"
        raise RankwiseError(f"the metric {name!r} must name {wanted}: write {_example(metric)}")
    if metric.parameter == "none":
        raise RankwiseError(f"the metric {name!r} must have no cut-off: write {metric.name}")
    return "@" + (_persistence if metric.parameter == "persistence" else _cutoff)(parameter, name)


def _cutoff(text: str, name: str) -> str:
    if not re.fullmatch(r"[0-9]{1,7}", text) or not 1 <= int(text) <= _LARGEST_CUTOFF:
        raise RankwiseError(
            f"the cut-off of the metric {name!r} must be a whole number from 1 to "
            f"{_LARGEST_CUTOFF}, found {text!r}"
        )
    return str(int(text))


def _persistence(text: str, name: str) -> str:
    if not re.fullmatch(r"0?\.[0-9]{1,9}", text) or float(text) == 0:
        raise RankwiseError(
            f"the persistence of the metric {name!r} must lie between 0 and 1, found {text!r}"
        )
    return str(float(text))


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    family, at, parameter = name[:80].partition("@")
    near = get_close_matches(_folded(family), _BY_NAME, n=1, cutoff=0.6)
    if not near:
        return f"; known are {', '.join(metric.name for metric in METRICS)}"
    metric = _BY_NAME[near[0]]
    if metric.parameter == "none":
        return f"; did you mean {metric.name}?"
    return f"; did you mean {metric.name + at + parameter if at else _example(metric)}?"


def _example(metric: Metric) -> str:
    return {"persistence": "RBP@0.8", "cutoff": f"{metric.name}@10"}.get(
        metric.parameter, metric.name
    )
