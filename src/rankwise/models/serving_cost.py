"""What scoring costs: time per document and per query, of a model and of its exports.

All are timed in one run on the same rows, turn by turn, so that their ratios mean something where
the times themselves depend on the machine. Times are those of a caller in Python: the crossing from
Python into a runtime is in them, as is plain to see in single documents.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.formats.format import (
    EXPORTS,
    Score,
    export,
    find_export,
    open_export,
    refusals_of,
)
from rankwise.models.golden_rows import golden_features
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile, load_model
from rankwise.models.scorers.scorer import Scorer
from rankwise.models.scoring import give
from rankwise.tables.notebook import Rows, Tabular, shortened

Times = tuple[float, float, float | None]
"""Per document in batches, per query, per single document."""
Call = Callable[[], NDArray[np.float64]]
MODEL = "model"
_MADE_QUERIES, _MADE_LENGTH = 20, 100
_MOST_DOCUMENTS, _MOST_SINGLES, _MOST_QUERIES = 5000, 200, 50
_MICROSECONDS = 1e6


@dataclass(frozen=True)
class ServingTime:
    """How long one scorer takes, in microseconds.

    Attributes:
        scorer: "model", or the target of an export.
        how: who computes.
        batch: per document, all documents in one call.
        query: per query, one call for each.
        single: per document, one call for each; None of models that score whole lists.
        ratio: of the three beside those of the model.
    """

    scorer: str
    how: str
    batch: float
    query: float
    single: float | None
    ratio: Times


@dataclass(frozen=True)
class ServingCost(Tabular):
    """The times of a model and of its exports; `skipped` says why others were not timed."""

    documents: int
    queries: int
    times: tuple[ServingTime, ...]
    skipped: Mapping[str, str]

    def __repr__(self) -> str:
        figures = ", ".join(f"{one.scorer} {one.batch:.3g} µs" for one in self.times)
        return shortened(f"per document in batches of {self.documents}: {figures}")

    def _table(self) -> Rows:
        titles = ("scorer", "batch", "query", "single", "batch ratio", "query ratio",
                  "single ratio", "how")  # fmt: skip
        rows = [(one.scorer, one.batch, one.query, one.single, *one.ratio, one.how)
                for one in self.times]  # fmt: skip
        return titles, rows


def measure_cost(
    model: Model | str | Path,
    data: Dataset | str | Path | None = None,
    *,
    targets: Iterable[str] | None = None,
    repeats: int = 5,
) -> ServingCost:
    """Time a model and its exports on the same rows.

    Args:
        model: a model or its file.
        data: the documents to score; without any 20 queries of 100 made-up documents each. Of
            large data the first queries are taken.
        targets: exports to time; by default all that can run here.
        repeats: how often everything is timed; the medians are given.
    """
    if repeats < 1:
        raise RankwiseError(f"repeats must be at least 1, found {repeats}")
    found = model if isinstance(model, Model) else load_model(model)
    rows = _made_rows(found) if data is None else _given_rows(found, data)
    with tempfile.TemporaryDirectory() as folder:
        opened, skipped = _open_all(found, Path(folder), targets)
        timed = {MODEL: _calls_of_model(found.scorer, rows)}
        timed |= {name: _calls_of_export(score, rows) for name, (score, _how) in opened.items()}
        figures: dict[str, list[Times]] = {name: [] for name in timed}
        for _ in range(repeats + 1):
            for name, calls in timed.items():
                figures[name].append(_time(calls, rows.n_documents))
    # The first round filled caches.
    medians = {name: _medians(times[1:]) for name, times in figures.items()}
    hows = {MODEL: "rankwise"} | {name: how for name, (_, how) in opened.items()}
    times = tuple(
        ServingTime(name, hows[name], *own, _ratio(own, medians[MODEL]))
        for name, own in medians.items()
    )
    return ServingCost(rows.n_documents, rows.n_queries, times, skipped)


Opened = dict[str, tuple[Score, str]]


def _open_all(
    model: Model, folder: Path, targets: Iterable[str] | None
) -> tuple[Opened, dict[str, str]]:
    """Exports that can be timed here, and why the others cannot."""
    names = [one.name for one in EXPORTS] if targets is None else list(targets)
    kind = model.scorer.kind
    opened: Opened = {}
    skipped: dict[str, str] = {}
    for name in names:
        target = find_export(name)
        if kind not in target.writers:
            skipped[name] = refusals_of(kind)[name]
            continue
        file = ModelFile(model, model.paper or "")
        path = folder / f"{name}{target.suffix}"
        try:
            path.write_bytes(export(file, name).content)
            found = open_export(target, path, file.names)
        except RankwiseError as error:
            skipped[name] = str(error)
            continue
        if not found.ran:
            skipped[name] = found.how
        elif not found.resident:
            skipped[name] = f"{found.how}, which is started anew at every call"
        else:
            opened[name] = (found.score, found.how)
    return opened, skipped


def _made_rows(model: Model) -> Dataset:
    """Values between the thresholds of the model, each feature drawn on its own."""
    groups, rows = golden_features(model.scorer)
    values = rows[[group == "between" for group in groups]]
    count = _MADE_QUERIES * _MADE_LENGTH
    chosen = np.random.default_rng(0).integers(len(values), size=(count, values.shape[1]))
    made = np.take_along_axis(values, chosen, axis=0)
    return Dataset.from_arrays(made, np.zeros(count), group=[_MADE_LENGTH] * _MADE_QUERIES)


def _given_rows(model: Model, data: Dataset | str | Path) -> Dataset:
    rows = give(model, data).data
    if rows.n_documents == 0:
        raise RankwiseError("the data must have documents to time scoring on")
    fitting = int(np.searchsorted(rows.query_offsets, _MOST_DOCUMENTS, side="right")) - 1
    return rows.select_queries(slice(0, max(1, fitting)))


Calls = tuple[Sequence[Call], Sequence[Call], Sequence[Call]]
"""All documents in one call, one call for each query, one call for each document."""


def _calls_of_model(scorer: Scorer, rows: Dataset) -> Calls:
    """A scorer that sees the query has no calls for single documents."""
    if scorer.row_by_row:
        return _calls_of_export(scorer.score, rows)
    queries = [rows.select_queries([number]) for number in _timed_queries(rows)]
    whole = partial(scorer.score_dataset, rows)
    return [whole], [partial(scorer.score_dataset, one) for one in queries], []


def _calls_of_export(score: Score, rows: Dataset) -> Calls:
    features = np.ascontiguousarray(rows.features)
    queries = [rows.query(number).features for number in _timed_queries(rows)]
    singles = [features[place : place + 1] for place in range(min(len(features), _MOST_SINGLES))]
    batch, by_query, single = ([partial(score, part) for part in parts]
                               for parts in ([features], queries, singles))  # fmt: skip
    return batch, by_query, single


def _timed_queries(rows: Dataset) -> list[int]:
    chosen: list[int] = np.flatnonzero(rows.query_lengths)[:_MOST_QUERIES].tolist()
    return chosen


def _time(calls: Calls, documents: int) -> Times:
    batch, by_query, single = calls
    return (
        _seconds(batch) / documents * _MICROSECONDS,
        _seconds(by_query) / len(by_query) * _MICROSECONDS,
        _seconds(single) / len(single) * _MICROSECONDS if single else None,
    )


def _seconds(calls: Sequence[Call]) -> float:
    start = perf_counter()
    for call in calls:
        call()
    return perf_counter() - start


def _medians(times: list[Times]) -> Times:
    batch, query, single = zip(*times, strict=True)
    known = [one for one in single if one is not None]
    return median(batch), median(query), median(known) if known else None


def _ratio(own: Times, model: Times) -> Times:
    single = None if own[2] is None or model[2] is None else own[2] / model[2]
    return own[0] / model[0], own[1] / model[1], single
