"""The measure of a population: one compiled pass beside a loop over `evaluate`.

    python benchmarks/population.py [--data ohsumed|mq2008] [--candidates 100] [--measure MAP]

Candidates are random weights, and random formulas as genetic programming makes them, on the
training part of the first fold below RANKWISE_SHARED. Both sides score the documents and take the
measure of LETOR's own tool; the figures must agree to the bit. Times are processor times of one
evaluation, the least of three. The peer in between scores and measures candidate by candidate too,
with everything that does not depend on the scores prepared (`TrainingMeasure`).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.measures.evaluation import evaluate
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers.search.formula_trees import ExpressionTrees
from rankwise.rankers.search.populations import Formulas, PopulationMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure

DATA = {
    "ohsumed": ("letor3/OHSUMED/QueryLevelNorm", "letor3"),
    "mq2008": ("letor4/MQ2008", "letor4"),
}
TIMES = 3
DEEPEST = 6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", choices=list(DATA), default="ohsumed")
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--measure", default="MAP")
    options = parser.parse_args()
    folder, tool = DATA[options.data]
    train = read(Path(os.environ["RANKWISE_SHARED"], "data", folder, "Fold1", "train.txt"))
    rng = np.random.default_rng(0)
    judged = TrainingMeasure.of(train, options.measure, tool)
    population = PopulationMeasure(judged, train.features.T)
    weights = rng.normal(size=(options.candidates, train.n_features))
    trees = ExpressionTrees(train.n_features, deepest=DEEPEST)
    grown = [trees.grow(rng, DEEPEST) for _ in range(options.candidates)]
    formulas = Formulas.of(grown)
    print(f"{train.n_queries} queries, {train.n_documents} documents, {options.measure} by {tool}")
    print(f"{'candidates':>12}{'evaluate':>12}{'prepared':>12}{'population':>12}{'ratio':>8}")
    linear = [Linear(one) for one in weights]
    written = [trees.scorer(one) for one in grown]
    ways = {"weights": (linear, lambda: population.of_weights(weights)),
            "formulas": (written, lambda: population.of_formulas(formulas))}  # fmt: skip
    for name, (scorers, together) in ways.items():
        show(name, train, scorers, judged, together, tool)


def show(
    name: str,
    train: Dataset,
    scorers: list[Any],
    judged: TrainingMeasure,
    together: Callable[[], np.ndarray],
    tool: str,
) -> None:
    """One line: milliseconds of an evaluation each way, and how many times quicker the pass is."""
    measure = str(judged.measure)
    loop, expected = least(lambda: evaluate_each(train, scorers, measure, tool))
    prepared, _ = least(lambda: [judged.mean(one.score(train.features)) for one in scorers])
    passed, found = least(together)
    if found.tolist() != expected:
        raise SystemExit(f"{name}: the figures of the pass are not those of evaluate")
    each = [1000.0 * seconds / len(scorers) for seconds in (loop, prepared, passed)]
    print(f"{name:>12}" + "".join(f"{one:9.3f} ms" for one in each) + f"{loop / passed:7.1f} ×")


def evaluate_each(train: Dataset, scorers: list[Scorer], measure: str, tool: str) -> list[float]:
    """The figures by `evaluate`, one after the other."""
    return [
        evaluate(train, one.score(train.features), [measure], tool)[measure].mean for one in scorers
    ]


def least(run: Callable[[], Any]) -> tuple[float, Any]:
    """The least processor time of a few runs, and what the last one gave."""
    found, seconds = None, np.inf
    for _ in range(TIMES):
        began = time.process_time()
        found = run()
        seconds = min(seconds, time.process_time() - began)
    return seconds, found


if __name__ == "__main__":
    main()
