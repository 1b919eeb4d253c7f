"""Which methods to try first on data, by what the dense table says of other data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.durations import parse_seconds
from rankwise.errors import RankwiseError
from rankwise.experiments.recommending.data_facts import DataFacts, find_facts
from rankwise.experiments.recommending.evidence import MethodEvidence, gather_evidence
from rankwise.experiments.recommending.exclusions import find_exclusion
from rankwise.experiments.recommending.left_out import (
    RIVALS,
    LeftOutRegret,
    RecommendationCheck,
    check_evidence,
    find_interval,
    find_table,
    make_question,
    try_first,
)
from rankwise.experiments.recommending.orders import (
    DECIMALS,
    USUAL_ORDER,
    find_order,
    sort_methods,
)
from rankwise.experiments.recommending.recommendation import (
    ExcludedMethod,
    Recommendation,
    RecommendedMethod,
    write_command,
)
from rankwise.experiments.recommending.separation import count_among_best, find_undecided
from rankwise.experiments.recommending.time_model import ExpectedTime, TimeModel, fit_times

if TYPE_CHECKING:
    from rankwise.experiments.recommending.data_facts import Given
    from rankwise.results.benchmark_runs import DenseTable


def recommend(
    data: Given | None = None,
    *,
    documents: int | None = None,
    queries: int | None = None,
    features: int | None = None,
    time: float | str | None = None,
    measure: str = "NDCG@10",
    jobs: int = 1,
    order: str = USUAL_ORDER,
    table: DenseTable | str | Path | None = None,
) -> Recommendation:
    """Order the methods for data by how they did on the data sets of the dense table.

    Methods that cannot be tried on these data, or need a library that is not installed, are left
    out with the reason; those that may take longer than the time come last.

    Args:
        data: a file, a frame, a data set, a folder of folds or a name of the data home.
        documents, queries, features: instead of data, how many they have.
        time: for tuning and training a method: seconds, or `10m`.
        measure: one of the table.
        jobs: how many folds are tuned at a time; data without folds are tuned by one process.
        order: a way of `rankwise.experiments.recommending.orders`; the usual one was chosen by
            leaving data sets out, see `check_recommendations`.
        table: a dense table, or the folder of one; that which is shipped by default.
    """
    if jobs < 1:
        raise RankwiseError(f"there must be at least one job, found {jobs}")
    seconds = None if time is None else parse_seconds(time)
    way = find_order(order)
    facts = find_facts(data, documents, queries, features)
    read = find_table(table)
    evidence = gather_evidence(read, measure)
    check = check_evidence(evidence)
    numbers = way(make_question(evidence, _list_target(facts)))
    counts, told = count_among_best(read, measure, evidence.methods)
    standing = _Standing(
        facts, evidence, order, numbers, counts, _fit(evidence, check), seconds, jobs
    )
    excluded = {
        number: reason
        for number, ranker in enumerate(evidence.rankers)
        if (reason := find_exclusion(ranker, facts)) is not None
    }
    methods, left_out = standing.list_methods(
        [number for number in sort_methods(numbers) if number not in excluded]
    )
    left = tuple(
        ExcludedMethod(evidence.methods[number], evidence.rankers[number], reason)
        for number, reason in excluded.items()
    )
    return Recommendation(
        facts, measure, order, seconds, jobs, evidence.datasets, told, methods, left,
        _list_remarks(evidence, check, left_out, methods, facts),
    )  # fmt: skip


def _list_target(facts: DataFacts) -> NDArray[np.float64]:
    """As `list_facts` has them."""
    label = math.nan if facts.highest_label is None else math.log1p(max(0.0, facts.highest_label))
    return np.array([math.log(facts.documents), math.log(facts.features), label])


def _fit(evidence: MethodEvidence, check: RecommendationCheck) -> TimeModel:
    sizes = evidence.sizes.prod(axis=1)
    return fit_times(sizes, evidence.log_seconds, evidence.families, check.times.slopes)


@dataclass(frozen=True, eq=False)
class _Standing:
    """All that is known of the methods for these data."""

    facts: DataFacts
    evidence: MethodEvidence
    order: str
    numbers: NDArray[np.float64]
    among_best: NDArray[np.int64]
    times: TimeModel
    seconds: float | None
    jobs: int

    def list_methods(
        self, ordered: list[int]
    ) -> tuple[tuple[RecommendedMethod, ...], LeftOutRegret | None]:
        """The methods of these numbers: those within the time, then the others.

        Beside them what the first loses on data sets that were left out.
        """
        expected = {number: self._expect(number) for number in ordered}
        fits = {number: self._fits(expected[number]) for number in ordered}
        within = [number for number in ordered if fits[number] is not False]
        beyond = [number for number in ordered if fits[number] is False]
        undecided = self._find_undecided(ordered, within or beyond)
        first = try_first(self.evidence, within or beyond, self.order) if ordered else None
        return tuple(
            self._make(number, self._place(number, within), expected[number], fits[number],
                       undecided[number], first if number in (within or beyond)[:1] else None)
            for number in (*within, *beyond)
        ), first  # fmt: skip

    def _expect(self, number: int) -> ExpectedTime | None:
        """Of all folds; those that are tuned at the same time take the time of one."""
        fold = self.times.predict(float(self.facts.documents * self.facts.features), number)
        at_once = self.jobs if self.facts.has_folds else 1
        return None if fold is None else fold.times(math.ceil(self.facts.folds / at_once))

    def _fits(self, expected: ExpectedTime | None) -> bool | None:
        """By the upper end; a time that is not known, or not how well, is not within any."""
        if self.seconds is None:
            return None
        return expected is not None and expected.high <= self.seconds

    def _find_undecided(self, ordered: list[int], candidates: list[int]) -> dict[int, bool]:
        if not candidates:
            return {}
        losses = make_question(self.evidence, _list_target(self.facts)).filled()[:, ordered]
        found = find_undecided(losses, ordered.index(candidates[0]))
        return {number: bool(one) for number, one in zip(ordered, found, strict=True)}

    def _place(self, number: int, within: list[int]) -> int | None:
        """1 + how many methods stand before it by more than rounding."""
        if number not in within:
            return None
        own = self.numbers[number].round(DECIMALS)
        return 1 + sum(bool(self.numbers[one].round(DECIMALS) < own) for one in within)

    def _make(
        self,
        number: int,
        place: int | None,
        expected: ExpectedTime | None,
        fits: bool | None,
        undecided: bool,
        left_out: LeftOutRegret | None,
    ) -> RecommendedMethod:
        evidence = self.evidence
        losses = evidence.losses[evidence.was_run[:, number], number]
        loss, (low, high) = float(losses.mean()), find_interval(losses)
        if left_out is not None:
            # It is first because of these losses, which are too small for that.
            loss, low, high = left_out.mean, left_out.low, left_out.high
        trainings = float(evidence.trainings[number])
        ranker = evidence.rankers[number]
        return RecommendedMethod(
            place=place,
            method=evidence.methods[number],
            ranker=ranker,
            family=evidence.families[number],
            loss=loss,
            loss_low=low,
            loss_high=high,
            undecided=undecided,
            datasets=len(losses),
            failed=int(evidence.failed[:, number].sum()),
            among_best=int(self.among_best[number]),
            seconds=None if expected is None else expected.seconds,
            seconds_low=None if expected is None else expected.low,
            seconds_high=None if expected is None else expected.high,
            trainings=None if math.isnan(trainings) else trainings,
            within_time=fits,
            command=write_command(self.facts, ranker, evidence.measure, self.seconds, self.jobs),
        )


def _list_remarks(
    evidence: MethodEvidence,
    check: RecommendationCheck,
    first: LeftOutRegret | None,
    methods: tuple[RecommendedMethod, ...],
    facts: DataFacts,
) -> tuple[str, ...]:
    remarks = [] if len(methods) < 2 else [_tell_undecided(methods, len(evidence.datasets))]
    rivals = [one for one in map(check.find, RIVALS) if one is not None]
    if first is not None:
        said = ", ".join(f"{one.way} {100 * one.mean:.1f} %" for one in rivals)
        number = evidence.methods.index(methods[0].method)
        known = float(np.nanmean(evidence.losses[:, number]))
        remarks.append(
            "on data sets that were left out, the method in first place lost "
            f"{100 * first.mean:.1f} % against the best one there ({said}): that is the loss in "
            f"its row, for {100 * known:.1f} % on the known data sets is what put it first; the "
            "other rows are of known data sets, and hold for a method chosen beforehand"
        )
    factor = min(check.times.shared, check.times.family)
    remarks.append(
        "times are of one core of the machine that ran the table, for as many trainings as there; "
        f"for data sets that were left out they were wrong by a factor of {factor:.1f}"
    )
    outside = _find_outside(evidence, facts)
    if outside:
        remarks.append(outside)
    return tuple(remarks)


def _tell_undecided(methods: tuple[RecommendedMethod, ...], datasets: int) -> str:
    others = len(methods) - 1
    undecided = sum(one.undecided for one in methods) - 1
    if not undecided:
        return f"{datasets} data sets tell all {others} other methods from the first"
    return (
        f"{datasets} data sets cannot tell {undecided} of the {others} other methods from the "
        "first; the order of these is a guess"
    )


def _find_outside(evidence: MethodEvidence, facts: DataFacts) -> str | None:
    """Data larger or smaller than all that the table knows."""
    for name, number, known in (
        ("documents", facts.documents, evidence.sizes[:, 0]),
        ("features", facts.features, evidence.sizes[:, 1]),
    ):
        if not known.min() <= number <= known.max():
            return (
                f"the table knows data sets of {known.min():,.0f} to {known.max():,.0f} {name}, "
                f"these have {number:,}: what it says of them is extrapolated"
            )
    return None
