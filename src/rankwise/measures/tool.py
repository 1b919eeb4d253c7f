"""An evaluation tool as a value: its conventions, its names for measures, how it reads and prints.

A tool is one file in `rankwise.measures.tools` and one line in its registry. How it reads says what
a query id that comes back and a repeated document id mean to it:

| queries | a query id that comes back in a later run of rows |
|---|---|
| separate | starts a query of its own (`qid#2` in the output) |
| merge | goes on with the query of that id |
| positive | as separate, but no boundary is seen after an id of 0 or less (Yahoo) |

| documents | a document id that comes back within its query |
|---|---|
| keep | is another document |
| replace | replaces the earlier row (the LETOR scripts) |
| lowest-label | is another document; all copies have their lowest label above 0, the ideal list
  has the labels as read (gdeval) |
| refuse | is refused |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.computation import check_computed
from rankwise.measures.families.family import ORDER
from rankwise.measures.families.registry import BY_NAME, is_own
from rankwise.measures.measure import Measure, UnknownMeasure, parse

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores
    from rankwise.measures.evaluation import Evaluation


Conventions = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Tool:
    """A named bundle of conventions.

    Attributes:
        name: as given to `--tool`.
        title: what it is and which version was studied.
        conventions: for each family that the tool has, the fields that differ from the textbook.
        printed: the names of the figures that the tool prints for these data unasked.
        own_name: the measure that the tool knows by this name of its own, or None.
        figure: a figure as the tool prints it.
        queries, documents: how it reads (`rankwise.measures.tool`).
        order: the order of queries in its output: `file`, `numeric` or `text`.
        rename: the tool's name for a query id.
        labels: the labels as the tool reads them; NaN is "not judged".
        refusal: why the tool cannot take the data, or None.
        measure_refusal: why it cannot compute one measure on them, or None.
        skipped: for each query whether the tool has no figure for it, or None.
        first_ideal: whether a query id that comes back keeps the ideal list of its first run.
        nothing: the mean where no query has a figure.
        regroup: another set of queries and values for a measure (ir_measures' gdeval).
        comment_style: the ending of lines that it insists on, `letor3` or `letor4`.
        carriage_returns: whether it reads lines that end in a carriage return.
        layout: the tool's own output for an evaluation (with or without queries, and the name of
            the run), where its bytes are reproduced.
        layout_of_measures: whether that output can hold any choice of measures.
    """

    name: str
    title: str
    conventions: Conventions
    printed: Callable[[JudgedScores], Sequence[str]]
    own_name: Callable[[str], Measure | None] = lambda name: None
    figure: Callable[[Measure, float], str] = lambda measure, value: repr(value)
    queries: str = "merge"
    documents: str = "keep"
    order: str = "file"
    rename: Callable[[str], str] | None = None
    labels: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    refusal: Callable[[JudgedScores], str | None] = lambda judged: None
    measure_refusal: Callable[[Measure, JudgedScores], str | None] = lambda measure, judged: None
    skipped: Callable[[Measure, JudgedScores], Any] = lambda measure, judged: None
    first_ideal: bool = False
    nothing: float = float("nan")
    regroup: Callable[[Measure, list[str], Any], tuple[list[str], Any]] | None = None
    comment_style: str | None = None
    carriage_returns: bool = True
    layout: Callable[[Evaluation, bool, str], str] | None = None
    layout_of_measures: bool = False

    def measure(self, name: str | Measure) -> Measure:
        """The measure that this tool computes under a name, its own or a common one."""
        if isinstance(name, Measure):
            return name
        try:
            own = self.own_name(name.strip())
        except ValueError:
            raise RankwiseError(
                f"numbers in the name of a measure must be short, found {name[:40]!r}…"
            ) from None
        if own is not None:
            return own
        try:
            measure = parse(name, self.conventions)
        except UnknownMeasure as error:
            raise UnknownMeasure(f"{error} (asked of {self.name})") from None
        if is_own(measure.family):
            return parse(name, {measure.family: self._usual_order()})
        check_computed(measure)
        if measure.family not in self.conventions:
            known = ", ".join(self.conventions)
            raise ToolRefusal(f"{self.name} does not compute {measure.family}; it has {known}")
        return measure

    def _usual_order(self) -> Mapping[str, Any]:
        """How the tool orders documents for its first family: so it does for own measures."""
        usual = next(iter(self.conventions.values()), {})
        return {name: usual[name] for name in ORDER if name in usual}

    def read(self, judged: JudgedScores) -> JudgedScores:
        """The data as this tool sees them; a `ToolRefusal` where it cannot take them."""
        reason = self.refusal(judged)
        if reason is not None:
            raise ToolRefusal(f"{self.name}: {reason}")
        if self.rename is not None:
            judged = replace(judged, query_ids=[self.rename(query) for query in judged.query_ids])
        if self.labels is not None:
            judged = replace(judged, labels=self.labels(judged.labels))
        return apply_documents(apply_queries(judged, self.queries), self.documents, self.name)

    def ideal_of(self, judged: JudgedScores) -> Any:
        """For each query the one whose documents make its ideal list; None is its own."""
        return first_runs(judged) if self.first_ideal else None

    def query_names(self, judged: JudgedScores) -> list[str]:
        """Distinct names of the queries of data that this tool has read."""
        return distinct_names(list(judged.query_ids))


def single_precision(labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Labels as a tool has them that keeps them in single precision."""
    with np.errstate(over="ignore"):
        return labels.astype(np.float32).astype(np.float64)


def every(fields: Mapping[str, Any], families: Mapping[str, Mapping[str, Any]]) -> Conventions:
    """Conventions of several families, with `fields` added wherever a family has such a field."""
    return {family: {**_that_fit(family, fields), **own} for family, own in families.items()}


def _that_fit(family: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    known = BY_NAME[family].fields
    return {
        name: value
        for name, value in fields.items()
        if name in known or (name == "strict" and "threshold" in known)
    }


class ToolRefusal(RankwiseError):
    """The tool cannot take these data, or not for this measure; says why."""


def apply_queries(judged: JudgedScores, policy: str) -> JudgedScores:
    """The same rows with the queries that a tool of this policy sees."""
    if policy == "merge":
        return _merge_queries(judged)
    if policy == "positive":
        return _join_after_zero(judged)
    return judged


def apply_documents(judged: JudgedScores, policy: str, tool: str) -> JudgedScores:
    """The same queries with the documents that a tool of this policy sees."""
    if policy == "keep" or judged.document_ids is None:
        return judged
    repeated = _repeated_rows(judged)
    if not repeated:
        return judged
    if policy == "refuse":
        query, document = repeated[0][0], judged.document_ids[repeated[0][2]]
        raise ToolRefusal(
            f"{tool} refuses a document id that occurs twice in a query: {document!r} in query "
            f"{judged.query_ids[query]!r}"
        )
    if policy == "lowest-label":
        return _lowest_label(judged, repeated)
    return _without_rows(judged, np.array([earlier for _, earlier, _ in repeated]))


def first_runs(judged: JudgedScores) -> NDArray[np.int64]:
    """For every run the first run with its query id."""
    first: dict[str, int] = {}
    return np.array(
        [first.setdefault(query, run) for run, query in enumerate(judged.query_ids)],
        dtype=np.int64,
    )


def distinct_names(ids: list[str]) -> list[str]:
    """Names that differ: a query id that comes back is `qid#2`, `qid#3`, …"""
    if len(set(ids)) == len(ids):
        return ids
    counts: dict[str, int] = {}
    names = []
    for query in ids:
        counts[query] = counts.get(query, 0) + 1
        names.append(query if counts[query] == 1 else f"{query}#{counts[query]}")
    return names


def _merge_queries(judged: JudgedScores) -> JudgedScores:
    ids = list(judged.query_ids)
    if len(set(ids)) == len(ids):
        return judged
    if judged.retrieved is not None:
        raise ToolRefusal("two queries of the run have the same id to this tool")
    first = first_runs(judged)
    runs = np.argsort(first, kind="stable")
    starts, lengths = judged.query_offsets[:-1][runs], judged.lengths[runs]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    rows = np.repeat(starts, lengths) + within
    kept, sizes = np.unique(np.repeat(first[runs], lengths), return_counts=True)
    return judged.take(rows, sizes, [ids[run] for run in kept])


def _join_after_zero(judged: JudgedScores) -> JudgedScores:
    ids = list(judged.query_ids)
    joined = [run > 0 and int(ids[run - 1]) <= 0 for run in range(len(ids))]
    if not any(joined):
        return judged
    starts = [run for run, join in enumerate(joined) if not join]
    sizes = np.add.reduceat(judged.lengths, starts)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return replace(judged, query_offsets=offsets, query_ids=[ids[run] for run in starts])


def _repeated_rows(judged: JudgedScores) -> list[tuple[int, int, int]]:
    """(query, earlier row, later row) for every document id that comes back."""
    documents = judged.document_ids or ()
    found = []
    for query in range(judged.n_queries):
        seen: dict[str, int] = {}
        for row in range(int(judged.query_offsets[query]), int(judged.query_offsets[query + 1])):
            document = documents[row]
            if document in seen:
                found.append((query, seen[document], row))
            seen[document] = row
    return found


def _lowest_label(judged: JudgedScores, repeated: list[tuple[int, int, int]]) -> JudgedScores:
    labels = judged.labels.copy()
    for pairs in (repeated, repeated[::-1]):
        for _, earlier, later in pairs:
            labels[[earlier, later]] = _lowest_above_zero(labels[earlier], labels[later])
    return replace(judged, labels=labels, ideal_labels=judged.labels)


def _lowest_above_zero(one: float, other: float) -> float:
    above = [label for label in (one, other) if label > 0]
    return min(above) if above else max(one, other)


def _without_rows(judged: JudgedScores, rows: NDArray[np.int64]) -> JudgedScores:
    kept = np.ones(len(judged.labels), dtype=np.bool_)
    kept[rows] = False
    query = np.repeat(np.arange(judged.n_queries), judged.lengths)
    sizes = np.bincount(query[kept], minlength=judged.n_queries)
    return judged.take(np.flatnonzero(kept), sizes, judged.query_ids)
