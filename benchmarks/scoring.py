"""Scoring with trees beside LightGBM's predict: the same trees and rows, one thread, equal bits.

    python benchmarks/scoring.py [--rows 700000] [--features 136] [--trees 500] [--leaves 31]
                                 [--repeat 5]

LightGBM grows the trees from made data; Rankwise reads them as it does after training. Runs take
turns, so that what else the machine does falls on both alike; the ratio is that of the medians.
The second line scores rows of which one in a thousand values is NULL, which asks for the rules of
missing values in nearly every block of rows.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import lightgbm
import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.trees.lightgbm_training import STEADY_SETTINGS, trees_of_text

GROWN_ON = 20_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=700_000)
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    # Rankwise takes as many threads as the process may run on.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows = np.random.default_rng(0).random((options.rows, options.features))
    booster = grown(rows[:GROWN_ON], options.trees, options.leaves)
    titles = ("rows", "rankwise", "LightGBM", "ratio", "scores")
    print(" ".join(f"{title:>10}" for title in titles))
    print(compared("whole", booster, rows, options.repeat), flush=True)
    rows[np.random.default_rng(1).random(rows.shape) < 0.001] = np.nan
    print(compared("with NULL", booster, rows, options.repeat))


def grown(rows: NDArray[np.float64], trees: int, leaves: int) -> lightgbm.Booster:
    rng = np.random.default_rng(2)
    hidden = rows @ rng.normal(size=rows.shape[1]) + rows[:, 0] * rows[:, 1] * 4.0
    settings = {**STEADY_SETTINGS, "num_leaves": leaves, "learning_rate": 0.05, "num_threads": 1}
    return lightgbm.train(settings, lightgbm.Dataset(rows, hidden), trees)


def compared(name: str, booster: lightgbm.Booster, rows: NDArray[np.float64], repeat: int) -> str:
    trees = trees_of_text(booster.model_to_string(), rows.shape[1])
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(repeat):
        scores = timed(lambda: trees.score(rows), ours)
        predictions = timed(lambda: booster.predict(rows, num_threads=1), theirs)
    equal = "equal" if np.array_equal(scores, predictions) else "DIFFER"
    a, b = statistics.median(ours), statistics.median(theirs)
    return f"{name:>10} {a:8.2f} s {b:8.2f} s {b / a:8.2f} × {equal:>8}"


def timed(work: Callable[[], NDArray[np.float64]], seconds: list[float]) -> NDArray[np.float64]:
    """Processor time: the machine may be shared."""
    begun = time.process_time()
    found = work()
    seconds.append(time.process_time() - begun)
    return found


if __name__ == "__main__":
    main()
