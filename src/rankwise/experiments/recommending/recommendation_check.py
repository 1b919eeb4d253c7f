"""The check of recommendations: each data set left out, methods ordered by the others.

How long a method takes on data of a size is a power law fitted over the data sets of a table. With
y the logarithm of the seconds of a tuned fold, averaged over folds and seeds, and x the logarithm
of documents × features,

    y(d, m) = a(m) + b · x(d) + e(d, m),

by least squares with one b for all methods, or one for each family; whichever predicts a data set
better that was left out. The prediction of a method at x has the variance

    σ² (1 + 1 / n(m) + (x - x̄)² / Σ_d (x(d) - x̄)²),

n(m) being the data sets on which m has a time. What makes a data set slow makes it slow for all
methods, so the data sets D, not the times, are what is counted: t has D - 2 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance_tests import confidence_interval
from rankwise.experiments.recommending.evidence import (
    ORDERS,
    MethodEvidence,
    OrderQuestion,
    Way,
    find_order,
    gather_evidence,
    sort_methods,
)
from rankwise.native.distributions import student_quantile
from rankwise.tables.notebook import Rows, Tabular, shortened

if TYPE_CHECKING:
    from rankwise.results.benchmark_runs import DenseTable


Table = NDArray[np.float64]

FIRST = 3
"""How many methods somebody may try before the best of them is taken."""
ALWAYS = ("lambdamart", "ridge-regression")
"""What is tried by habit."""
RANDOM = "at random"
RIVALS = (*(f"always {ranker}" for ranker in ALWAYS), RANDOM)
"""Ways to choose a method that look at no table."""


@dataclass(frozen=True)
class LeftOutRegret:
    """What a way to choose loses on data sets that it has not seen.

    Attributes:
        way: its name.
        kind: `order` of methods, `nested` choice of an order, or `rival` without any.
        chosen: the method that it puts first, for each data set left out; none at random.
        regrets: its loss there against the best method of that data set.
        mean, low, high: of the regrets, with a 95 % interval over data sets; None where they are
            all alike.
        worst: the largest of them.
        best_of_three: the mean regret of the best of the first three; None for a single method.
    """

    way: str
    kind: str
    chosen: tuple[str, ...]
    regrets: tuple[float, ...]
    mean: float
    low: float | None
    high: float | None
    worst: float
    best_of_three: float | None


@dataclass(frozen=True)
class RecommendationCheck(Tabular):
    """How orders of methods, and habits, fare on data sets that were left out.

    Attributes:
        measure: in which regret is counted, as a share of the best value.
        datasets: the names of those that were left out in turn.
        methods: how many there are to choose from.
        ways: orders, the nested choice of an order, and rivals.
        times: the errors of both laws of time on left-out data sets.
    """

    measure: str
    datasets: tuple[str, ...]
    methods: int
    ways: tuple[LeftOutRegret, ...]
    times: TimeErrors

    def __repr__(self) -> str:
        best = min(self.ways, key=lambda one: one.mean)
        return shortened(
            f"RecommendationCheck in {self.measure} over {len(self.datasets)} data sets: "
            f"{best.way} loses least, {best.mean:.1%}"
        )

    def find(self, way: str) -> LeftOutRegret | None:
        """The regret of a way, by its name."""
        return next((one for one in self.ways if one.way == way), None)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def _table(self) -> Rows:
        columns = ("way", "kind", "mean", "low", "high", "worst", "best_of_three")
        rows = [(*(getattr(one, name) for name in columns), *one.regrets) for one in self.ways]
        return (*columns, *self.datasets), rows


def check_recommendations(
    measure: str = "NDCG@10", *, table: DenseTable | str | Path | None = None
) -> RecommendationCheck:
    """Leave each data set out, order the methods by the others, and see what the first loses there.

    Compared are all orders, the order that is best within the others (nested, so that it is
    chosen by nothing that judges it), always LambdaMART, always ridge regression, and a method at
    random.

    Args:
        measure: one of the table.
        table: a dense table, or the folder of one; that which is shipped by default.
    """
    evidence = gather_evidence(find_table(table), measure)
    return check_evidence(evidence)


def find_table(table: DenseTable | str | Path | None) -> DenseTable:
    """A dense table: the shipped one, one in a folder, or the one given."""
    from rankwise.results.benchmark_runs import read_dense

    return read_dense(table) if table is None or isinstance(table, str | Path) else table


def check_evidence(evidence: MethodEvidence) -> RecommendationCheck:
    """As `check_recommendations`, of what was gathered from a table."""
    ways = [_try_order(evidence, name) for name in ORDERS]
    nested = _choose_nested(evidence)
    rivals = [_try_always(evidence, ranker) for ranker in ALWAYS]
    found = [*ways, nested, *(one for one in rivals if one is not None), _try_random(evidence)]
    sizes = evidence.sizes.prod(axis=1)
    return RecommendationCheck(
        evidence.measure,
        evidence.datasets,
        len(evidence.methods),
        tuple(found),
        compare_slopes(sizes, evidence.log_seconds, evidence.families),
    )


def try_first(evidence: MethodEvidence, ordered: Sequence[int], order: str) -> LeftOutRegret:
    """What the first of these methods loses on data sets that it was not chosen by.

    The interval begins where that of its losses on the known data sets does, if that is lower: it
    may be as good as it looks, which other methods in its place on data sets left out do not tell.
    """
    rows = np.arange(len(evidence.datasets))
    found = _try_order(keep(evidence, rows, ordered), order)
    own = evidence.losses[evidence.was_run[:, ordered[0]], ordered[0]]
    known, _ = find_interval(own)
    if found.low is None or known is None:
        return found
    return replace(found, low=min(found.low, known))


def make_question(evidence: MethodEvidence, target: Table) -> OrderQuestion:
    """What orders are asked, for data with these facts (see `list_facts`)."""
    return OrderQuestion(evidence.losses, evidence.families, list_facts(evidence), target)


def list_facts(evidence: MethodEvidence) -> Table:
    """Logarithms of documents and features, and of 1 + the highest label, a row per data set."""
    return np.column_stack([np.log(evidence.sizes), np.log1p(evidence.highest_labels)])


def _leave_out(evidence: MethodEvidence, out: int) -> tuple[MethodEvidence, NDArray[np.int64]]:
    """The other data sets, with the methods that have a loss on this one, and their numbers."""
    rest = np.delete(np.arange(len(evidence.datasets)), out)
    methods = np.flatnonzero(evidence.was_run[out] & evidence.was_run[rest].any(axis=0))
    return keep(evidence, rest, methods.tolist()), methods


def keep(
    evidence: MethodEvidence, rows: NDArray[np.int64], methods: Sequence[int]
) -> MethodEvidence:
    """The evidence of some data sets (rows) on some methods, by their numbers."""
    table = np.ix_(rows, np.asarray(methods, np.int64))
    return replace(
        evidence,
        datasets=tuple(evidence.datasets[one] for one in rows),
        sizes=evidence.sizes[rows],
        highest_labels=evidence.highest_labels[rows],
        methods=tuple(evidence.methods[one] for one in methods),
        rankers=tuple(evidence.rankers[one] for one in methods),
        families=tuple(evidence.families[one] for one in methods),
        losses=evidence.losses[table],
        failed=evidence.failed[table],
        log_seconds=evidence.log_seconds[table],
        trainings=evidence.trainings[list(methods)],
    )


def _order_without(evidence: MethodEvidence, out: int, way: Way) -> list[int]:
    """The methods in the order that the other data sets give."""
    rest, methods = _leave_out(evidence, out)
    ordered = sort_methods(way(make_question(rest, list_facts(evidence)[out])))
    return [int(methods[one]) for one in ordered]


def _try_order(evidence: MethodEvidence, name: str) -> LeftOutRegret:
    way = find_order(name)
    return _judge(evidence, name, "order", lambda out: _order_without(evidence, out, way))


def _choose_nested(evidence: MethodEvidence) -> LeftOutRegret:
    """The order that is best when each of the other data sets is left out in turn."""

    def order(out: int) -> list[int]:
        rest, _ = _leave_out(evidence, out)
        means = [_try_order(rest, name).mean for name in ORDERS]
        best = list(ORDERS)[int(np.argmin(np.round(means, 12)))]
        return _order_without(evidence, out, find_order(best))

    return _judge(evidence, "best order of the others", "nested", order)


def _judge(
    evidence: MethodEvidence, name: str, kind: str, order: Callable[[int], list[int]]
) -> LeftOutRegret:
    orders = [order(out) for out in range(len(evidence.datasets))]
    losses = [evidence.losses[out, one] for out, one in enumerate(orders)]
    three = float(np.mean([one[:FIRST].min() for one in losses]))
    chosen = tuple(evidence.methods[one[0]] for one in orders)
    return _summarize(name, kind, chosen, [float(one[0]) for one in losses], three)


def _try_always(evidence: MethodEvidence, ranker: str) -> LeftOutRegret | None:
    number = evidence.find_ranker(ranker)
    if number is None or not evidence.was_run[:, number].all():
        return None
    method = evidence.methods[number]
    chosen = (method,) * len(evidence.datasets)
    return _summarize(
        f"always {ranker}", "rival", chosen, evidence.losses[:, number].tolist(), None
    )


def _try_random(evidence: MethodEvidence) -> LeftOutRegret:
    rows = [row[~np.isnan(row)] for row in evidence.losses]
    three = float(np.mean([expect_best(row, FIRST) for row in rows]))
    return _summarize(RANDOM, "rival", (), [float(row.mean()) for row in rows], three)


def expect_best(losses: Table, tries: int) -> float:
    """The expected smallest of so many different losses: Σ_i l₍ᵢ₎ C(M - i, t - 1) / C(M, t)."""
    count = len(losses)
    tries = min(tries, count)
    ways = [math.comb(count - place, tries - 1) for place in range(1, count + 1)]
    return float(np.dot(np.sort(losses), ways) / math.comb(count, tries))


def _summarize(
    name: str, kind: str, chosen: tuple[str, ...], regrets: list[float], three: float | None
) -> LeftOutRegret:
    """Regrets and their mean; that of a chosen method lies within a wider interval.

    Data sets that are left out in turn are judged by choices that share all but one of the others,
    which Student's interval takes as independent. With n data sets its s² / n becomes
    s² (1 / n + 1 / (n - 1)), the correction of Nadeau and Bengio (2003), "Inference for the
    generalization error", Machine Learning 52.
    """
    count = len(regrets)
    wider = 1.0 if kind == "rival" or count < 2 else math.sqrt(1.0 + count / (count - 1.0))
    low, high = find_interval(regrets, wider)
    return LeftOutRegret(
        name, kind, chosen, tuple(regrets), float(np.mean(regrets)), low, high, max(regrets), three
    )


def find_interval(losses: ArrayLike, wider: float = 1.0) -> tuple[float | None, float | None]:
    """The 95 % interval of a mean loss by Student's t over data sets; a loss is never below 0.

    None for losses that are all alike, or of one data set. `wider` times as wide as Student's.
    """
    found = confidence_interval(losses)
    if math.isnan(found.low):
        return None, None
    reach = wider * (found.high - found.low) / 2.0
    mean = float(np.asarray(losses, np.float64).mean())
    return max(0.0, mean - reach), mean + reach


SHARED, BY_FAMILY = "shared", "family"


@dataclass(frozen=True)
class TimeErrors:
    """How far times of left-out data sets were from their predictions, as a factor.

    exp(√(mean of squared differences of logarithms)): 2 means that a time is usually within half
    and twice the predicted one. NaN where nothing could be left out.
    """

    shared: float
    family: float

    @property
    def slopes(self) -> str:
        """Which slopes predict better; one for all where both do equally well."""
        return BY_FAMILY if self.family < self.shared else SHARED


@dataclass(frozen=True)
class ExpectedTime:
    """Seconds, and between which two they are with 95 %; NaN where too few data sets tell."""

    seconds: float
    low: float
    high: float

    def times(self, factor: float) -> ExpectedTime:
        """So many of them."""
        return ExpectedTime(self.seconds * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True, eq=False)
class TimeModel:
    """A fitted power law.

    Attributes:
        slopes: b of each method.
        centres: (2, methods): the means of x and y over the data sets of each method; NaN for
            methods without any time.
        counts: on how many data sets each method has a time.
        deviation: σ.
        centre, spread: x̄ and Σ_d (x(d) - x̄)² over data sets.
        datasets: how many there are.
    """

    slopes: Table
    centres: Table
    counts: NDArray[np.int64]
    deviation: float
    centre: float
    spread: float
    datasets: int

    def predict(self, size: float, method: int) -> ExpectedTime | None:
        """The time of a tuned fold of data with documents × features = `size`."""
        if not self.counts[method]:
            return None
        x = math.log(size)
        middle = self.expect(x, method)
        far = (x - self.centre) ** 2 / self.spread if self.spread > 0 else 0.0
        wide = self.deviation * math.sqrt(1.0 + 1.0 / self.counts[method] + far)
        reach = student_quantile(self.datasets - 2, 0.975) * wide
        low, middle, high = (_exponential(one) for one in (middle - reach, middle, middle + reach))
        return ExpectedTime(middle, low, high)

    def expect(self, x: float, method: int) -> float:
        """a(m) + b · x, of a method that has times."""
        known_x, known_y = self.centres[:, method]
        return float(known_y + self.slopes[method] * (x - known_x))


def fit_times(
    sizes: Table, log_seconds: Table, families: tuple[str, ...], slopes: str = SHARED
) -> TimeModel:
    """Fit the law; `sizes` are documents × features, one per row of `log_seconds`."""
    x = np.log(sizes)
    known = ~np.isnan(log_seconds)
    counts = known.sum(axis=0)
    divisor = np.where(counts, counts, 1)
    of_x = np.where(counts, (known * x[:, None]).sum(axis=0) / divisor, np.nan)
    of_y = np.where(counts, np.where(known, log_seconds, 0.0).sum(axis=0) / divisor, np.nan)
    moved = np.where(known, x[:, None] - of_x, 0.0)
    change = np.where(known, log_seconds - of_y, 0.0)
    groups = np.array(families if slopes == BY_FAMILY else [SHARED] * len(families))
    fitted = np.zeros(len(groups))
    for group in dict.fromkeys(groups.tolist()):
        own = groups == group
        squares = float((moved[:, own] ** 2).sum())
        if squares > 0:
            fitted[own] = float((moved[:, own] * change[:, own]).sum()) / squares
    left = np.where(known, change - fitted * moved, 0.0)
    free = int(known.sum()) - int((counts > 0).sum()) - len(set(groups.tolist()))
    deviation = math.sqrt(float((left**2).sum()) / free) if free > 0 else math.nan
    used = known.any(axis=1)
    centre = float(x[used].mean()) if used.any() else 0.0
    spread = float(((x[used] - centre) ** 2).sum())
    return TimeModel(
        fitted, np.array([of_x, of_y]), counts, deviation, centre, spread, int(used.sum())
    )


def compare_slopes(sizes: Table, log_seconds: Table, families: tuple[str, ...]) -> TimeErrors:
    """The errors of both laws on data sets that they were not fitted to."""
    return TimeErrors(
        _left_out_factor(sizes, log_seconds, families, SHARED),
        _left_out_factor(sizes, log_seconds, families, BY_FAMILY),
    )


def _left_out_factor(
    sizes: Table, log_seconds: Table, families: tuple[str, ...], slopes: str
) -> float:
    errors: list[float] = []
    for out in range(len(sizes)):
        rest = np.arange(len(sizes)) != out
        model = fit_times(sizes[rest], log_seconds[rest], families, slopes)
        for method in np.flatnonzero(~np.isnan(log_seconds[out]) & (model.counts > 0)):
            expected = model.expect(math.log(sizes[out]), int(method))
            errors.append(expected - float(log_seconds[out, method]))
    return math.exp(math.sqrt(float(np.mean(np.square(errors))))) if errors else math.nan


def _exponential(x: float) -> float:
    """e^x, infinite beyond doubles."""
    return math.exp(x) if x < 700 else math.inf
