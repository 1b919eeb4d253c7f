"""A store of three methods on one data set, with values per query that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome

METHODS = ("bm25", "better", "<b>level</b>")
MEASURES = ("MAP", "NDCG@10")
QUERIES, FOLDS = 40, 5


def make_values(method: int, measure: str, queries: int = QUERIES) -> NDArray[np.float64]:
    """`better` gains .1 on most queries, `level` differs by noise around nothing."""
    rng = np.random.default_rng(7 if measure == "MAP" else 8)
    base = rng.uniform(0.1, 0.7, queries)
    noise = rng.normal(0.0, 0.05, (3, queries))
    shift = (0.0, 0.1, 0.0)[method]
    values = base + shift + (0 if method == 0 else 1) * noise[method]
    return np.clip(values, 0.0, 1.0)


def make_store(path: Path, dataset: str = "made", collection: str = "Made") -> Path:
    """Five folds of eight queries; the third method lacks nothing."""
    each = QUERIES // FOLDS
    with Store.open(path) as store:
        for fold in range(FOLDS):
            queries = tuple(f"q{number}" for number in range(fold * each, (fold + 1) * each))
            for number, method in enumerate(METHODS):
                name = TaskName(collection, dataset, None, fold + 1, method, "r", 0, "definition")
                stored = []
                for measure in MEASURES:
                    values = make_values(number, measure)[fold * each : (fold + 1) * each]
                    mean = float(values.mean())
                    stored.append(StoredValue("test", "definition", measure, mean, queries, values))
                key = f"{dataset} {fold} {number}"
                store.add(key, name, {}, TaskOutcome("done", values=tuple(stored)))
    return path
