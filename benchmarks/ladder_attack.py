"""What a participant without a better ranker gains by 1,000 adaptive submissions.

    python benchmarks/ladder_attack.py [--data DIR] [--submissions N] [--repeats N] [--figure FILE]

The attacker has the scores of a ridge regression, which every participant can have, and the board.
`climbing` reorders one query in twenty at random and keeps what the board calls better. `averaging`
adds noise to all scores, and in the end all the noise that the board called better than the first
submission (after the boosting attack of Blum and Hardt 2015, section 4). Printed is how much the
last choice gained, in the truth that the attacker never sees, on the public half and on the private
one.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankwise as rw
from rankwise.arena.hidden_data import HiddenTest
from rankwise.arena.ladder import take_step
from rankwise.arena.participation import Half
from rankwise.arena.task_creation import prepare
from rankwise.data.folds import Fold
from rankwise.data.synthetic import make_dataset
from rankwise.measures.evaluation import evaluate_judged

MEASURE = "NDCG@10"
NOISE = 0.2
SHARE = 0.05
BOARDS: dict[str, float | None] = {
    "every figure shown": None,
    "Ladder, 1 standard error (Blum and Hardt)": 1.0,
    "Ladder, 2 standard errors (default)": 2.0,
    "Ladder, 3 standard errors": 3.0,
}

Scores = NDArray[np.float64]
Answer = tuple[bool, float]


class Gain(NamedTuple):
    """What an attack gained on each half, and how often a figure was shown; the course of both."""

    public: float
    private: float
    shown: int
    course: list[tuple[float, float]]


class Board:
    """The public half behind a Ladder, or bare, as one team sees it."""

    def __init__(self, hidden: HiddenTest, errors: float | None) -> None:
        self.hidden, self.errors = hidden, errors
        self.best: Scores | None = None
        self.value = float("nan")
        self.shown = 0

    def submit(self, scores: Scores) -> Answer:
        """Whether the submission is better than all before as far as the board tells, and its
        figure."""
        found = evaluate_judged(self.hidden.judge(scores, "public"), [MEASURE])[MEASURE]
        if self.errors is None:
            better = not found.mean <= self.value
            self.value = found.mean if better else self.value
            self.shown += 1
            return better, found.mean
        step = take_step(found.values, found.mean, self.best, self.value, errors=self.errors)
        if step.shown:
            self.best, self.value, self.shown = found.values, step.value, self.shown + 1
        return step.shown, step.value


def truth(hidden: HiddenTest, scores: Scores) -> tuple[float, float]:
    """The figures that nobody sees."""
    halves: tuple[Half, Half] = ("public", "private")
    public, private = (
        evaluate_judged(hidden.judge(scores, half), [MEASURE])[MEASURE] for half in halves
    )
    return public.mean, private.mean


def climb(
    board: Board,
    start: Scores,
    count: int,
    rng: np.random.Generator,
    note: Callable[[Scores], None],
) -> None:
    """Some queries of the best so far in another order."""
    best = start
    board.submit(best)
    lengths = np.diff(board.hidden.query_offsets)
    for _ in range(count - 1):
        touched = np.repeat(rng.random(len(lengths)) < SHARE, lengths)
        tried = best + touched * rng.standard_normal(len(best))
        if board.submit(tried)[0]:
            best = tried
        note(best)


def average(
    board: Board,
    start: Scores,
    count: int,
    rng: np.random.Generator,
    note: Callable[[Scores], None],
) -> None:
    """The sum of all noise that the board calls better than the first submission."""
    first = board.submit(start)[1]
    total = np.zeros(len(start))
    for _ in range(count - 1):
        noise = rng.standard_normal(len(start))
        _, value = board.submit(start + NOISE * noise)
        # Behind a Ladder the value is that of the best so far, which is no news.
        if value > first:
            total += noise
            if board.errors is not None:
                first = value
        norm = float(np.std(total)) or 1.0
        note(start + NOISE * total / norm)


ATTACKS = {"climbing": climb, "averaging": average}


def attack(
    name: str, hidden: HiddenTest, start: Scores, errors: float | None, count: int, seed: int
) -> Gain:
    """One attack by one attacker."""
    board = Board(hidden, errors)
    before = truth(hidden, start)
    course = [(0.0, 0.0)]
    last = [start]
    every = max(1, count // 20)
    number = [0]

    def note(scores: Scores) -> None:
        last[0], number[0] = scores, number[0] + 1
        if number[0] % every == 0:
            now = truth(hidden, scores)
            course.append((now[0] - before[0], now[1] - before[1]))

    ATTACKS[name](board, start, count, np.random.default_rng(seed), note)
    after = truth(hidden, last[0])
    return Gain(after[0] - before[0], after[1] - before[1], board.shown, course)


def read_data(place: str | None) -> list[Fold]:
    """Folds of a folder, MQ2008 of the shared data, or made-up ones."""
    shared = Path(os.environ.get("RANKWISE_SHARED", "")) / "data/letor4/MQ2008"
    if place or shared.is_dir():
        return rw.read_folds(place or shared)
    return rw.split_folds(rw.normalize(make_dataset(400, seed=3), "query-level"))


def main() -> None:
    """Print a table; write the figure where asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data")
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--figure")
    chosen = parser.parse_args()
    prepared = prepare(read_data(chosen.data), np.random.default_rng(1))
    (fold,) = prepared.folds
    model = rw.fit("ridge-regression", fold.train)
    start = model.score(fold.test)
    start = (start - start.mean()) / start.std()
    public, private = truth(prepared.hidden, start)
    halves = int(prepared.hidden.public.sum()), int((~prepared.hidden.public).sum())
    print(f"{halves[0]} public and {halves[1]} private queries, {MEASURE} of ridge regression")
    print(f"{public:.4f} public, {private:.4f} private; {chosen.submissions} submissions, mean of")
    print(f"{chosen.repeats} attackers (smallest to largest)\n")
    courses: dict[tuple[str, str], list[list[tuple[float, float]]]] = {}
    print(
        "| attack | board | gain, public | gain, private | figures shown |\n|---|---|---|---|---|"
    )
    for name in ATTACKS:
        for board, errors in BOARDS.items():
            gains = [
                attack(name, prepared.hidden, start, errors, chosen.submissions, seed)
                for seed in range(chosen.repeats)
            ]
            courses[name, board] = [gain.course for gain in gains]
            cells = [_spread([gain.public for gain in gains], "+.4f"),
                     _spread([gain.private for gain in gains], "+.4f"),
                     _spread([float(gain.shown) for gain in gains], ".0f")]  # fmt: skip
            print(f"| {name} | {board} | {' | '.join(cells)} |", flush=True)
    if chosen.figure:
        draw(courses, chosen.submissions, Path(chosen.figure))


def _spread(values: list[float], style: str) -> str:
    mean, low, high = (format(one, style) for one in (np.mean(values), min(values), max(values)))
    return f"{mean} ({low} to {high})"


def draw(
    courses: dict[tuple[str, str], list[list[tuple[float, float]]]], count: int, path: Path
) -> None:
    """Gains by submissions, public and private side by side."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), sharey=True, layout="constrained")
    colours = dict(zip(BOARDS, ("#c0392b", "#d68910", "#2471a3", "#1e8449"), strict=True))
    for axis, half, place in zip(axes, ("public half", "private half"), (0, 1), strict=True):
        for (name, board), own in courses.items():
            if name != "climbing":
                continue
            course = np.array(own)[:, :, place].mean(axis=0)
            axis.plot(np.linspace(0, count, len(course)), course, label=board, color=colours[board])
        axis.axhline(0.0, color="#888888", linewidth=0.8)
        axis.set_title(half)
        axis.set_xlabel("submissions")
    axes[0].set_ylabel(f"gain in {MEASURE}, the truth")
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
