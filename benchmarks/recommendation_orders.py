"""How orders of methods fare on left-out data sets in made-up worlds.

    python benchmarks/recommendation_orders.py [--worlds 100] [--seed 0]

In each world 60 methods of three families are judged on seven data sets. Printed is, by kind of
world, the mean regret of each way of `rankwise recommend --check`, in percent of the best value,
and the largest standard error of these means. The same seed prints the same table.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.experiments.recommending.evidence import MethodEvidence
from rankwise.experiments.recommending.recommendation_check import check_evidence

Table = NDArray[np.float64]
METHODS, DATASETS = 60, 7
FAMILIES = ("pointwise", "pairwise", "listwise")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("| way | " + " | ".join(WORLDS) + " |")
    print("|---|" + "---:|" * len(WORLDS))
    columns = [measure_regrets(make, given.worlds, given.seed) for make in WORLDS.values()]
    for way in columns[0]:
        print(f"| {way} | " + " | ".join(f"{one[way][0]:.2f}" for one in columns) + " |")
    errors = [max(error for _, error in one.values()) for one in columns]
    print("| (standard error) | " + " | ".join(f"{one:.2f}" for one in errors) + " |")


def measure_regrets(
    make: Callable[[np.random.Generator, Table], Table], worlds: int, seed: int
) -> dict[str, tuple[float, float]]:
    """The mean regret of every way over worlds of a kind in percent, and its standard error."""
    found: dict[str, list[float]] = {}
    for number in range(worlds):
        rng = np.random.default_rng([seed, number])
        sizes = draw_sizes(rng, DATASETS)
        values = 0.45 + make(rng, np.log10(sizes[:, 0]))
        for way in check_evidence(make_evidence(values, sizes, rng)).ways:
            found.setdefault(way.way, []).append(100 * way.mean)
    return {
        way: (float(np.mean(one)), float(np.std(one, ddof=1)) / math.sqrt(len(one)))
        for way, one in found.items()
    }


def draw_sizes(rng: np.random.Generator, datasets: int) -> Table:
    """Documents and features of so many data sets."""
    return np.column_stack(
        [10 ** rng.uniform(3.5, 5.5, datasets), 10 ** rng.uniform(1.5, 2.2, datasets)]
    )


def make_evidence(values: Table, sizes: Table, rng: np.random.Generator) -> MethodEvidence:
    """The evidence of a table of values (data sets, methods)."""
    datasets, methods = values.shape
    best = values.max(axis=1, keepdims=True)
    names = ("lambdamart", "ridge-regression", *(f"m{one}" for one in range(2, methods)))
    return MethodEvidence(
        measure="NDCG@10",
        datasets=tuple(f"D{one}" for one in range(datasets)),
        sizes=sizes,
        highest_labels=rng.integers(1, 5, datasets).astype(np.float64),
        methods=names,
        rankers=names,
        families=tuple(FAMILIES[one % 3] for one in range(methods)),
        losses=(best - values) / best,
        failed=np.zeros(values.shape, bool),
        log_seconds=np.zeros(values.shape),
        trainings=np.ones(methods),
    )


def _make_plain(rng: np.random.Generator, size: Table) -> Table:
    """A strength for each method, and what it gains or loses on each data set."""
    return rng.normal(0, 0.015, METHODS) + rng.normal(0, 0.015, (len(size), METHODS))


def _make_families(rng: np.random.Generator, size: Table) -> Table:
    """Families differ, their methods hardly do."""
    families = rng.normal(0, 0.015, 3)[np.arange(METHODS) % 3]
    return families + rng.normal(0, 0.004, METHODS) + rng.normal(0, 0.015, (len(size), METHODS))


def _make_uneven(rng: np.random.Generator, size: Table) -> Table:
    """On one data set, a small one, what methods gain or lose scatters five times as much."""
    scatter = np.where(np.arange(len(size)) == 0, 0.05, 0.01)[:, None]
    return rng.normal(0, 0.015, METHODS) + scatter * rng.normal(size=(len(size), METHODS))


def _make_sized(rng: np.random.Generator, size: Table) -> Table:
    """What a method gains grows or falls with the number of documents."""
    slopes = rng.normal(0, 0.02, METHODS)
    gains: Table = _make_plain(rng, size) + (size - size.mean())[:, None] * slopes
    return gains


WORLDS = {
    "plain": _make_plain,
    "families": _make_families,
    "one data set scatters": _make_uneven,
    "size decides": _make_sized,
}


if __name__ == "__main__":
    main()
