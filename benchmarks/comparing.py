"""Comparing methods: one sort beside a naive loop over all pairs, over four sizes.

    python benchmarks/comparing.py [--methods 2000] [--datasets 500] [--resamples 200]

Each size is a random table of methods × data sets × 4 measures, 10 % filled, with ties, and runs in
a process of its own so that its peak memory is its own. Sizes halve the number of methods three
times. Printed are seconds of the comparison (winning numbers, ranks and fronts, across measures
and in each), of the bootstrap and of the naive loop (which counts wins across measures and does
nothing else), its ratio to the comparison, microseconds of the comparison per n log2 n of the
n results, which must not grow, and peak memory in all.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections import defaultdict

import numpy as np

from rankwise.comparison.method_ranking import compare_table
from rankwise.comparison.resampling import resample_datasets
from rankwise.results.result_table import ResultTable

MEASURES = ("NDCG@3", "NDCG@5", "NDCG@10", "MAP")
FILLED = 0.1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--methods", type=int, default=2000)
    parser.add_argument("--datasets", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--one", action="store_true", help="run this size only and print JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.methods, options.datasets, options.resamples)))
        return
    titles = ("methods", "results", "compare", "µs/n log n", "bootstrap", "naive", "ratio", "peak")
    print(" ".join(f"{title:>10}" for title in titles))
    for part in (8, 4, 2, 1):
        found = in_own_process(options.methods // part, options.datasets, options.resamples)
        print(" ".join(f"{cell:>10}" for cell in row(found)))


def in_own_process(methods: int, datasets: int, resamples: int) -> dict[str, float]:
    sizes = {"--methods": methods, "--datasets": datasets, "--resamples": resamples}
    arguments = [str(part) for pair in sizes.items() for part in pair]
    command = [sys.executable, __file__, "--one", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def row(found: dict[str, float]) -> list[str]:
    n = found["results"]
    return [
        f"{found['methods']:.0f}",
        f"{n:.0f}",
        f"{found['compare']:.2f} s",
        f"{found['compare'] / (n * math.log2(n)) * 1e6:.3f}",
        f"{found['bootstrap']:.2f} s",
        f"{found['naive']:.2f} s",
        f"{found['naive'] / found['compare']:.1f} x",
        f"{found['peak'] / 1e6:.0f} MB",
    ]


def measured(methods: int, datasets: int, resamples: int) -> dict[str, float]:
    table = random_table(methods, datasets)
    begun = time.perf_counter()
    comparison = compare_table(table)
    compared = time.perf_counter()
    resample_datasets(comparison, resamples)
    resampled = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    rows = list(zip(table.method, table.dataset, table.measure, table.value.tolist(), strict=True))
    started = time.perf_counter()
    wins = naive_winning_numbers(rows)
    looped = time.perf_counter() - started
    if wins != {one.method: one.wn for one in comparison.rows}:
        raise SystemExit("the naive loop and the comparison disagree")
    return {
        "methods": methods,
        "results": len(table),
        "compare": compared - begun,
        "bootstrap": resampled - compared,
        "naive": looped,
        "peak": peak,
    }


def random_table(methods: int, datasets: int) -> ResultTable:
    """Values with three decimals, so that there are ties."""
    generator = np.random.default_rng(0)
    shape = (methods, datasets, len(MEASURES))
    method, dataset, measure = np.nonzero(generator.random(shape) < FILLED)
    return ResultTable.from_columns(
        ["Made"] * len(method),
        [f"data set {code}" for code in dataset],
        [f"method {code}" for code in method],
        [MEASURES[code] for code in measure],
        np.round(generator.random(len(method)), 3),
    )


def naive_winning_numbers(rows: list[tuple[str, str, str, float]]) -> dict[str, int]:
    """Wins by comparing every pair of results of a data set and measure: O(n²) in each."""
    cells: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for method, dataset, measure, value in rows:
        cells[dataset, measure].append((method, value))
    wins: dict[str, int] = defaultdict(int)
    for results in cells.values():
        for method, value in results:
            for _, other in results:
                if value > other:
                    wins[method] += 1
    return dict(wins)


if __name__ == "__main__":
    main()
