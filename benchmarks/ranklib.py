"""Training beside RankLib: the same file, rounds and measure; whole commands, time as a ratio.

    RANKWISE_SHARED=… python benchmarks/ranklib.py [--repeat 5] [--measure MAP] [--only 3]

RankBoost (300 rounds, 10 thresholds), AdaRank (500 rounds) and Coordinate Ascent (defaults: 5
restarts, 25 sweeps, tolerance 0.001 on both sides) learn from MQ2008, fold 1, towards one measure
as RankLib has it. What counts is the time of `java … -train …` and of `rankwise train …` from
start to model file, Python's and Java's own start included; runs take turns, and one before them
fills the caches of either. Printed are the medians of the clock and of the processor, their ratios,
and the measure on the training data that each reached, as it prints it: the methods leave room
(order of features, when to stop), so the figures need not be equal.

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
    titles = ("", "RankLib", "rankwise", "ratio", "RankLib CPU", "rankwise CPU", "ratio", "trained")
    print(" ".join(f"{title:>{22 if not title else 13}}" for title in titles))
    for number in [options.only] if options.only else CONTESTS:
        contest = CONTESTS[number]
        java = ["java", "-Xmx2g", "-cp", f"{jar}:{COMMONS}", "ciir.umass.edu.eval.Evaluator",
                "-train", str(train), "-ranker", number, *contest.ranklib,
                "-metric2t", options.measure, "-save"]  # fmt: skip
        ours = [sys.executable, "-m", "rankwise", "train", str(train), "--ranker",
                *contest.rankwise, "--measure", options.measure, "--tool", "ranklib",
                "-o"]  # fmt: skip
        cells = compared(java, ours, options.repeat)
        print(f"{contest.name:>22} " + " ".join(f"{cell:>13}" for cell in cells), flush=True)


def compared(java: list[str], ours: list[str], repeat: int) -> list[str]:
    peer: list[tuple[float, float]] = []
    own: list[tuple[float, float]] = []
    for _ in range(repeat + 1):
        own_said = timed(ours, own)
        peer_said = timed(java, peer)
    cells = []
    for place in range(2):
        middle = [statistics.median(run[place] for run in runs[1:]) for runs in (peer, own)]
        cells += [f"{seconds:.2f} s" for seconds in middle]
        cells.append(f"{middle[0] / middle[1]:.1f} x")
    reached = re.findall(r"on training data: ([\d.]+)", peer_said)
    trained = re.findall(r"training .*: ([\d.]+)", own_said)
    return [*cells, f"{'/'.join(reached[-1:])} / {'/'.join(trained[-1:])}"]


def timed(command: list[str], times: list[tuple[float, float]]) -> str:
    """Run the command, whose last argument is the model file; what it said."""
    with tempfile.TemporaryDirectory() as folder:
        begun, used = time.perf_counter(), processor_seconds()
        done = subprocess.run(
            [*command, f"{folder}/model"], check=True, capture_output=True, text=True
        )
        times.append((time.perf_counter() - begun, processor_seconds() - used))
    return done.stdout + done.stderr


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
