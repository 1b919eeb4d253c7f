"""Training beside RankLib: the same file, rounds and measure; whole commands, time as a ratio.

    RANKWISE_SHARED=… python benchmarks/ranklib.py [--repeat 5] [--measure MAP] [--only 3]

RankBoost (300 rounds, 10 thresholds), AdaRank (500 rounds) and Coordinate Ascent (defaults: 5
restarts, 25 sweeps, tolerance 0.001 on both sides) learn from MQ2008, fold 1, towards one measure
as RankLib has it. Runs take turns, and one before them fills the caches of either. Two ratios are
printed, of medians, of the clock and of the processor:

- whole: `java … -train …` and `rankwise train …` from start to model file, where Python's start and
  numpy's are most of ours;
- training: the same less the command of either that starts, reads the same file and evaluates it
  once (`-test`, `rankwise evaluate`).

Last comes the measure on the training data that each reached, as it prints it: the methods leave
room (order of features, when to stop), so the figures need not be equal.

Needs Java and Debian's libcommons-math3-java, and RankLib in tools/ranklib of the shared folder.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

COMMONS = Path("/usr/share/java/commons-math3.jar")


MODEL, SCORES = "model", "zero.scores"
REACHED = (r"on training data: ([\d.]+)", r"training .*: ([\d.]+)")
"""Where each side says what it reached."""


@dataclass(frozen=True)
class Side:
    """The commands of one side: to train, and to read and evaluate the same file once."""

    train: list[str]
    evaluate: list[str]


@dataclass(frozen=True)
class Contest:
    """A method, as each side is asked for it."""

    name: str
    ranklib: tuple[str, ...]
    rankwise: tuple[str, ...]


CONTESTS = {
    "2": Contest(
        "RankBoost, 300 rounds",
        ("-round", "300", "-tc", "10"),
        ("rankboost", "--set", "rounds=300", "--set", "thresholds=10"),
    ),
    "3": Contest("AdaRank, 500 rounds", ("-round", "500"), ("adarank-map", "--set", "rounds=500")),
    "4": Contest("Coordinate Ascent", (), ("coordinate-ascent",)),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--measure", default="MAP")
    parser.add_argument("--only", choices=CONTESTS, help="the number of RankLib's ranker")
    options = parser.parse_args()
    shared = Path(os.environ.get("RANKWISE_SHARED", ""))
    jar, train = shared / "tools/ranklib/ranklib.jar", shared / "data/letor4/MQ2008/Fold1/train.txt"
    for needed in (jar, train, COMMONS):
        if not needed.is_file():
            sys.exit(f"skipped: {needed} is not there")
    if shutil.which("java") is None:
        sys.exit("skipped: there is no java")
    titles = ("", "time of the", "RankLib", "rankwise", "whole", "training", "trained")
    print(" ".join(f"{title:>{22 if not title else 13}}" for title in titles))
    with tempfile.TemporaryDirectory() as folder:
        rows = len(train.read_bytes().splitlines())
        Path(folder, SCORES).write_text("0\n" * rows)
        for number in [options.only] if options.only else CONTESTS:
            sides = sides_of(number, options.measure, jar, train)
            for clock, cells in enumerate(compared(sides, options.repeat, folder)):
                title = "" if clock else CONTESTS[number].name
                print(f"{title:>22} " + " ".join(f"{cell:>13}" for cell in cells), flush=True)


def sides_of(number: str, measure: str, jar: Path, train: Path) -> tuple[Side, Side]:
    contest = CONTESTS[number]
    java = ["java", "-Xmx2g", "-cp", f"{jar}:{COMMONS}", "ciir.umass.edu.eval.Evaluator"]
    goal = ["-metric2t", measure, "-save", MODEL]
    ours = [sys.executable, "-m", "rankwise"]
    aim = ["--measure", measure, "--tool", "ranklib", "-o", MODEL]
    return (
        Side(
            [*java, "-train", str(train), "-ranker", number, *contest.ranklib, *goal],
            [*java, "-test", str(train), "-metric2T", measure],
        ),
        Side(
            [*ours, "train", str(train), "--ranker", *contest.rankwise, *aim],
            [*ours, "evaluate", str(train), SCORES, "-m", measure, "--tool", "ranklib"],
        ),
    )


def compared(sides: tuple[Side, Side], repeat: int, folder: str) -> list[list[str]]:
    """A row for the clock and one for the processor."""
    whole: list[list[tuple[float, float]]] = [[], []]
    judging: list[list[tuple[float, float]]] = [[], []]
    said = ["", ""]
    for _ in range(repeat + 1):
        for place, side in enumerate(sides):
            said[place] = timed(side.train, folder, whole[place])
            timed(side.evaluate, folder, judging[place])
    found = (re.findall(*pair) for pair in zip(REACHED, said, strict=True))
    trained = " / ".join("".join(figures[-1:]) for figures in found)
    rows = []
    for number, name in enumerate(("clock", "processor")):
        peer, own = (median(runs, number) for runs in whole)
        peer_judging, own_judging = (median(runs, number) for runs in judging)
        training = (peer - peer_judging) / (own - own_judging)
        times = (f"{peer:.2f} s", f"{own:.2f} s", f"{peer / own:.1f} x", f"{training:.1f} x")
        rows.append([name, *times, "" if number else trained])
    return rows


def median(runs: list[tuple[float, float]], number: int) -> float:
    """Of the runs after the first, which fills the caches."""
    return statistics.median(run[number] for run in runs[1:])


def timed(command: list[str], folder: str, times: list[tuple[float, float]]) -> str:
    """Run the command in a folder; what it said."""
    begun, used = time.perf_counter(), processor_seconds()
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    times.append((time.perf_counter() - begun, processor_seconds() - used))
    return done.stdout + done.stderr


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
