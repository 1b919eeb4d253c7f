"""Which methods to try first on data, by what the dense table says of other data sets.

A recommendation holds the methods to try, in order, with evidence and time of each, and which
rankers cannot be tried on the data here, and why. It looks at the size of the data, their labels,
and what a ranker may refuse. Data are described as the data sets of the dense table are: documents,
queries and labels of all parts of the first fold together, which are the whole data set.
"""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import parse_seconds
from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import find_relations_beside
from rankwise.data.folds import FoldFiles
from rankwise.data.joining import equally_wide
from rankwise.data.reading import read
from rankwise.data.sources import find_source
from rankwise.data.sparse_features import refuse_dense
from rankwise.errors import Advice, RankwiseError, install_line
from rankwise.experiments.recommending.evidence import (
    DECIMALS,
    USUAL_ORDER,
    MethodEvidence,
    count_among_best,
    find_order,
    find_undecided,
    gather_evidence,
    sort_methods,
)
from rankwise.experiments.recommending.recommendation_check import (
    RIVALS,
    ExpectedTime,
    LeftOutRegret,
    RecommendationCheck,
    TimeModel,
    check_evidence,
    find_interval,
    find_table,
    fit_times,
    make_question,
    try_first,
)
from rankwise.files import is_file
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker
from rankwise.tables.notebook import Rows, Tabular, shortened

if TYPE_CHECKING:
    import pandas
    import polars

    from rankwise.results.benchmark_runs import DenseTable

    Given = Dataset | str | Path | pandas.DataFrame | polars.DataFrame


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
        order: a way of `rankwise.experiments.recommending.evidence`; the usual one was chosen by
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
        facts, evidence, order, numbers, counts, _fit_times(evidence, check), seconds, jobs
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


def _fit_times(evidence: MethodEvidence, check: RecommendationCheck) -> TimeModel:
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
        order: the way they are ordered (`rankwise.experiments.recommending.evidence`).
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


PARTS = 5
"""Into how many parts data without folds are cut for tuning."""


@dataclass(frozen=True)
class DataFacts:
    """What is known of data.

    Attributes:
        name: what they are called: a path, a name of the data home, or nothing.
        documents, queries, features: how many; queries None where they were not told.
        highest_label: None where it was not told.
        relevant_share: the share of documents with a label above 0, None where it was not told.
        folds: how many tunings they mean: their folds, or the parts of a cross-validation.
        has_folds: whether they come in folds, for `rankwise bench`.
        has_nulls, has_relations, has_weights: what only some rankers take, or need.
        too_wide: why these data cannot be held as a dense array, where they cannot.
    """

    name: str
    documents: int
    queries: int | None
    features: int
    highest_label: float | None = None
    relevant_share: float | None = None
    folds: int = PARTS
    has_folds: bool = False
    has_nulls: bool = False
    has_relations: bool = False
    has_weights: bool = False
    too_wide: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        queries = "" if self.queries is None else f" of {self.queries:,} queries"
        return f"{self.documents:,} documents{queries}, {self.features:,} features"


def find_facts(
    data: Given | None,
    documents: int | None = None,
    queries: int | None = None,
    features: int | None = None,
) -> DataFacts:
    """The facts of data at hand, or of data given by their numbers."""
    numbers = {"documents": documents, "queries": queries, "features": features}
    if data is None:
        return _take_numbers(numbers)
    given = [name for name, number in numbers.items() if number is not None]
    if given:
        raise RankwiseError(
            f"data are described by themselves or by numbers, found both; leave {given[0]} out"
        )
    if isinstance(data, str | Path) and not is_file(data):
        source = find_source(data)
        return _describe_folds(str(data), source.folds())
    name = str(data) if isinstance(data, str | Path) else ""
    dataset = data if isinstance(data, Dataset) else read(data)
    related = bool(dataset.relations) or bool(name and find_relations_beside(name))
    return _describe_dataset(name, [dataset], related)


def _take_numbers(numbers: dict[str, int | None]) -> DataFacts:
    documents, queries, features = (numbers[one] for one in ("documents", "queries", "features"))
    if documents is None or features is None:
        raise RankwiseError(
            "data are needed, or how many documents and features they have, found no number of "
            + ("documents" if documents is None else "features"),
            Advice("give {}", "documents", "N") if documents is None
            else Advice("give {}", "features", "N"),
        )  # fmt: skip
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise RankwiseError(f"the number of {name} must be at least 1, found {number}")
    if queries is not None and queries > documents:
        raise RankwiseError(
            f"every query must have a document, found {queries:,} queries and {documents:,} "
            "documents"
        )
    return DataFacts("", documents, queries, features)


def _describe_folds(name: str, folds: Sequence[FoldFiles]) -> DataFacts:
    first = folds[0]
    paths = [path for path in (first.train, first.validation, first.test) if path is not None]
    parts = equally_wide([read(path) for path in paths])
    return _describe_dataset(name, parts, bool(first.relations), len(folds))


def _describe_dataset(
    name: str, parts: Sequence[Dataset], has_relations: bool, folds: int | None = None
) -> DataFacts:
    labels = np.concatenate([part.labels for part in parts])
    if not len(labels):
        raise RankwiseError(f"{name or 'data'} must have documents, found none")
    if not parts[0].n_features:
        raise RankwiseError(f"{name or 'data'} must have features, found none")
    return DataFacts(
        name=name,
        documents=len(labels),
        queries=sum(part.n_queries for part in parts),
        features=parts[0].n_features,
        highest_label=float(labels.max()),
        relevant_share=float((labels > 0).mean()),
        folds=folds or PARTS,
        has_folds=folds is not None,
        has_nulls=any(bool(np.isnan(part.stored_values).any()) for part in parts),
        has_relations=has_relations,
        has_weights=any(_has_weights(part) for part in parts),
        too_wide=next(filter(None, map(_find_width_refusal, parts)), None),
    )


def _has_weights(part: Dataset) -> bool:
    return part.weights is not None and bool((part.weights != part.weights[0]).any())


def _find_width_refusal(part: Dataset) -> str | None:
    if part.sparse is None:
        return None
    try:
        refuse_dense(part.sparse)
    except RankwiseError as error:
        return str(error)
    return None


_LIBRARIES = {
    "lightgbm": ("rankwise.rankers.trees.lightgbm_training", "trees"),
    "torch": ("rankwise.rankers.gradient.self_attention", "neural"),
}
"""Optional libraries: the module without which none of its callers trains, and the extra.

No fact of rankers, as a line in their files would make experiments train all of them anew.
"""


def find_exclusion(ranker: str, facts: DataFacts) -> str | None:
    """Why a ranker cannot be tried on these data; None where it can."""
    return _find_refusal(ranker, facts) or find_missing_library(ranker)


def find_missing_library(ranker: str) -> str | None:
    """What a ranker needs that is not installed, and how to install it."""
    for library, (module, extra) in _LIBRARIES.items():
        if find_spec(library) is None and _imports_from(find_ranker(ranker), module):
            return f"needs {library}; install it: {install_line(extra)}"
    return None


def _imports_from(kind: type[Ranker], module: str) -> bool:
    """Whether the file of a ranker, or of what it inherits from, imports something of a module."""
    homes = (sys.modules[one.__module__] for one in kind.__mro__)
    return any(
        getattr(value, "__module__", None) == module
        for home in homes
        for value in vars(home).values()
    )


def _find_refusal(ranker: str, facts: DataFacts) -> str | None:
    kind = find_ranker(ranker)
    if kind.uses_relations and not facts.has_relations:
        return "learns from relations between documents, which these data have none of"
    if facts.has_nulls and not kind.handles_null:
        return "cannot take NULL features; fill them first: rankwise data normalize IN OUT --to min"
    if facts.has_weights and not kind.takes_weights:
        return "cannot weigh documents"
    if facts.too_wide is not None and not kind.takes_sparse:
        return "takes dense data only, which these are too wide for"
    return None
