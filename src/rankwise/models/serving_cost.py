"""What scoring costs: time per document and per query, of a model and of its exports.

All are timed in one run on the same rows, turn by turn, so that their ratios mean something where
the times themselves depend on the machine. Times are those of a caller in Python: the crossing from
Python into a runtime is in them, as is plain to see in single documents.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.explanations.given_model import give
from rankwise.models.exports.registry import EXPORTS, export, find_export, refusals_of
from rankwise.models.golden_rows import make_golden_rows
from rankwise.models.model_file import ModelFile, load_model
from rankwise.models.runtimes.runtime import Score, open_export
from rankwise.rankers.ranker import Model
from rankwise.tabular import Rows, Tabular, shortened

Floats = NDArray[np.float64]
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
        single: per document, one call for each.
        ratio: of the three beside those of the model.
    """

    scorer: str
    how: str
    batch: float
    query: float
    single: float
    ratio: tuple[float, float, float]


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
    rows, offsets = _made_rows(found) if data is None else _given_rows(found, data)
    with tempfile.TemporaryDirectory() as folder:
        scorers, skipped = _open_all(found, Path(folder), targets)
        scorers = {MODEL: (found.scorer.score, "rankwise"), **scorers}
        figures: dict[str, list[tuple[float, float, float]]] = {name: [] for name in scorers}
        for _ in range(repeats + 1):
            for name, (score, _how) in scorers.items():
                figures[name].append(_time(score, rows, offsets))
    # The first round filled caches.
    medians = {name: _medians(times[1:]) for name, times in figures.items()}
    times = tuple(
        ServingTime(name, how, *medians[name], _ratio(medians[name], medians[MODEL]))
        for name, (_, how) in scorers.items()
    )
    return ServingCost(len(rows), len(offsets) - 1, times, skipped)


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


def _made_rows(model: Model) -> tuple[Floats, NDArray[np.int64]]:
    """Values between the thresholds of the model, each feature drawn on its own."""
    golden = make_golden_rows(model.scorer)
    values = golden.features[golden.of_group("between")]
    count = _MADE_QUERIES * _MADE_LENGTH
    chosen = np.random.default_rng(0).integers(len(values), size=(count, values.shape[1]))
    return np.take_along_axis(values, chosen, axis=0), np.arange(0, count + 1, _MADE_LENGTH)


def _given_rows(model: Model, data: Dataset | str | Path) -> tuple[Floats, NDArray[np.int64]]:
    rows = give(model, data).data
    offsets = rows.query_offsets
    last = max(1, int(np.searchsorted(offsets, _MOST_DOCUMENTS, side="right")) - 1)
    if rows.n_documents == 0:
        raise RankwiseError("the data must have documents to time scoring on")
    return np.ascontiguousarray(rows.features[: offsets[last]]), offsets[: last + 1]


def _time(score: Score, rows: Floats, offsets: NDArray[np.int64]) -> tuple[float, float, float]:
    batch = _seconds(score, [rows]) / len(rows)
    queries = [rows[start:end] for start, end in pairwise(offsets.tolist()) if start < end]
    queries = queries[:_MOST_QUERIES]
    by_query = _seconds(score, queries) / len(queries)
    singles = [rows[place : place + 1] for place in range(min(len(rows), _MOST_SINGLES))]
    single = _seconds(score, singles) / len(singles)
    return batch * _MICROSECONDS, by_query * _MICROSECONDS, single * _MICROSECONDS


def _seconds(score: Score, parts: list[Floats]) -> float:
    start = perf_counter()
    for part in parts:
        score(part)
    return perf_counter() - start


def _medians(times: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    batch, query, single = (median(column) for column in zip(*times, strict=True))
    return batch, query, single


def _ratio(
    own: tuple[float, float, float], model: tuple[float, float, float]
) -> tuple[float, float, float]:
    batch, query, single = (a / b for a, b in zip(own, model, strict=True))
    return batch, query, single
