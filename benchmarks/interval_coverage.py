"""How often intervals hold what they claim, and how often tests reject where nothing differs.

    python benchmarks/interval_coverage.py [--quick] [--replicates 2000] [--seed 0]
                                           [--part queries|datasets|estimators]
                                           [--shape normal|skewed|P@1-like|'very skewed']

Samples of n queries, or tables of n data sets, are drawn from known distributions, and every
interval and test of `rankwise significance` and `rankwise compare` is asked about each of them, by
the functions that the commands call. Printed are the tables of docs/significance.md and
docs/comparison.md: the share of intervals that cover the truth, and the share of tests with
p < .05 where there is no difference. A number in parentheses is of cases that bear a warning; where
some do and some do not, the number is of those without. The last lines name every cell in which an
interval without a warning covers less than 90 %, which is what the limits of
`rankwise.comparison.significance_tests.procedure` and `rankwise.comparison.resampling` are
chosen by. The same seed prints the same tables.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.estimators import ESTIMATORS, rank_by
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.rank_tests import friedman_test
from rankwise.comparison.resampling import (
    NWN_INTERVALS,
    measure_spread,
    resample_datasets,
    warn_of_method,
)
from rankwise.comparison.significance_tests import confidence_interval, pair
from rankwise.comparison.significance_tests.intervals import INTERVALS
from rankwise.comparison.significance_tests.procedure import TESTS, Procedure, describe_reliability
from rankwise.comparison.strengths import fit_bradley_terry
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

Floats = NDArray[np.float64]

SIZES = (2, 3, 5, 10, 20, 50)
HOLES = (0.0, 0.4)
RESAMPLES = 999
DRAWS = 200
LEAST_COVERAGE = 0.9
LEAST_SHARE = 0.05
"""Where fewer of the cases bear no warning, the number is of those that bear one."""

USUAL_SHAPES = ("normal", "skewed", "P@1-like")
METHODS = (5, 10)
VERSIONS = 3
VERSION_NOISE = 0.2


@dataclass
class Tally:
    """Hits among cases, apart for cases with and without a warning."""

    hits: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})
    cases: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})

    def add(self, hit: bool, warned: bool = False) -> None:
        """Count one case."""
        self.hits[warned] += hit
        self.cases[warned] += 1

    @property
    def warned(self) -> bool:
        """Whether the share to show is that of cases with a warning."""
        return self.cases[False] < LEAST_SHARE * sum(self.cases.values())

    def share(self) -> float | None:
        """The share of hits, of cases without a warning where there are enough."""
        cases = self.cases[self.warned]
        return self.hits[self.warned] / cases if cases else None

    def shown(self) -> str:
        """The share with two decimals, in parentheses where it bears a warning."""
        share = self.share()
        if share is None:
            return "–"
        text = f"{share:.2f}"
        return f"({text})" if self.warned else text


Tallies = dict[tuple[str, str, float, int], Tally]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--quick", action="store_true", help="few replicates of two sizes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=("queries", "datasets", "estimators"), action="append")
    parser.add_argument("--shape", choices=SHAPES, action="append", help="of queries' differences")
    options = parser.parse_args()
    sizes = (3, 10) if options.quick else SIZES
    replicates = 20 if options.quick else options.replicates
    for name in options.part or ("queries", "datasets"):
        if name == "queries":
            report_queries(sizes, replicates, options.seed, options.shape or USUAL_SHAPES)
        elif name == "estimators":
            report_estimators(sizes, replicates, options.seed)
        else:
            report_datasets(sizes, replicates, options.seed)


def report_queries(
    sizes: tuple[int, ...], replicates: int, seed: int, shapes: Iterable[str]
) -> None:
    """Print coverage of the mean difference and sizes of paired tests."""
    covered, rejected = measure_queries(sizes, replicates, seed, shapes)
    print_table("Coverage of 95 % intervals of the mean difference", covered, sizes, "queries")
    print_table("Size of paired tests at .05", rejected, sizes, "queries")
    print_failures(covered)


def measure_queries(
    sizes: tuple[int, ...], replicates: int, seed: int, shapes: Iterable[str] = USUAL_SHAPES
) -> tuple[Tallies, Tallies]:
    """Coverage by interval and rejections by test, for each shape, share of holes and size."""
    covered: Tallies = {}
    rejected: Tallies = {}
    generator = np.random.default_rng(seed)
    for shape in shapes:
        draw, mean, null = SHAPES[shape]
        for holes in HOLES:
            for size in sizes:
                for number in range(replicates):
                    sample = with_holes(draw(generator, size), holes, generator)
                    if sample is not None:
                        _try_intervals(covered, (shape, holes, size), sample, mean, number)
                    sample = with_holes(null(generator, size), holes, generator)
                    if sample is not None:
                        _try_tests(rejected, (shape, holes, size), sample, number)
    return covered, rejected


def with_holes(sample: Floats, holes: float, generator: np.random.Generator) -> Floats | None:
    """The differences of queries that have figures; None where fewer than two are left."""
    there = generator.random(len(sample)) >= holes
    if there.sum() < 2:
        return None
    figures = np.where(there, sample, np.nan)
    return pair(np.where(there, 0.0, np.nan), figures).differences


def _try_intervals(
    covered: Tallies, where: tuple[str, float, int], sample: Floats, mean: float, seed: int
) -> None:
    for kind in INTERVALS:
        found = confidence_interval(sample, kind, samples=RESAMPLES, seed=seed)
        if not np.isnan(found.low):
            warned = bool(describe_reliability(sample, found, "t"))
            hit = found.low - 1e-12 <= mean <= found.high + 1e-12
            covered.setdefault((kind, *where), Tally()).add(hit, warned)


def _try_tests(rejected: Tallies, where: tuple[str, float, int], sample: Floats, seed: int) -> None:
    for name, test in TESTS.items():
        if where[0].endswith("skewed") and name in ("wilcoxon", "sign"):
            continue  # Their hypothesis is about the median, which is not 0 where the mean is.
        found = test(sample, Procedure(test=name, samples=RESAMPLES, seed=seed))
        rejected.setdefault((name, *where), Tally()).add(found.p_value < 0.05)


def _few_values(chances: tuple[float, float, float]) -> Callable[..., Floats]:
    values = np.array([-1.0, 0.0, 1.0])
    return lambda generator, size: generator.choice(values, p=chances, size=size)


Draw = Callable[[np.random.Generator, int], Floats]
SHAPES: dict[str, tuple[Draw, float, Draw]] = {
    # How differences are drawn, their mean, and how they are drawn where nothing differs.
    "normal": (
        lambda generator, size: generator.normal(0.05, 0.2, size),
        0.05,
        lambda generator, size: generator.normal(0.0, 0.2, size),
    ),
    "skewed": (
        lambda generator, size: generator.exponential(0.2, size) - 0.15,
        0.05,
        lambda generator, size: generator.exponential(0.2, size) - 0.2,
    ),
    "P@1-like": (_few_values((0.1, 0.7, 0.2)), 0.1, _few_values((0.15, 0.7, 0.15))),
    "very skewed": (
        lambda generator, size: generator.lognormal(0.0, 1.0, size),
        math.exp(0.5),
        lambda generator, size: generator.lognormal(0.0, 1.0, size) - math.exp(0.5),
    ),
}


def report_datasets(sizes: tuple[int, ...], replicates: int, seed: int) -> None:
    """Print coverage of NWN and sizes of Friedman's and Nemenyi's tests."""
    replicates = max(replicates // 10, 1)
    covered: Tallies = {}
    rejected: Tallies = {}
    for methods in METHODS:
        _try_tables(covered, rejected, methods, sizes, replicates, seed)
    print_table("Coverage of 95 % intervals of NWN", covered, sizes, "data sets")
    print_table("Size of tests over data sets at .05", rejected, sizes, "data sets")
    print_failures(covered)


def _try_tables(
    covered: Tallies,
    rejected: Tallies,
    methods: int,
    sizes: tuple[int, ...],
    replicates: int,
    seed: int,
) -> None:
    generator = np.random.default_rng((seed, methods))
    plain = [(holes, 1) for holes in HOLES]
    kinds = [*plain, (0.0, VERSIONS)] if methods == METHODS[-1] else plain
    for shape, (holes, versions), size in product(VALUES, kinds, sizes):
        named = f"{shape}, {methods} methods" + (f", {versions} versions" if versions > 1 else "")
        where = (named, holes, size)
        asked = (shape, methods, size, holes, generator)
        for number in range(replicates):
            made = make_comparison(*asked, versions=versions)
            if made is not None:
                try_numbers(covered, where, made, true_numbers(shape, methods, holes), number)
                try_strengths(covered, where, made, true_strengths(shape, methods, holes))
            null = make_comparison(*asked, versions=versions, alike=True)
            if null is not None:
                _try_ranks(rejected, where, null)


def try_numbers(
    covered: Tallies,
    where: tuple[str, float, int],
    comparison: Comparison,
    truth: dict[str, float],
    seed: int,
) -> None:
    """Ask every interval of NWN whether it holds the truth, method by method."""
    for kind in NWN_INTERVALS:
        draws = DRAWS if kind == "percentile" else 1
        for one in resample_datasets(comparison, draws, seed, interval=kind).intervals:
            if one.lower is not None and one.upper is not None:
                hit = one.lower - 1e-12 <= truth[one.method] <= one.upper + 1e-12
                covered.setdefault((kind, *where), Tally()).add(hit, one.warning is not None)
    spread = measure_spread(comparison)
    if spread is None:
        return
    for row in comparison.rows:
        number = comparison.cells.methods.index(row.method)
        reach = spread.half_widths(0.95)[number]
        if not np.isnan(reach):
            hit = abs(row.nwn - truth[row.method]) <= reach + 1e-12
            warning = warn_of_method(int(spread.datasets[number]), "spread", spread)
            covered.setdefault(("place", *where), Tally()).add(hit, warning is not None)


def try_strengths(
    covered: Tallies,
    where: tuple[str, float, int],
    comparison: Comparison,
    truth: dict[str, float],
) -> None:
    """Ask 1.96 standard errors of Bradley-Terry strengths, which are said to be too small."""
    for one in fit_bradley_terry(comparison).strengths:
        if one.standard_error is not None:
            hit = abs(one.strength - truth[one.method]) <= 1.96 * one.standard_error
            covered.setdefault(("strengths", *where), Tally()).add(hit, warned=True)


def report_estimators(sizes: tuple[int, ...], replicates: int, seed: int) -> None:
    """Print coverage of the intervals of all estimators that methods can be ranked by."""
    covered: Tallies = {}
    kinds = ((0.0, 1), (HOLES[-1], 1), (0.0, VERSIONS))
    for methods in METHODS:
        generator = np.random.default_rng((seed, methods))
        for shape, (holes, versions), size in product((*VALUES, UNEQUAL), kinds, sizes):
            several = f", {versions} versions" if versions > 1 else ""
            where = (f"{shape}, {methods} methods{several}", holes, size)
            for _ in range(max(replicates // 10, 1)):
                made = make_comparison(shape, methods, size, holes, generator, versions=versions)
                if made is not None:
                    try_estimators(covered, where, made, true_scores(shape, methods, holes))
    print_table("Coverage of 95 % intervals of estimators", covered, sizes, "data sets")
    print_failures(covered)


def try_estimators(
    covered: Tallies,
    where: tuple[str, float, int],
    comparison: Comparison,
    truth: dict[str, dict[str, float]],
) -> None:
    """Ask every estimator's intervals whether they hold its scores over very many data sets."""
    for name, estimator in ESTIMATORS.items():
        rows = rank_by(comparison, name).rows
        # Relative scores have the mean 0 over the methods there are.
        shift = np.mean([truth[name][one.method] for one in rows]) if estimator.relative else 0.0
        for one in rows:
            if one.lower is not None and one.upper is not None:
                hit = one.lower - 1e-12 <= truth[name][one.method] - shift <= one.upper + 1e-12
                covered.setdefault((name, *where), Tally()).add(hit, one.warning is not None)


def _try_ranks(rejected: Tallies, where: tuple[str, float, int], null: Comparison) -> None:
    try:
        found = friedman_test(null, "MAP")
    except RankwiseError:
        return  # Too few data sets without holes: refused with a sentence.
    small = {"Friedman": found.p_value, "Iman-Davenport": found.iman_davenport_p_value}
    for name, p_value in small.items():
        rejected.setdefault((name, *where), Tally()).add(p_value < 0.05)
    apart = found.average_ranks[-1] - found.average_ranks[0] >= found.critical_difference
    rejected.setdefault(("Nemenyi", *where), Tally()).add(apart)


VALUES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Floats]] = {
    "normal": lambda generator, shape: generator.normal(0.0, 1.0, shape),
    "skewed": lambda generator, shape: generator.exponential(1.0, shape),
    "P@1-like": lambda generator, shape: generator.normal(0.0, 1.0, shape),
}


UNEQUAL = "unequal scales"
"""Normal values that scatter on some data sets more than on others, for estimators only."""
SCALES = (0.3, 1.0, 3.0)


def make_values(
    shape: str,
    methods: int,
    datasets: int,
    holes: float,
    generator: np.random.Generator,
    alike: bool = False,
) -> Floats:
    """Values (methods, data sets): quality from -1 to 1 and noise; NaN where there is a hole."""
    quality = np.zeros(methods) if alike else np.linspace(-1.0, 1.0, methods)
    draw = VALUES["normal" if shape == UNEQUAL else shape]
    values = quality[:, np.newaxis] + draw(generator, (methods, datasets))
    if shape == UNEQUAL:
        values = values * generator.choice(SCALES, datasets)
    return np.where(generator.random(values.shape) < holes, np.nan, values)


def make_comparison(
    shape: str,
    methods: int,
    datasets: int,
    holes: float,
    generator: np.random.Generator,
    *,
    versions: int = 1,
    alike: bool = False,
) -> Comparison | None:
    """The comparison of a table of such values; None where no two methods meet."""
    values = make_values(shape, methods, datasets, holes, generator, alike)
    rows = [
        (method, dataset, version, value)
        for version in range(versions)
        for method, row in enumerate(_in_version(values, version, generator))
        for dataset, value in enumerate(_rounded(row, shape).tolist())
        if not np.isnan(value)
    ]
    table = ResultTable.from_columns(
        ["made"] * len(rows),
        [f"d{d}, v{v}" if versions > 1 else f"d{d}" for _, d, v, _ in rows],
        [f"m{m}" for m, _, _, _ in rows],
        ["MAP"] * len(rows),
        [value for *_, value in rows],
        version=[f"v{v}" for _, _, v, _ in rows] if versions > 1 else None,
    )
    try:
        return compare_table(table)
    except RankwiseError:
        return None


def _in_version(values: Floats, version: int, generator: np.random.Generator) -> Floats:
    """The values on another version of the same data sets: nearly the same."""
    return values + generator.normal(0.0, VERSION_NOISE, values.shape) if version else values


def _rounded(values: Floats, shape: str) -> Floats:
    """P@1-like values are few, so that many methods are level."""
    return np.round(values) if shape == "P@1-like" else values


@cache
def make_truth(shape: str, methods: int, holes: float, datasets: int = 3000) -> Comparison:
    """The comparison over very many data sets."""
    generator = np.random.default_rng((methods, round(10 * holes), len(shape)))
    made = make_comparison(shape, methods, datasets, holes, generator)
    if made is None:
        raise RuntimeError("there must be results to compare")
    return made


@cache
def true_numbers(shape: str, methods: int, holes: float) -> dict[str, float]:
    """The NWN of each method over very many data sets."""
    return {row.method: row.nwn for row in make_truth(shape, methods, holes).rows}


@cache
def true_strengths(shape: str, methods: int, holes: float) -> dict[str, float]:
    """The log-strength of each method over very many data sets."""
    return fit_bradley_terry(make_truth(shape, methods, holes)).by_method()


@cache
def true_scores(shape: str, methods: int, holes: float) -> dict[str, dict[str, float]]:
    """The score of each method over many data sets, by estimator."""
    made = make_truth(shape, methods, holes, 600)
    return {
        name: {one.method: one.score for one in rank_by(made, name).rows} for name in ESTIMATORS
    }


def print_table(title: str, tallies: Tallies, sizes: Iterable[int], of: str) -> None:
    """One line for each interval or test and kind of data, one column for each size."""
    print(f"\n{title}, by number of {of}\n")
    print(f"| | {of} | " + " | ".join(str(size) for size in sizes) + " |")
    print("|---|---|" + "---:|" * len(list(sizes)))
    for name, shape, holes in _lines(tallies):
        cells = [tallies.get((name, shape, holes, size), Tally()).shown() for size in sizes]
        data = f"{shape}, {holes:.0%} holes" if holes else shape
        print(f"| `{name}` | {data} | " + " | ".join(cells) + " |")


def _lines(tallies: Tallies) -> Iterator[tuple[str, str, float]]:
    names = dict.fromkeys(name for name, *_ in tallies)
    for name in names:
        yield from dict.fromkeys(key[:3] for key in tallies if key[0] == name)


def print_failures(tallies: Tallies) -> None:
    """Name what covers less than it should without a warning, but for the luck of the draw."""
    failures = []
    for (name, shape, holes, size), tally in tallies.items():
        share, cases = tally.share(), tally.cases[False]
        if share is None or tally.warned:
            continue
        if share < LEAST_COVERAGE - 2.0 * np.sqrt(LEAST_COVERAGE * (1 - LEAST_COVERAGE) / cases):
            failures.append(f"{name}, {shape}, {holes:.0%} holes, {size}: {share:.3f} of {cases}")
    print("\nBelow 90 % without a warning: " + ("; ".join(failures) or "none"))


if __name__ == "__main__":
    main()
