"""Scorers that see the whole list, beside LambdaMART: accuracy, training time, cost of a query.

    python benchmarks/context_scorers.py                      # MSLR's sample and fold 1 of OHSUMED
    python benchmarks/context_scorers.py --data mslr --published
    python benchmarks/context_scorers.py --data ohsumed --folds 1 2 3 4 5

The data are found below RANKWISE_SHARED: data/samples/mslr holds two small parts of MSLR-WEB10K's
first fold; of the queries of the one two thirds train and the others validate, the other part
tests. Every ranker has its defaults, rounds are chosen by NDCG@10 on validation, nothing else is
tuned; --published adds the settings of the papers, which were made for much larger data. Figures
are means over the test queries (of all named folds) by the definition; seconds are those of the
processor for one training, and a query's microseconds those of one call for each query of the test
part. So few queries tell methods apart only by large differences: ± is the standard error.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from accuracy import get_fold
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.measures.evaluation import evaluate
from rankwise.models.model import Model
from rankwise.models.serving_cost import measure_cost
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.registry import find_ranker

MEASURES = ("NDCG@5", "NDCG@10", "MAP")
CHOOSES = "NDCG@10"
Settings = dict[str, Any]
RANKERS: list[tuple[str, Settings]] = [
    ("lambdamart", {}),
    ("listnet", {}),
    ("sortnet", {}),
    ("boltzrank-pair", {}),
    ("neuralndcg", {}),
    ("self-attention", {"loss": "listnet"}),
    ("self-attention", {"loss": "neuralndcg"}),
    ("self-attention", {"loss": "ordinal"}),
]
_OF_BOTH_PAPERS: Settings = {
    "learning_rate": 0.001, "decay_after": 50, "epochs": 100, "queries_per_batch": 64,
}  # fmt: skip
PUBLISHED: list[tuple[str, Settings]] = [
    ("self-attention", {"loss": "ordinal", "width": 144, "heads": 2, "blocks": 4, "inner": 512,
                        "dropout": 0.4, **_OF_BOTH_PAPERS}),
    ("self-attention", {"loss": "neuralndcg", "width": 96, "heads": 1, "blocks": 2, "inner": 384,
                        "dropout": 0.1, "output_activation": "tanh", **_OF_BOTH_PAPERS}),
]  # fmt: skip
Parts = tuple[Dataset, Dataset, Dataset]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", nargs="+", choices=("mslr", "ohsumed"),
                        default=["mslr", "ohsumed"])  # fmt: skip
    parser.add_argument("--folds", nargs="+", type=int, default=[1], help="of OHSUMED")
    parser.add_argument("--published", action="store_true", help="the papers' settings too")
    options = parser.parse_args()
    for data in options.data:
        folds = [get_mslr_sample()] if data == "mslr" else list(get_ohsumed(options.folds))
        print_sizes(data, folds)
        for name, settings in RANKERS + (PUBLISHED if options.published else []):
            print_row(name, settings, folds)


def get_mslr_sample() -> Parts:
    folder = Path(os.environ["RANKWISE_SHARED"], "data/samples/mslr")
    judged = read(folder / "mslr_fold1_valid_sample.txt")
    third = judged.n_queries - judged.n_queries // 3
    return (
        judged.select_queries(slice(0, third)),
        judged.select_queries(slice(third, judged.n_queries)),
        read(folder / "mslr_fold1_test_sample.txt"),
    )


def get_ohsumed(numbers: list[int]) -> Iterator[Parts]:
    for number in numbers:
        fold = get_fold("ohsumed", number)
        if fold.validation is not None:
            yield fold.train, fold.validation, fold.test


def print_sizes(data: str, folds: list[Parts]) -> None:
    sizes = (sum(fold[part].n_queries for fold in folds) for part in range(3))
    print(f"\n{data}: {' / '.join(map(str, sizes))} queries to train, validate, test\n")
    print(f"| ranker | {' | '.join(MEASURES)} | ± | seconds | µs a query |")
    print(f"| --- | {'---: | ' * (len(MEASURES) + 3)}")


def print_row(name: str, settings: Settings, folds: list[Parts]) -> None:
    values: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    seconds, costs = [], []
    for train, validation, test in folds:
        begun = time.process_time()
        model = fit(name, settings, train, validation)
        seconds.append(time.process_time() - begun)
        found = evaluate(test, model.score(test), list(MEASURES))
        for measure in MEASURES:
            values[measure] += np.nan_to_num(found[measure].values).tolist()
        costs.append(measure_cost(model, test, targets=[], repeats=1).times[0].query)
    means = " | ".join(f"{np.mean(own):.4f}" for own in values.values())
    chosen = np.array(values[CHOOSES])
    error = chosen.std(ddof=1) / np.sqrt(len(chosen))
    told = " ".join([f"`{name}`", *(f"{key}={value}" for key, value in settings.items())])
    print(f"| {told} | {means} | {error:.4f} | {np.mean(seconds):.1f} | {np.mean(costs):.0f} |",
          flush=True)  # fmt: skip


def fit(name: str, settings: Settings, train: Dataset, validation: Dataset) -> Model:
    ranker = find_ranker(name)
    known = {one.name for one in parameters_of(ranker)}
    chooses = {"selection" if "selection" in known else "measure": CHOOSES}
    own = {key: value for key, value in chooses.items() if key in known}
    return ranker(**{**own, **settings}).fit(train, validation)


if __name__ == "__main__":
    main()
