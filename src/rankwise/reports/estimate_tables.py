"""Tables of a ranking by another estimator, and of how well estimators recover a dense order."""

from __future__ import annotations

from rankwise.comparison.estimated_ranking import EstimatedRanking
from rankwise.comparison.hole_study import HoleStudy, Kind
from rankwise.reports.table_formats import Table
from rankwise.reports.table_shapes import mark_best

_RANKED = {
    "rank": "#",
    "method": "Method",
    "score": "Score",
    "lower": "from",
    "upper": "to",
    "results": "Results",
    "datasets": "Data sets",
    "warning": "Warning",
}
_RECOVERED = {
    "estimator": "Estimator",
    "pattern": "Pattern",
    "draws": "Draws",
    "kendall": "τ",
    "kendall_low": "from",
    "kendall_high": "to",
    "kendall_value": "τ (mean value)",
    "kendall_unseen": "τ (unseen)",
    "gain": "τ above NWN",
    "gain_error": "±",
    "best_first": "Best first",
    "best_on_front": "Best on front",
    "front_overlap": "Front overlap",
    "rank_error": "Rank error",
    "coverage": "Coverage",
    "width": "Width",
    "intervals": "With interval",
}
_STEPS = {
    "estimator": "Estimator",
    "pattern": "Pattern",
    "sizes": "Results",
    "methods": "Methods",
    "rank_error": "Rank error",
    "coverage": "Coverage",
    "width": "Width",
}


def make_estimated_table(found: EstimatedRanking) -> Table:
    """Every method with its score by the estimator and its interval, best first."""
    titles = {**_RANKED, "score": found.title, "lower": f"{100 * found.confidence:g} % from"}
    rows = tuple(tuple(getattr(one, key) for key in titles) for one in found.rows)
    table = Table(tuple(titles), tuple(titles.values()), rows, notes=found.remarks)
    return mark_best(table, {"score": False})


def make_recovery_table(found: HoleStudy) -> Table:
    """One row for each kind of pattern and estimator."""
    rows = tuple(tuple(getattr(one, key) for key in _RECOVERED) for one in found.recoveries)
    return Table(tuple(_RECOVERED), tuple(_RECOVERED.values()), rows)


def make_steps_table(found: HoleStudy) -> Table:
    """One row for each kind of pattern, estimator and number of results."""
    rows = tuple(tuple(getattr(one, key) for key in _STEPS) for one in found.steps)
    return Table(tuple(_STEPS), tuple(_STEPS.values()), rows)


def make_truth_table(found: HoleStudy) -> Table:
    """The methods by the dense table, best NWN first."""
    keys = ("method", "nwn", "mean_value", "level_with_best")
    titles = ("Method", "NWN", "Mean value", "Level with the best")
    rows = tuple(tuple(getattr(one, key) for key in keys) for one in found.truth)
    return Table(keys, titles, rows)


def make_error_table(found: HoleStudy, pattern: Kind = "random") -> Table:
    """The errors of ranks under one kind of pattern: estimators down, numbers of results across."""
    steps = [one for one in found.steps if one.pattern == pattern and one.rank_error is not None]
    sizes = tuple(dict.fromkeys(one.sizes for one in steps))
    errors = {(one.estimator, one.sizes): one.rank_error for one in steps}
    names = dict.fromkeys(one.estimator for one in steps)
    rows = tuple((name, *(errors.get((name, size)) for size in sizes)) for name in names)
    return Table(("estimator", *sizes), ("Estimator", *sizes), rows)
