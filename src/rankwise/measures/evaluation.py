"""Evaluating scores: one tool, many measures, on flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure
from rankwise.measures.reading import ToolRefusal
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import find_tool
from rankwise.measures.values import average, measure_values, refuse_measure
from rankwise.tables.notebook import Rows, SmallHistogram, Tabular, shortened

_MOST_NAMED = 6


class UnknownResult(RankwiseError, KeyError):
    """An evaluation has no result of this name."""


@dataclass(frozen=True, eq=False)
class MeasureResult(Tabular):
    """One measure's figures.

    Attributes:
        measure: what was computed, with all its conventions.
        mean: the figure over all queries, by the measure's own averaging.
        query_ids: the queries in the tool's order.
        values: one per query; NaN where the query has no figure of its own.
    """

    measure: Measure
    mean: float
    query_ids: Sequence[str]
    values: NDArray[np.float64]

    def __repr__(self) -> str:
        without = len(self.query_ids) - len(self.per_query)
        rest = f", {without} of them without a figure" if without else ""
        return shortened(
            f"{self.measure}: {self.mean:.4f} over {len(self.query_ids)} queries{rest}"
        )

    @property
    def per_query(self) -> dict[str, float]:
        """The figure of every query that has one."""
        return {
            query: value
            for query, value in zip(self.query_ids, self.values.tolist(), strict=True)
            if value == value
        }

    def _table(self) -> Rows:
        return ("query", "value"), list(self.per_query.items())


@dataclass(frozen=True, eq=False)
class Evaluation(Tabular):
    """What one tool says of one set of scores: results by the name they were asked for by.

    `refused` holds the measures that the tool cannot compute on these data, with the reason;
    `remarks` tell what was odd in the files that the scores were read from, that no retrieved
    document is judged, and which measures have their value whatever the ranking, as all documents
    or none are relevant to them, or all queries too short.
    """

    tool: Tool
    results: dict[str, MeasureResult]
    refused: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        figures = ", ".join(f"{name} {mean:.4f}" for name, mean in self.means().items())
        return shortened(f"Evaluation by {self.tool.name}: {figures}")

    def __getitem__(self, name: str) -> MeasureResult:
        """The result of a measure by the name it was asked for by, or by another name for it."""
        if name not in self.results:
            alike = [asked for asked in self.results if _is_name_of(self.tool, asked, name)]
            if len(alike) != 1:
                raise UnknownResult(
                    f"there is no result {name!r}; there are {', '.join(self.results) or 'none'}"
                )
            name = alike[0]
        return self.results[name]

    def means(self) -> dict[str, float]:
        """Name and mean of every measure."""
        return {name: result.mean for name, result in self.results.items()}

    def _table(self) -> Rows:
        """Every query's figures; `all` is the mean."""
        rows: list[tuple[object, ...]] = []
        for name, result in self.results.items():
            rows += [(self.tool.name, name, *pair) for pair in result.per_query.items()]
            rows.append((self.tool.name, name, "all", result.mean))
        return ("tool", "measure", "query", "value"), rows

    def _shown(self) -> Rows:
        rows = [
            (name, one.mean, len(one.query_ids), SmallHistogram.of(one.values.tolist()))
            for name, one in self.results.items()
        ]
        return ("measure", "mean", "queries", "of the queries"), rows


def _is_name_of(tool: Tool, asked: str, name: str) -> bool:
    try:
        return tool.measure(name) == tool.measure(asked)
    except RankwiseError:
        return False


def evaluate(
    judged: JudgedScores,
    measures: Iterable[str | Measure] | None = None,
    tool: str | Tool = "definition",
    *,
    ties: str | None = None,
) -> Evaluation:
    """Evaluate scores as a tool does.

    `measures` are names, the tool's own or common ones in its convention, or `Measure` values,
    which are computed as they are; None is everything that the tool prints. `ties` replaces the
    tool's tie rule. Raises `ToolRefusal` where the tool cannot take the data or computes none of
    the measures.
    """
    chosen = find_tool(tool) if isinstance(tool, str) else tool
    seen = chosen.read(judged)
    asked = list(chosen.printed(seen)) if measures is None else list(measures)
    wanted, refused = _wanted(chosen, seen, asked, ties)
    if refused and not wanted:
        raise ToolRefusal(next(iter(refused.values())))
    said = (
        *_tell_unjudged(judged),
        *_tell_all_relevant(seen, wanted),
        *_tell_none_relevant(seen, wanted),
        *_tell_none_long(seen, wanted),
        *_list_alike(chosen, seen, wanted.values()),
    )
    return Evaluation(chosen, _results(chosen, seen, wanted), refused, said)


def are_relevant(labels: NDArray[np.float64], measure: Measure) -> NDArray[np.bool_]:
    """Which labels are relevant ones to a measure that has a threshold."""
    threshold = 0.0 if measure.threshold is None else measure.threshold
    above: NDArray[np.bool_] = labels > threshold if measure.strict else labels >= threshold
    return above


def _tell_all_relevant(seen: JudgedScores, wanted: dict[str, Measure]) -> tuple[str, ...]:
    if not len(seen.labels):
        return ()
    least = seen.labels.min(keepdims=True)
    names = [
        name
        for name, measure in wanted.items()
        if measure.threshold is not None and measure.gain is None and are_relevant(least, measure)
    ]
    if not names:
        return ()
    return (
        f"no document is irrelevant to {_few(names)}, as labels begin at {least[0]:g}: every "
        "ranking of them has the same value",
    )


def _tell_none_relevant(seen: JudgedScores, wanted: dict[str, Measure]) -> tuple[str, ...]:
    """Measures to which no document is relevant, as they have one value whatever the ranking."""
    labels = seen.labels[~np.isnan(seen.labels)]
    if not len(labels):
        return ()
    most = labels.max(keepdims=True)
    names = [
        name
        for name, measure in wanted.items()
        if (measure.gain is not None and most[0] <= 0.0)
        or (measure.gain is None and measure.threshold is not None
            and not are_relevant(most, measure)[0])
    ]  # fmt: skip
    if not names:
        return ()
    helps = "; a measure may name a threshold, as MAP(threshold=0.5)" if most[0] > 0.0 else ""
    return (
        f"no document is relevant to {_few(names)}, as labels end at {most[0]:g}: every "
        f"ranking of them has the same value{helps}",
    )


def _tell_none_long(seen: JudgedScores, wanted: dict[str, Measure]) -> tuple[str, ...]:
    """Measures at cut-offs that no query reaches, where such a query has 0 or no value."""
    longest = int(seen.lengths.max(initial=0))
    names = [
        name
        for name, measure in wanted.items()
        if measure.short in ("zero", "absent") and longest < (measure.cutoff or 0)
    ]
    if not names or not longest:
        return ()
    return (
        f"no query is long enough for {_few(names)}, the longest has {longest} documents: every "
        "ranking of them has the same value",
    )


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"


def _tell_unjudged(judged: JudgedScores) -> tuple[str, ...]:
    """A run and judgements whose documents never match, though their queries do."""
    if judged.retrieved is None or judged.document_ids is None:
        return ()
    lengths = judged.lengths
    within = np.arange(len(judged.labels)) - np.repeat(judged.query_offsets[:-1], lengths)
    retrieved = within < np.repeat(judged.retrieved, lengths)
    if not retrieved.any() or retrieved.all() or not np.isnan(judged.labels[retrieved]).all():
        return ()
    found, known = (judged.document_ids[int(np.argmax(rows))] for rows in (retrieved, ~retrieved))
    return (
        f"no retrieved document is judged: the run has documents such as {found!r}, the judgements "
        f"such as {known!r}; are these ids of one collection?",
    )


def _list_alike(tool: Tool, seen: JudgedScores, measures: Iterable[Measure]) -> Iterator[str]:
    """A sentence where scores are different whole numbers that doubles take for equal ones."""
    if all(measure.comparison in (None, "perl") for measure in measures):
        return
    query = np.repeat(np.arange(seen.n_queries), seen.lengths)
    numbers: dict[tuple[int, float], set[int]] = {}
    for row, number in seen.large_integers.items():
        numbers.setdefault((int(query[row]), float(seen.scores[row])), set()).add(number)
    alike = sum(len(different) for different in numbers.values() if len(different) > 1)
    if alike:
        yield (
            f"{alike} scores are whole numbers beyond 2^53 that differ, but not as the doubles "
            f"that {tool.name} compares: they count as tied; give smaller numbers, as their ranks"
        )


def tie_ranges(
    judged: JudgedScores,
    measures: Iterable[str | Measure] | None = None,
    tool: str | Tool = "definition",
) -> dict[str, tuple[float, float]]:
    """For every measure the lowest and the highest mean that any order of tied documents gives.

    Measures whose ends are not known (`rankwise.measures.tie_extremes`) are left out.
    """
    asked = None if measures is None else list(measures)
    try:
        worst = evaluate(judged, asked, tool, ties="worst").means()
        best = evaluate(judged, asked, tool, ties="best").means()
    except ToolRefusal:
        return {}
    return {name: (low, best[name]) for name, low in worst.items()}


def _wanted(
    tool: Tool, seen: JudgedScores, asked: Sequence[str | Measure], ties: str | None
) -> tuple[dict[str, Measure], dict[str, str]]:
    """The measures by name, and the reasons for those that the tool refuses."""
    wanted: dict[str, Measure] = {}
    refused: dict[str, str] = {}
    for name in asked:
        try:
            measure = tool.measure(name)
        except ToolRefusal as refusal:
            refused[str(name)] = str(refusal)
            continue
        if ties is not None:
            measure = measure.with_fields(ties=ties)
        reason = tool.measure_refusal(measure, seen) or refuse_measure(measure, seen)
        if reason is None:
            wanted[str(name)] = measure
        else:
            refused[str(name)] = f"{tool.name}: {reason}"
    return wanted, refused


def _results(
    tool: Tool, seen: JudgedScores, wanted: dict[str, Measure]
) -> dict[str, MeasureResult]:
    measures = list(wanted.values())
    table = measure_values(seen, measures, tool.ideal_of(seen))
    names = tool.query_names(seen)
    order = _output_order(tool.order, names)
    results = {}
    for name, measure, values in zip(wanted, measures, table, strict=True):
        results[name] = _result(tool, seen, measure, values, names, order)
    return results


def _result(
    tool: Tool,
    seen: JudgedScores,
    measure: Measure,
    values: NDArray[np.float64],
    names: list[str],
    order: NDArray[np.int64] | None,
) -> MeasureResult:
    skipped = tool.skipped(measure, seen)
    if skipped is not None:
        values = np.where(skipped, np.nan, values)
    if tool.regroup is not None:
        names, values = tool.regroup(measure, names, values)
    mean = average(values, measure, seen)
    if mean != mean:
        mean = tool.nothing
    shown = np.where(np.isneginf(values), np.nan, values)
    if order is not None and len(order) == len(shown):
        names, shown = [names[place] for place in order], shown[order]
    return MeasureResult(measure, mean, names, shown)


def _output_order(rule: str, names: list[str]) -> NDArray[np.int64] | None:
    from rankwise.measures.tools.perl import perl_number

    if rule == "file":
        return None
    if rule == "text":
        keys = [name.encode("utf-8", "surrogateescape") for name in names]
        return np.array(sorted(range(len(names)), key=keys.__getitem__), dtype=np.int64)
    numbers = [perl_number(name) for name in names]
    return np.array(sorted(range(len(names)), key=numbers.__getitem__), dtype=np.int64)
