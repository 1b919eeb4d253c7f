"""LambdaMART beside LightGBM called directly: the same data, parameters, trees; time as a ratio.

    python benchmarks/lambdamart.py [--rounds 100] [--repeat 15] [--queries 1000] [--features 136]

Without validation, both grow all rounds. With validation, both grow all rounds and judge each:
Rankwise by its own MAP, LightGBM by its built-in one; then the predictions are compared at the
round that Rankwise chose. Times include LightGBM's binning and, on Rankwise's side, reading the
trees into its own arrays. Runs take turns, first one side and then the other, so that what else
the machine does falls on both alike; printed are the medians of the times, of the clock, and of the
turns' ratios, of the clock and of the processor. Made data have 100 documents a query; with
RANKWISE_SHARED set, OHSUMED and MQ2008 (first fold) are run as well.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.rankers.trees.lambdamart import LambdaMART
from rankwise.rankers.trees.lightgbm_training import common_settings

REAL = {
    "OHSUMED": "data/letor3/OHSUMED/QueryLevelNorm/Fold1",
    "MQ2008": "data/letor4/MQ2008/Fold1",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--features", type=int, default=136)
    options = parser.parse_args()
    ranker = LambdaMART(rounds=options.rounds, patience=options.rounds)
    titles = ("data", "validation", "rankwise", "LightGBM", "clock", "processor", "predictions")
    print(" ".join(f"{title:>11}" for title in titles))
    made = [made_data(options.queries // part, options.features) for part in (1, 4)]
    for name, (train, validation) in {"made": made, **real_data()}.items():
        for judged in (None, validation):
            row = compared(ranker, train, judged, options.repeat)
            cells = (name, "no" if judged is None else "yes", *row)
            print(" ".join(f"{cell:>11}" for cell in cells), flush=True)


def made_data(queries: int, features: int) -> Dataset:
    rng = np.random.default_rng(queries)
    values = rng.random((queries * 100, features))
    hidden = values[:, 0] + values[:, 1] * values[:, 2] + 0.5 * rng.normal(size=len(values))
    labels = np.digitize(hidden, np.quantile(hidden, (0.6, 0.8, 0.9, 0.97)))
    return Dataset.from_arrays(values, labels, group=[100] * queries)


def real_data() -> dict[str, list[Dataset]]:
    shared = os.environ.get("RANKWISE_SHARED")
    if not shared:
        return {}
    return {
        name: [read(Path(shared) / folder / f"{part}.txt") for part in ("train", "vali")]
        for name, folder in REAL.items()
    }


def compared(
    ranker: LambdaMART, train: Dataset, validation: Dataset | None, repeat: int
) -> tuple[str, ...]:
    ours: list[tuple[float, float]] = []
    direct: list[tuple[float, float]] = []
    # The first run of either loads libraries.
    ranker.fit(train.select_queries(slice(0, 5)), validation)
    for turn in range(repeat):
        for side in (0, 1) if turn % 2 else (1, 0):
            if side == 0:
                model = timed(lambda: ranker.fit(train, validation), ours)
            else:
                booster = timed(lambda: called_directly(ranker, train, validation), direct)
    expected = booster.predict(train.features, num_iteration=model.facts["round"])
    same = np.array_equal(model.score(train), expected)
    ratios = np.median(np.array(ours) / np.array(direct), axis=0)
    return (
        *(f"{np.median([clock for clock, _ in times]):.2f} s" for times in (ours, direct)),
        *(f"{ratio:.3f} x" for ratio in ratios),
        "the same" if same else "DIFFERENT",
    )


def timed(run: Callable[[], Any], times: list[tuple[float, float]]) -> Any:
    begun, used = time.perf_counter(), time.process_time()
    result = run()
    times.append((time.perf_counter() - begun, time.process_time() - used))
    return result


def called_directly(
    ranker: LambdaMART, train: Dataset, validation: Dataset | None
) -> lightgbm.Booster:
    settings = common_settings(train) | ranker.settings()
    if validation is not None:
        settings |= {"metric": "map", "eval_at": [int(validation.query_lengths.max())]}
    data = lightgbm.Dataset(train.features, train.labels, group=train.query_lengths)
    judged = []
    if validation is not None:
        lengths = validation.query_lengths
        judged = [data.create_valid(validation.features, validation.labels, group=lengths)]
    return lightgbm.train(settings, data, ranker.rounds, valid_sets=judged)


if __name__ == "__main__":
    main()
