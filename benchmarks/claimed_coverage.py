"""How often what is said of a method holds, where the method is read because of its place.

    python benchmarks/claimed_coverage.py [--quick] [--replicates 200] [--seed 0]
                                          [--part places|erratic|front|next|recommend]

Tables are drawn from known distributions and given to the functions that `rankwise compare`,
`rankwise place` and `rankwise recommend` call. Printed are the tables of docs/comparison.md and
docs/guides/choose-a-ranker.md:

- places: the share of 95 % intervals that hold the truth, of the first method of a table, of its
  first tenth, of the last and of all;
- erratic: the same of one method that scatters three or eight times as much as the others;
- front: how often a method is on the front of very many data sets, by the share of resampled data
  sets in which it is on theirs;
- next: the half-width that is expected after one more data set, over the one that is found then;
- recommend: the loss that is said of the first method and what it is on other data sets, in worlds
  of known truth and on all subsets of the data sets of the dense table, and how often a method
  that is as good as the first is called worse.

A number in parentheses is of cases that bear a warning. The same seed prints the same tables.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from interval_coverage import VALUES, Floats, Tally
from rankwise.comparison.estimators import ESTIMATORS, rank_by
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.placement import place_in_table
from rankwise.comparison.resampling import resample_datasets
from rankwise.errors import RankwiseError
from rankwise.experiments.recommending.evidence import (
    USUAL_ORDER,
    MethodEvidence,
    find_undecided,
    gather_evidence,
)
from rankwise.experiments.recommending.recommendation_check import (
    find_interval,
    keep,
    list_facts,
    make_question,
    try_first,
)
from rankwise.results.benchmark_runs import read_dense
from rankwise.results.result_table import ResultTable
from recommendation_orders import WORLDS, draw_sizes, make_evidence

METHODS = 20
DATASETS = (3, 5, 10, 20)
MANY = 1500
"""Data sets by which the truth is told."""
ESTIMATED = ("nwn", "mean-rank", "bradley-terry")
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
MEASURES = ("NDCG@5", "NDCG@10", "MAP", "P@10")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="few replicates")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=PARTS, action="append")
    given = parser.parse_args()
    for name in given.part or PARTS:
        PARTS[name](2 if given.quick else given.replicates, given.seed)


def compare_values(values: Floats) -> Comparison | None:
    """The comparison of values (methods, data sets), NaN being holes; None where nobody meets."""
    try:
        return compare_table(make_table(values))
    except RankwiseError:
        return None


def make_table(values: Floats) -> ResultTable:
    """A table of values (methods, data sets), NaN being holes."""
    method, dataset = np.nonzero(~np.isnan(values))
    return ResultTable.from_columns(
        ["made"] * len(method),
        [f"d{one}" for one in dataset],
        [f"m{one}" for one in method],
        ["MAP"] * len(method),
        values[method, dataset].tolist(),
    )


class World:
    """Methods of known quality, scatter, and share of data sets that they were tried on."""

    def __init__(self, quality: Floats, shape: str, scatter: Floats, presence: Floats) -> None:
        self.quality, self.shape, self.scatter, self.presence = quality, shape, scatter, presence

    def draw(self, datasets: int, generator: np.random.Generator) -> Floats:
        """Values on so many data sets."""
        noise = VALUES[self.shape](generator, (len(self.quality), datasets))
        values = self.quality[:, None] + self.scatter[:, None] * noise
        values = np.round(values) if self.shape == "P@1-like" else values
        tried = generator.random(values.shape) < self.presence[:, None]
        return np.where(tried, values, np.nan)

    @cache  # noqa: B019 - a handful of worlds, each asked for every replicate
    def truth(self, estimator: str) -> dict[str, float]:
        """The scores of all methods by very many data sets."""
        made = compare_values(self.draw(MANY, np.random.default_rng(5)))
        if made is None:
            raise RuntimeError("there must be results to compare")
        return {one.method: one.score for one in rank_by(made, estimator).rows}


def make_worlds() -> Iterator[tuple[str, World]]:
    """Worlds whose methods are alike or apart, tried everywhere or not, erratic in part or not."""
    for (name, reach), shape, holes, erratic in product(
        (("alike", 0.0), ("near", 0.3), ("apart", 1.0)), ("normal", "P@1-like"), (0.0, 0.4), (1, 3)
    ):
        scatter = np.where(np.arange(METHODS) % 5 == 0, float(erratic), 1.0)
        told = ", 40 % holes" if holes else ""
        told += ", a fifth erratic" if erratic > 1 else ""
        quality = np.linspace(-reach, reach, METHODS)
        yield f"{name}, {shape}{told}", World(quality, shape, scatter, np.full(METHODS, 1 - holes))


def report_places(replicates: int, seed: int) -> None:
    """Coverage of intervals by place."""
    for estimator in ESTIMATED:
        print(f"\nCoverage of 95 % intervals of {estimator} by place, {METHODS} methods\n")
        print("| " + " | ".join(("", *(f"{n} data sets" for n in DATASETS))) + " |")
        print("|---|" + "---|" * len(DATASETS))
        for name, world in make_worlds():
            cells = [
                " ".join(one.shown() for one in try_places(world, estimator, n, replicates, seed))
                for n in DATASETS
            ]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def try_places(
    world: World, estimator: str, datasets: int, replicates: int, seed: int
) -> tuple[Tally, Tally, Tally, Tally]:
    """Of the first method, the first tenth, the last method and all."""
    first, tenth, last, every = (Tally() for _ in range(4))
    truth = world.truth(estimator)
    for number in range(replicates):
        made = compare_values(world.draw(datasets, np.random.default_rng([seed, number, datasets])))
        if made is None:
            continue
        rows = rank_by(made, estimator).rows
        relative = ESTIMATORS[estimator].relative
        shift = float(np.mean([truth[one.method] for one in rows])) if relative else 0.0
        for place, one in enumerate(rows):
            if one.lower is None or one.upper is None:
                continue
            hit = one.lower - 1e-12 <= truth[one.method] - shift <= one.upper + 1e-12
            for tally, told in (
                (first, place == 0),
                (tenth, place < max(1, len(rows) // 10)),
                (last, place == len(rows) - 1),
                (every, True),
            ):
                if told:
                    tally.add(hit, one.warning is not None)
    return first, tenth, last, every


def report_erratic(replicates: int, seed: int) -> None:
    """Coverage of the interval that `rankwise place` gives a method that is more erratic."""
    tried = ((2, 2), (2, 5), (3, 5), (4, 5), (5, 5), (5, 10), (7, 10), (10, 10))
    print(
        "\nCoverage of the 95 % interval of a placed method, by data sets it has of those there\n"
    )
    print("| | " + " | ".join(f"{own} of {all_}" for own, all_ in tried) + " |")
    print("|---|" + "---:|" * len(tried))
    for reach, shape, erratic in product((0.3, 1.0), ("normal", "P@1-like"), (1.0, 3.0, 8.0)):
        quality, scatter = np.linspace(-reach, reach, METHODS), np.full(METHODS, 0.5)
        scatter[METHODS // 2] *= erratic
        world = World(quality, shape, scatter, np.ones(METHODS))
        cells = []
        for own, datasets in tried:
            tally = Tally()
            for number in range(replicates):
                values = world.draw(datasets, np.random.default_rng([seed, number, datasets, own]))
                values[METHODS // 2, own:] = np.nan
                try_placed(tally, values, METHODS // 2, world.truth("nwn"))
            cells.append(tally.shown())
        named = f"quality ±{reach:g}, {shape}, scatters {erratic:g} times as much"
        print(f"| {named} | " + " | ".join(cells) + " |", flush=True)


def try_placed(tally: Tally, values: Floats, which: int, truth: dict[str, float]) -> None:
    """Whether the interval that a placed method gets holds its number."""
    made = compare_values(values)
    name = f"m{which}"
    if made is None or name not in made.by_method:
        return
    found = resample_datasets(made, 1, beforehand=[name]).intervals
    interval = next(one for one in found if one.method == name)
    if interval.lower is not None and interval.upper is not None:
        hit = interval.lower - 1e-12 <= truth[name] <= interval.upper + 1e-12
        tally.add(hit, interval.warning is not None)


def report_front(replicates: int, seed: int) -> None:
    """How often methods are on the front of very many data sets, by what is said of them."""
    print(
        "\nOn the front of very many data sets, by the share of draws in which a method is on it\n"
    )
    edges = [*SHARES, 1.01]
    titles = [f"{low:g} to {min(high, 1):g}" for low, high in zip(SHARES, edges[1:], strict=True)]
    print("| | below 0.05 | " + " | ".join(titles) + " |")
    print("|---|" + "---:|" * (1 + len(titles)))
    for datasets in DATASETS:
        told: list[float] = []
        true: list[bool] = []
        for number in range(max(1, replicates // 4)):
            generator = np.random.default_rng([seed, number, datasets])
            presence = generator.uniform(0.2, 1.0, METHODS)
            quality = generator.normal(0.0, 0.5, METHODS)
            world = World(quality, "normal", np.ones(METHODS), presence)
            made = compare_values(world.draw(datasets, generator))
            many = compare_values(world.draw(MANY, generator))
            if made is None or many is None:
                continue
            front = set(many.front())
            for one in resample_datasets(made, 200, number).intervals:
                if one.front_share is not None:
                    told.append(one.front_share)
                    true.append(one.method in front)
        group = np.digitize(told, edges)
        cells = [
            f"{np.mean(np.array(true)[group == one]):.2f} of {np.sum(group == one)}"
            for one in range(len(edges))
        ]
        print(f"| {datasets} data sets | " + " | ".join(cells) + " |", flush=True)


def report_next(replicates: int, seed: int) -> None:
    """Expected half-widths after one more data set, over those that are found then."""
    replicates = max(1, replicates // 4)
    print("\nExpected half-width after one more data set over the one found, in the mean\n")
    print("| data sets | " + " | ".join(str(one) for one in range(2, 9)) + " |")
    print("|---|" + "---:|" * 7)
    for shape in ("normal", "P@1-like"):
        quality = np.linspace(-1.0, 1.0, METHODS)
        world = World(quality, shape, np.ones(METHODS), np.ones(METHODS))
        cells = []
        for own in range(2, 9):
            expected, found = [], []
            for number in range(replicates):
                generator = np.random.default_rng([seed, number, own])
                values = world.draw(10, generator)
                which = int(generator.integers(METHODS))
                values[which, own + 1 :] = np.nan
                expected.append(
                    place_one(np.where(_hides(values, which, own), np.nan, values), which)[1]
                )
                found.append(place_one(values, which)[0])
            cells.append(f"{np.sum(expected) / np.sum(found):.2f}")
        print(f"| {shape} | " + " | ".join(cells) + " |", flush=True)


def _hides(values: Floats, which: int, dataset: int) -> NDArray[np.bool_]:
    hidden = np.zeros(values.shape, bool)
    hidden[which, dataset] = True
    return hidden


def place_one(values: Floats, which: int) -> tuple[float, float]:
    """The half-width of a method's interval, and the expected one with one more data set."""
    table = make_table(values)
    name = f"m{which}"
    found = place_in_table(table.where(method=name), table.without(method=name), resamples=1)[name]
    then = [one.half_width for one in found.gains if one.half_width is not None]
    return found.half_width or math.nan, then[0] if then else math.nan


def report_recommend(replicates: int, seed: int) -> None:
    """Losses said of the first method, and what they are on other data sets."""
    print("\nThe first method of `rankwise recommend`: said, true, how often the interval holds\n")
    print("| | data sets | chosen beforehand | said | true | holds | one is wrongly told apart |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    worlds = {"alike": _make_alike, **{name: WORLDS[name] for name in _WORLDS}}
    for (name, make), datasets in product(worlds.items(), (3, 5, 7, 10)):
        cases = []
        for number in range(replicates):
            rng = np.random.default_rng([seed, number])
            sizes = draw_sizes(rng, datasets + MANY // 5)
            values = 0.45 + make(rng, np.log10(sizes[:, 0]))
            known = make_evidence(values[:datasets], sizes[:datasets], rng)
            rest = make_evidence(values[datasets:], sizes[datasets:], rng).losses.mean(axis=0)
            truth = np.full(values.shape[1], rest.mean()) if name == "alike" else rest
            cases.append(judge_first(known, truth))
        _print_first(name, datasets, cases)
    table = read_dense()
    for datasets in (3, 4, 5, 6):
        cases = []
        for measure in MEASURES:
            evidence = gather_evidence(table, measure)
            count = len(evidence.datasets)
            for subset in combinations(range(count), datasets):
                others = [one for one in range(count) if one not in subset]
                run = evidence.was_run
                known = run[list(subset)].any(axis=0) & run[others].any(axis=0)
                methods = np.flatnonzero(known)
                rest = np.nanmean(evidence.losses[np.ix_(others, methods)], axis=0)
                few = math.sqrt(1.0 + datasets / len(others))
                taken = keep(evidence, np.array(subset), methods.tolist())
                cases.append(judge_first(taken, rest, few))
        _print_first("all subsets of the dense table", datasets, cases)


_WORLDS = ("plain", "families", "size decides")


def _make_alike(rng: np.random.Generator, size: Floats) -> Floats:
    """Methods that differ by luck alone."""
    return rng.normal(0, 0.015, (len(size), 60))


def judge_first(evidence: MethodEvidence, truth: Floats, few: float = 1.0) -> tuple[float, ...]:
    """Coverage beforehand, said, true, whether it holds, whether one is wrongly told apart.

    An interval of the mean over all data sets is made `few` times as wide where it is held against
    the mean over a few.
    """
    losses = make_question(evidence, list_facts(evidence)[0]).filled()
    ordered = np.argsort(losses.mean(axis=0), kind="stable")
    first = int(ordered[0])
    found = try_first(evidence, ordered.tolist(), USUAL_ORDER)
    before = [
        _holds(find_interval(one), float(one.mean()), true, few)
        for one, true in zip(losses.T[::7], truth[::7], strict=True)
    ]
    apart = ~find_undecided(losses, first)
    return (
        float(np.mean(before)), found.mean, float(truth[first]),
        float(_holds((found.low, found.high), found.mean, float(truth[first]), few)),
        float((apart & (truth <= truth[first])).any()),
    )  # fmt: skip


def _holds(
    interval: tuple[float | None, float | None], mean: float, true: float, few: float
) -> bool:
    low, high = interval
    if low is None or high is None:
        return False
    return mean - few * (mean - low) <= true <= mean + few * (high - mean)


def _print_first(name: str, datasets: int, cases: list[tuple[float, ...]]) -> None:
    shown = [f"{one:.3f}" if place in (1, 2) else f"{one:.2f}"
             for place, one in enumerate(np.mean(cases, axis=0))]  # fmt: skip
    print(f"| {name} | {datasets} | " + " | ".join(shown) + " |", flush=True)


PARTS: dict[str, Callable[[int, int], None]] = {
    "places": report_places,
    "erratic": report_erratic,
    "front": report_front,
    "next": report_next,
    "recommend": report_recommend,
}


if __name__ == "__main__":
    main()
