"""Train every ranker on one fold, and write digests of its scores and facts: do bits stay?

    python build_tools/fingerprints.py MQ2008/Fold1 OHSUMED/Fold1 -o before
    python build_tools/fingerprints.py MQ2008/Fold1 OHSUMED/Fold1 -o after --compare before

A folder holds train.txt, vali.txt and test.txt. Each training runs in a process of its own; what
the output folder has already is not trained again. `--compare` prints what differs, with the
largest relative difference of scores.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

PARTS = ("train.txt", "vali.txt", "test.txt")


def train(ranker: str, folder: Path, target: Path) -> None:
    """Train one ranker with its defaults, and write its scores, facts and times."""
    import rankwise as rw

    data, validation, test = (rw.read(folder / name) for name in PARTS)
    seconds = []
    for _ in range(2):
        begin = time.perf_counter()
        model = rw.fit(ranker, data, validation, seed=0)
        seconds.append(time.perf_counter() - begin)
    scores = model.score(test)
    facts = json.dumps(model.facts, sort_keys=True)
    np.save(target.with_suffix(".npy"), scores)
    found = {"scores": hashlib.sha256(scores.tobytes()).hexdigest(), "facts": facts,
             "seconds": seconds}  # fmt: skip
    target.write_text(json.dumps(found))


def compare(before: Path, after: Path) -> int:
    """Print every difference, and return how many there are."""
    differing = 0
    for old in sorted(before.glob("*.json")):
        new = after / old.name
        if not new.exists():
            sys.stdout.write(f"{old.stem}: missing\n")
            differing += 1
            continue
        was, now = json.loads(old.read_text()), json.loads(new.read_text())
        if (was["scores"], was["facts"]) != (now["scores"], now["facts"]):
            differing += 1
            one, other = np.load(old.with_suffix(".npy")), np.load(new.with_suffix(".npy"))
            scale = np.abs(one).max()
            largest = np.abs(one - other).max() / scale if scale else np.abs(other).max()
            facts = "" if was["facts"] == now["facts"] else f"; {was['facts']} -> {now['facts']}"
            sys.stdout.write(f"{old.stem}: scores differ by {largest:.3g}{facts}\n")
    return differing


def main() -> None:
    """Train what is missing, then compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--compare", type=Path, default=None)
    parser.add_argument("--ranker", default=None, help="only these, by comma")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds of two trainings")
    parser.add_argument("--train", default=None, help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    if given.train is not None:
        train(given.train, given.folders[0], given.output / f"{given.train}-{_name(given)}.json")
        return
    from rankwise.rankers.registry import ranker_names

    rankers = given.ranker.split(",") if given.ranker else ranker_names()
    for folder in given.folders:
        for ranker in rankers:
            target = given.output / f"{ranker}-{folder.parent.parent.name}{folder.parent.name}.json"
            if target.exists():
                continue
            command = [sys.executable, __file__, str(folder), "-o", str(given.output)]
            try:
                subprocess.run([*command, "--train", ranker], check=True, timeout=given.limit,
                               capture_output=True, text=True)  # fmt: skip
                sys.stdout.write(f"{target.stem} {json.loads(target.read_text())['seconds']}\n")
            except subprocess.TimeoutExpired:
                sys.stdout.write(f"{target.stem}: longer than {given.limit:.0f} s\n")
            except subprocess.CalledProcessError as error:
                sys.stdout.write(f"{target.stem}: {error.stderr.splitlines()[-1]}\n")
            sys.stdout.flush()
    if given.compare is not None:
        sys.exit(1 if compare(given.compare, given.output) else 0)


def _name(given: argparse.Namespace) -> str:
    return f"{given.folders[0].parent.parent.name}{given.folders[0].parent.name}"


if __name__ == "__main__":
    main()
