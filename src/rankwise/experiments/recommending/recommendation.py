"""A recommendation: the methods to try on data, in order, with evidence and time of each."""

from __future__ import annotations

import math
import shlex
from dataclasses import asdict, dataclass
from typing import Any

from rankwise.experiments.recommending.data_facts import DataFacts
from rankwise.tabular import Rows, Tabular, shortened


@dataclass(frozen=True)
class RecommendedMethod:
    """A method to try.

    Attributes:
        place: 1 is to be tried first; equal ones share a place; None beyond the time.
        method: its name in print.
        ranker: its name here.
        family: pointwise, pairwise, listwise or wrapper.
        loss: the mean over data sets of the share of the best value that it misses. That of the
            first method is what the first one by the other data sets misses on each data set that
            is left out in turn: its losses on the known ones are small because they chose it.
        loss_low, loss_high: its 95 % interval over data sets, which holds for the first method and
            for one chosen beforehand; None for losses all alike, or of one data set.
        undecided: whether the data sets leave open if it is worse than the first.
        datasets: on how many it was run.
        failed: on how many of these a run of it failed, which counts as the worst method's.
        among_best: on how many it is not told from the best method there, of those of
            `Recommendation.told`.
        seconds: expected of the whole tuning on this data; None where no time is known.
        seconds_low, seconds_high: its 95 % prediction interval.
        trainings: how many a tuned fold had, usually.
        within_time: whether the upper end is within the time; None without a time.
        command: what to run next.
    """

    place: int | None
    method: str
    ranker: str
    family: str
    loss: float
    loss_low: float | None
    loss_high: float | None
    undecided: bool
    datasets: int
    failed: int
    among_best: int
    seconds: float | None
    seconds_low: float | None
    seconds_high: float | None
    trainings: float | None
    within_time: bool | None
    command: str


@dataclass(frozen=True)
class ExcludedMethod:
    """A method that cannot be tried, and why."""

    method: str
    ranker: str
    reason: str


@dataclass(frozen=True)
class Recommendation(Tabular):
    """Methods in the order in which to try them.

    Attributes:
        data: what is known of the data.
        measure: by which methods are ordered.
        order: the way they are ordered (`rankwise.experiments.recommending.orders`).
        time: the seconds there are, None without a limit.
        jobs: how many folds are tuned at a time.
        datasets: those of the evidence.
        told: on how many of them methods were compared with the best one.
        methods: those to try first, in order; then those that may take longer than the time.
        excluded: those that cannot be tried.
        remarks: what one should know of this, a sentence each.
    """

    data: DataFacts
    measure: str
    order: str
    time: float | None
    jobs: int
    datasets: tuple[str, ...]
    told: int
    methods: tuple[RecommendedMethod, ...]
    excluded: tuple[ExcludedMethod, ...]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        first = ", ".join(one.ranker for one in self.within()[:3]) or "nothing within the time"
        return shortened(f"Recommendation for {self.data}: {first}")

    def within(self) -> tuple[RecommendedMethod, ...]:
        """The methods that the time is enough for; all where there is no limit."""
        return tuple(one for one in self.methods if one.within_time is not False)

    def beyond(self) -> tuple[RecommendedMethod, ...]:
        """The methods that may take longer, or for which no time is known."""
        return tuple(one for one in self.methods if one.within_time is False)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def _table(self) -> Rows:
        columns = tuple(RecommendedMethod.__dataclass_fields__)
        return columns, [tuple(getattr(one, name) for name in columns) for one in self.methods]


def write_command(
    facts: DataFacts, ranker: str, measure: str, time: float | None, jobs: int
) -> str:
    """The command that tries a ranker on these data."""
    name = shlex.quote(facts.name) if facts.name else "DATA"
    words: list[object] = ["rankwise"]
    if facts.has_folds:
        words += ["bench", "--data", name, "--ranker", ranker, "-m", measure, "--select", measure]
        words += ["--jobs", jobs]
    else:
        words += ["tune", name, "--ranker", ranker, "--cross-validate", facts.folds, "-m", measure]
        words += [] if time is None else ["--time", f"{math.ceil(time)}s"]
        words += ["-o", f"{ranker}.json"]
    return " ".join(map(str, words))
