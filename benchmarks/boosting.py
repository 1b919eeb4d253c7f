"""Boosting: what a round of RankBoost and AdaRank costs as the documents grow.

    python benchmarks/boosting.py [--rounds 80] [--repeat 3]

Four sizes, twice the documents each, made in two ways: more queries of 100 documents, and 100
queries of more documents, where pairs grow with the square of the documents. Beside RankBoost
stands the same round on a list of pairs in numpy (the textbook's way, as no Python library has
RankBoost). Printed are milliseconds of processor time a round, the growth over the size before (2
is linear), how many times the list of pairs is slower, and the slope of log time on log documents
(1 is linear). The cost of a round is the difference between a long and a short training, divided
by the rounds between them, so that preparation does not count; processor time, since rounds run on
one thread and other programs should not count either.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.boosting.adarank import AdaRankMAP
from rankwise.rankers.boosting.rankboost import RankBoost, Thresholds

FEATURES = 46
SIZES = (10_000, 20_000, 40_000, 80_000)
MOST_PAIRS = 8_000_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=80)
    options.add_argument("--repeat", type=int, default=3)
    given = options.parse_args()
    for title, shape in (
        ("more queries of 100 documents", lambda documents: (documents // 100, 100)),
        ("100 queries of more documents", lambda documents: (100, documents // 100)),
    ):
        print(f"\n{title}, {FEATURES} features: processor milliseconds a round (growth)\n")
        print("| documents | pairs | AdaRank-MAP | RankBoost | RankBoost, listed pairs | ratio |")
        print("|---|---|---|---|---|---|")
        _table(shape, given.rounds, given.repeat)


def _table(shape: Callable[[int], tuple[int, int]], rounds: int, repeat: int) -> None:
    before: list[float | None] = [None, None, None]
    history: list[list[float]] = []
    for documents in SIZES:
        dataset = _made(*shape(documents))
        worse, better = _listed_pairs(dataset)
        times = [
            _per_round(lambda n, d=dataset: AdaRankMAP(rounds=n).fit(d), rounds, repeat),
            _per_round(lambda n, d=dataset: RankBoost(rounds=n).fit(d), rounds, repeat),
            _listed(dataset, worse, better, repeat) if len(worse) <= MOST_PAIRS else None,
        ]
        cells = [_cell(now, last) for now, last in zip(times, before, strict=True)]
        ratio = "-" if times[2] is None else f"{times[2] / times[1]:.0f} ×"
        print(f"| {documents:,} | {len(worse):,} | {' | '.join(cells)} | {ratio} |", flush=True)
        before = times
        history.append([found for found in times[:2] if found is not None])
    slopes = np.polyfit(np.log(SIZES), np.log(np.array(history)), 1)[0]
    print(f"\nslopes: AdaRank-MAP {slopes[0]:.2f}, RankBoost {slopes[1]:.2f}", flush=True)


def _cell(now: float | None, last: float | None) -> str:
    if now is None:
        return "-"
    growth = "" if last is None else f" ({now / last:.1f})"
    return f"{1000 * now:.2f}{growth}"


def _made(queries: int, length: int) -> Dataset:
    rng = np.random.default_rng(queries)
    labels = rng.choice(3, size=queries * length, p=(0.8, 0.15, 0.05)).astype(np.float64)
    features = rng.normal(size=(len(labels), FEATURES)) + 0.3 * labels[:, np.newaxis]
    return Dataset.from_arrays(features, labels, group=np.full(queries, length))


def _per_round(train: Callable[[int], object], rounds: int, repeat: int) -> float:
    def least(n: int) -> float:
        return min(_seconds(lambda: train(n)) for _ in range(repeat))

    short = max(1, rounds // 10)
    return max(least(rounds) - least(short), 0.0) / (rounds - short)


def _listed_pairs(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    worse, better = [], []
    for first, last in zip(dataset.query_offsets, dataset.query_offsets[1:], strict=False):
        labels = dataset.labels[first:last]
        low, high = np.nonzero(labels[:, np.newaxis] < labels)
        worse.append(low + first)
        better.append(high + first)
    return np.concatenate(worse), np.concatenate(better)


def _listed(dataset: Dataset, worse: np.ndarray, better: np.ndarray, repeat: int) -> float:
    """One round on the list: pair weights, r of every threshold, the update of the weights."""
    codes = Thresholds.of(dataset.features).codes(dataset.features)
    weights = np.full(len(worse), 1.0 / len(worse))

    def one_round() -> None:
        edges = np.empty((FEATURES, 255))
        for feature in range(FEATURES):
            sums = np.bincount(codes[feature, better], weights, 256)
            sums -= np.bincount(codes[feature, worse], weights, 256)
            edges[feature] = np.cumsum(sums[::-1])[::-1][1:]
        feature, place = np.unravel_index(np.argmax(np.abs(edges)), edges.shape)
        raised = codes[feature] > place
        r = edges[feature, place]
        changed = weights * np.exp(
            0.5 * np.log((1 + r) / (1 - r)) * (raised[worse].astype(float) - raised[better])
        )
        changed /= changed.sum()

    return min(_seconds(one_round) for _ in range(repeat))


def _seconds(run: Callable[[], object]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
