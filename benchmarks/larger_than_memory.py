"""Data larger than the memory that a process may have: every step under `ulimit -v`.

    python benchmarks/larger_than_memory.py [--limit 2200] [--times 3] [--features 136]

A LETOR text is made in a temporary folder whose features, as doubles, take `times` the limit (in
MB). It is packed, described, normalized, split, used to train LambdaMART and RankSVM-Primal,
scored and evaluated, each by a command in a process of its own whose address space (RLIMIT_AS,
what `ulimit -v` sets) ends at the limit; one thread each. Printed are seconds, the peaks of the
address space and of resident memory, and both peaks as shares of the features.

Then the same work on a smaller data set (`--peer` MB of features) in blocks from its file beside
the same data in memory, by turns in processes without a limit: seconds, peak of resident memory
and their ratios, and whether both gave the same.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

DOCUMENTS = 100
POOL = 20_000
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
COMMAND = r"""
import atexit, json, re, sys, time
begun = time.perf_counter()
def tell(path):
    status = open("/proc/self/status").read()
    peaks = [1024 * int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("VmPeak", "VmHWM")]
    json.dump([time.perf_counter() - begun, *peaks], open(path, "w"))
atexit.register(tell, sys.argv.pop(1))
from rankwise.cli.main import run
run()
"""
JOBS = {
    "describe": "def go(data): return rw.describe(data).as_dict()",
    "normalize": "def go(data): return digest_dataset(rw.normalize(data, 'query-level'))",
    "lambdamart, 10 trees": (
        "ranker = rw.make_ranker('lambdamart', rounds=10)\nimport lightgbm\n"
        "def go(data): return ranker.fit(data).scorer.as_json()"
    ),
    "ranksvm-primal": (
        "ranker = rw.make_ranker('ranksvm-primal', gap=1e-4)\n"
        "ranker.fit(data.select_queries(slice(0, 5)))\n"
        "def go(data): return ranker.fit(data).scorer.as_json()"
    ),
}
PEER = r"""
import hashlib, json, re, sys, time
import rankwise as rw
from rankwise.experiments.digests import digest_dataset
data = rw.read(sys.argv[1])
if sys.argv[2] == "memory":
    data = data.with_features(data.in_file.read())
JOB
begun = time.perf_counter()
found = go(data)
seconds = time.perf_counter() - begun
peak = 1024 * int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1])
digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()
print(json.dumps([seconds, peak, digest]))
"""


class Figures(NamedTuple):
    """What a command took."""

    seconds: float
    address_space: int
    resident: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=2200, help="MB of address space")
    parser.add_argument("--times", type=float, default=3.0, help="features beside the limit")
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--peer", type=int, default=400, help="MB of the smaller data; 0: none")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_limited(folder, options.limit * 10**6, options.times, options.features)
        if options.peer:
            compare(folder, options.peer * 10**6, options.features)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def run_limited(folder: Path, limit: int, times: float, features: int) -> None:
    """Every step on data of so many times the limit."""
    queries = int(times * limit / (8 * features * DOCUMENTS)) + 1
    text, packed = folder / "large.txt", folder / "large.rwd"
    write_text(text, queries, features)
    size = 8 * features * DOCUMENTS * queries
    print(
        f"limit {limit / 1e9:.2f} GB; {queries * DOCUMENTS:,} rows of {features} features, "
        f"{size / 1e9:.2f} GB as doubles ({size / limit:.2f} times the limit), "
        f"{text.stat().st_size / 1e9:.2f} GB of text"
    )
    print(f"{'':28} {'seconds':>8} {'address GB':>11} {'resident GB':>12} {'of the data':>12}")

    def step(name: str, *words: object, and_then: Callable[[], object] = bool) -> None:
        took = run_command(folder, limit, *words)
        share = took.resident / size
        print(
            f"{name:28} {took.seconds:8.1f} {took.address_space / 1e9:11.2f} "
            f"{took.resident / 1e9:12.2f} {share:12.2f}",
            flush=True,
        )
        and_then()

    step("convert text", "data", "convert", text, packed, and_then=text.unlink)
    step("describe", "data", "describe", packed)
    scaled = folder / "scaled.rwd"
    step("normalize", "data", "normalize", packed, scaled, "--to", "query-level",
         and_then=packed.unlink)  # fmt: skip
    for ranker, words in {
        "lambdamart": ("--set", "rounds=5"),
        "ranksvm-primal": ("--set", "gap=0.01"),
    }.items():
        model = folder / f"{ranker}.json"
        step(f"train {ranker}", "train", scaled, "--ranker", ranker, *words, "-o", model)
        scores = folder / f"{ranker}.scores"
        step(f"score {ranker}", "score", model, scaled, "-o", scores)
        step("evaluate", "evaluate", scaled, scores, "-m", "NDCG@10,MAP")
    step("split into 3 parts", "data", "split", scaled, folder / "folds", "--parts", 3)


def write_text(path: Path, queries: int, features: int) -> None:
    """Rows drawn from a pool of some thousand, whose labels follow a few of their features."""
    rng = np.random.default_rng(7)
    values = rng.random((POOL, features)).round(3)
    hidden = values[:, :5].sum(axis=1) + rng.normal(size=POOL)
    labels = np.digitize(hidden, np.quantile(hidden, [0.6, 0.85])).tolist()
    bodies = [
        b" ".join(b"%d:%g" % pair for pair in enumerate(row, 1)) + b"\n" for row in values.tolist()
    ]
    with path.open("wb", buffering=1 << 22) as stream:
        for query in range(queries):
            for row in rng.integers(0, POOL, DOCUMENTS).tolist():
                stream.write(b"%d qid:%d " % (labels[row], query))
                stream.write(bodies[row])


def run_command(folder: Path, limit: int, *words: object) -> Figures:
    """A command of Rankwise in a process that may not have more than `limit` bytes."""
    told = folder / "figures.json"
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, str(told), *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | ALONE | {"TMPDIR": str(folder)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return Figures(*json.loads(told.read_text()))


def compare(folder: Path, size: int, features: int) -> None:
    """The same work from the file in blocks and in memory, three times by turns."""
    import rankwise as rw

    text, packed = folder / "small.txt", folder / "small.rwd"
    write_text(text, size // (8 * features * DOCUMENTS) + 1, features)
    rw.data.convert(text, packed)
    print(f"\n{size / 1e6:,.0f} MB of features, in blocks beside in memory")
    print(f"{'':28} {'seconds':>8} {'in memory':>10} {'ratio':>6} {'MB':>7} {'in memory':>10}")
    for name, job in JOBS.items():
        taken: dict[str, list[list[float]]] = {"file": [], "memory": []}
        digests = set()
        for _ in range(3):
            for where, found in taken.items():
                *figures, digest = run_peer(packed, where, job)
                found.append(figures)
                digests.add(digest)
        ours, peer = (np.median(taken[where], axis=0) for where in ("file", "memory"))
        print(
            f"{name:28} {ours[0]:8.2f} {peer[0]:10.2f} {ours[0] / peer[0]:6.2f} "
            f"{ours[1] / 1e6:7.0f} {peer[1] / 1e6:10.0f}  "
            f"{'the same' if len(digests) == 1 else 'NOT THE SAME'}",
            flush=True,
        )


def run_peer(path: Path, where: str, job: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", PEER.replace("JOB", job), str(path), where],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | ALONE | {"TMPDIR": str(path.parent)},
    )
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
