"""Does `place` find a better method better, and an equal one not, at the level it states?

    python benchmarks/place_dense.py [--table rankwise_dense] [--method LambdaMART] [--gain 0.05]
                                     [--measure MAP] [--seeds 100] [--level 0.05]

Made-up methods are placed among those of a dense table, by the function that the command calls, one
of each kind for every seed:

    equal   on every query the value x of a method of the table plus s · (y - x), where y is the
            value of one of the ten methods that are nearest in mean on the data set, drawn anew for
            every seed, and s is -1 or 1 by a fair coin: its differences from that method are as
            large as those of its neighbours, and as likely to one side as to the other
    better  the same plus a gain on every query

Without `--method` the one with the highest mean over data sets is taken. Printed is how often each
was found better than, worse than and not separable from it, and how often better than all.
Exit code 1 where the equal one was found different more often than the level allows: more than the
99 % quantile of a binomial distribution of that level.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from rankwise.comparison.comparing import find_dense
from rankwise.comparison.paired_comparisons import Verdicts
from rankwise.comparison.placement import place
from rankwise.errors import RankwiseError
from rankwise.results.benchmark_runs import QUERY_TOOL, DenseQueries, DenseTable
from rankwise.results.result_table import ResultTable

KINDS = ("equal", "better")
NEIGHBOURS = 10


@dataclass
class Counts:
    """Findings about a made-up method against the one that it is made of, and against all."""

    findings: Counter[str] = field(default_factory=Counter)
    better_than_all: int = 0

    def add(self, found: Verdicts, method: str) -> None:
        self.findings[found[method].finding] += 1
        self.better_than_all += found.better_than_all


def main() -> None:
    options = _parse()
    table = find_dense(options.table)
    if table is None:
        raise RankwiseError(f"{options.table} must be a dense table, or the folder of one")
    method = options.method or find_best(table, options.measure)
    counts = place_made_methods(
        table, method, options.measure, options.gain, options.seeds, options.level
    )
    print(f"made of {method}, {options.measure}, {len(table.queries)} data sets, {options.seeds}")
    print(f"seeds, gain {options.gain:g}, level {options.level:g}")
    for kind, found in counts.items():
        listed = ", ".join(
            f"{what} {found.findings[what]}" for what in ("better", "not separable", "worse")
        )
        print(f"{kind:6}  {listed}; better than all rivals {found.better_than_all}")
    wrong = options.seeds - counts["equal"].findings["not separable"]
    if wrong > find_most(options.seeds, options.level):
        sys.exit(1)


def place_made_methods(
    table: DenseTable, method: str, measure: str, gain: float, seeds: int, level: float = 0.05
) -> dict[str, Counts]:
    """Place both made-up methods with every seed, and count what was found."""
    counts = {kind: Counts() for kind in KINDS}
    for seed in range(seeds):
        for kind in KINDS:
            queries = make_method(table, method, measure, gain if kind == "better" else 0.0, seed)
            found = place(
                tabulate(queries, measure), table, measures=[measure], resamples=1,
                queries=queries, level=level,
            )  # fmt: skip
            counts[kind].add(found.verdicts[0], method)
    return counts


def make_method(
    table: DenseTable, method: str, measure: str, gain: float, seed: int
) -> tuple[DenseQueries, ...]:
    """The values of a made-up method on all queries on which the other one has values."""
    draw = np.random.default_rng(seed)
    made = []
    for one in table.queries:
        if method not in one.methods:
            continue
        values = one.values[measure]
        row = one.methods.index(method)
        means = np.nanmean(values, axis=1)
        # The nearest is the method itself.
        near = np.argsort(np.abs(means - means[row]), kind="stable")[1 : NEIGHBOURS + 1]
        distance = values[draw.choice(near)] - values[row]
        signs = draw.choice((-1.0, 1.0), size=distance.shape)
        own = values[row] + signs * distance + gain
        made.append(replace(one, methods=("made up",), values={measure: own[np.newaxis]}))
    return tuple(made)


def tabulate(queries: tuple[DenseQueries, ...], measure: str) -> ResultTable:
    """The means of a made-up method, as folds are averaged."""
    return ResultTable.from_rows(
        {
            "collection": one.subject.collection, "dataset": one.subject.dataset,
            "version": one.subject.version, "method": "made up", "measure": measure,
            "tool": QUERY_TOOL,
            "value": np.mean([np.nanmean(one.values[measure][0][one.folds == fold])
                              for fold in np.unique(one.folds)]),
        }
        for one in queries
    )  # fmt: skip


def find_best(table: DenseTable, measure: str) -> str:
    """The method with the highest mean over the data sets, of those that have all of them."""
    everywhere = reduce(set.intersection, (set(one.methods) for one in table.queries))
    means = {
        name: np.mean([
            np.nanmean(one.values[measure][one.methods.index(name)]) for one in table.queries
        ])
        for name in sorted(everywhere)
    }  # fmt: skip
    return max(means, key=means.__getitem__)


def find_most(seeds: int, level: float) -> int:
    """The 99 % quantile of the number of wrong findings where each has the probability `level`."""
    from scipy.stats import binom

    return int(binom.ppf(0.99, seeds, level))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Made-up methods placed among a dense table.")
    parser.add_argument("--table", default="rankwise_dense")
    parser.add_argument("--method")
    parser.add_argument("--measure", default="MAP")
    parser.add_argument("--gain", type=float, default=0.05)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--level", type=float, default=0.05)
    return parser.parse_args()


if __name__ == "__main__":
    main()
