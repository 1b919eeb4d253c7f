"""DEARank: the time of a tuned fold, beside the way it was done before, in the same run.

    python benchmarks/dearank.py FOLD [--tool letor4] [--variants dearank-i-map …] [--new-only]

FOLD is a folder with train.txt and vali.txt. Both ways try all settings of the registry's grid on
validation. *Before*: each setting solves its programs and measures its pool by itself, from arrays
with the scores of all documents. *Now*: settings share them, and a compiled pass measures a query
at a time. Seconds are those of the processor, so that a loaded machine tells the same; the models
of both ways are compared to the bit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.experiments.parameter_search import Search, Selection, list_combinations, tune
from rankwise.measures.evaluation import evaluate
from rankwise.rankers.boosting.weak_rankers import Pool, linear_scores
from rankwise.rankers.dea.dearank import candidates
from rankwise.rankers.ranker import Training
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]
Result = TypeVar("Result")

VARIANTS = ("dearank-i-map", "dearank-i-ndcg", "dearank-o-map", "dearank-o-ndcg")
SCORES_IN_A_BLOCK = 125_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("fold", type=Path)
    parser.add_argument("--tool", default="letor4")
    parser.add_argument("--variants", nargs="+", default=VARIANTS, choices=VARIANTS)
    parser.add_argument("--new-only", action="store_true", help="leave out the way before")
    options = parser.parse_args()
    train, validation = (read(options.fold / name) for name in ("train.txt", "vali.txt"))
    print(f"{train.n_queries} queries, {train.n_documents} documents, {train.n_features} features")
    for name in options.variants:
        compare(name, train, validation, options.tool, options.new_only)


def compare(name: str, train: Dataset, validation: Dataset, tool: str, new_only: bool) -> None:
    kind: Any = find_ranker(name)
    few = train.select_queries(np.arange(min(5, train.n_queries)))
    tried = list_combinations(kind, Search({"tool": tool}, {}, {}))
    tune_now(kind, tried, few, validation, tool)
    now, weights = timed(lambda: tune_now(kind, tried, train, validation, tool))
    print(f"{name}: {len(tried)} settings, now {now:.1f} s", end="", flush=True)
    if new_only:
        print()
        return
    before, former = timed(lambda: tune_before(kind, tried, train, validation, tool))
    same = "the same model to the bit" if np.array_equal(weights, former) else "ANOTHER MODEL"
    print(f", before {before:.1f} s, {before / now:.1f} x, {same}", flush=True)


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def tune_now(
    kind: Any, tried: Sequence[Any], train: Dataset, validation: Dataset, tool: str
) -> Floats:
    model = tune(kind, tried, train, validation, Selection("MAP", tool)).model
    return np.asarray(model.scorer.as_json()["weights"])


def tune_before(
    kind: Any, tried: Sequence[Any], train: Dataset, validation: Dataset, tool: str
) -> Floats:
    best, weights = -np.inf, np.empty(0)
    for setting in tried:
        ranker = kind(**setting)
        found = candidates(train, ranker.model, ranker.solver).distinct()
        measure = ranker.objective(train)
        pool = pool_before(found.weights, train, measure, ranker.best)
        scorer, _ = ranker.boosted(pool, found, Training(train, validation), measure)
        scores = scorer.score(validation.features)
        figure = evaluate(validation, scores, ["MAP"], tool)["MAP"].mean
        if figure > best:
            best, weights = figure, np.asarray(scorer.as_json()["weights"])
    return weights


def pool_before(weights: Floats, train: Dataset, measure: TrainingMeasure, best: int) -> Pool:
    """Some candidates at a time, with the scores of all documents."""
    matrix = np.empty((len(weights), train.n_queries))
    tells = np.empty(len(weights), dtype=np.bool_)
    neighbours = np.ones(train.n_documents, dtype=np.bool_)
    neighbours[train.query_offsets[:-1]] = False
    inner = np.flatnonzero(neighbours)
    size = max(1, SCORES_IN_A_BLOCK // train.n_documents)
    for first in range(0, len(weights), size):
        block = slice(first, first + size)
        scores = linear_scores(train, weights[block])
        matrix[block] = measure.matrix(scores)
        tells[block] = (scores[:, inner] != scores[:, inner - 1]).any(axis=1)
    kept = np.flatnonzero(tells)
    if best:
        means = matrix[kept].mean(axis=1)
        kept = np.sort(kept[np.argsort(-means, kind="stable")[:best]])
    return Pool(weights[kept], matrix[kept], kept)


if __name__ == "__main__":
    main()
