"""FenchelRank and SparseRank beside liblinear on listed pairs, and how they grow.

    python benchmarks/sparse_rankers.py [--data ohsumed] [--queries 15] [--growth]

Part one gives real training data (RANKWISE_SHARED) to scikit-learn's LinearSVC with an ℓ1 penalty
(liblinear: the same squared hinge on the listed differences of all pairs) and to Rankwise, each in
a process of its own, with the time of listing the pairs counted. The peer solves what SparseRank
does: λ ‖w‖₁ + mean squared hinge. FenchelRank then gets the ball of the radius ‖w‖₁ that the peer
found, in which the peer has the minimum: its loss is shown beside the peer's. With --growth
rows and features of made-up data are doubled, and times printed as ratios: FenchelRank for 100
steps, whose cost is that of rows times features; SparseRank to its gap, whose steps also need the
second derivatives of the features kept, squared in their number. Times are those of the processor:
all solvers have one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

REGULARIZATION = 3e-3
PROGRAM = """
import json, resource, sys, time
import numpy as np
from pathlib import Path
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.rankers.registry import find_ranker

task = json.loads(sys.argv[1])

def made(queries, width):
    rng = np.random.default_rng(7)
    features = rng.random((queries * 100, width))
    hidden = (features[:, : width // 2] - 0.5).sum(axis=1) + rng.normal(size=len(features))
    return Dataset.from_arrays(features, np.digitize(hidden, (0.5, 1.5)), group=[100] * queries)

def data():
    if "file" not in task:
        return made(task["queries"], task["width"])
    found = read(Path(task["file"]))
    return found.select_queries(slice(0, min(task["queries"], found.n_queries)))

def liblinear(found):
    from sklearn.svm import LinearSVC
    left, right = [], []
    for first, last in zip(found.query_offsets[:-1], found.query_offsets[1:]):
        labels = found.labels[first:last]
        i, j = np.nonzero(labels[:, None] > labels[None, :])
        left.append(first + i)
        right.append(first + j)
    left, right = np.concatenate(left), np.concatenate(right)
    differences = found.features[left] - found.features[right]
    signs = np.where(np.arange(len(left)) % 2, 1.0, -1.0)
    differences *= signs[:, None]
    machine = LinearSVC(
        C=1 / (task["regularization"] * len(left)), penalty="l1", dual=False, fit_intercept=False,
        tol=task["tolerance"], max_iter=100_000,
    )
    weights = machine.fit(differences, signs).coef_[0]
    loss = float(np.mean(np.maximum(0.0, 1.0 - signs * (differences @ weights)) ** 2))
    return weights, loss, len(left)

def ours(found):
    model = find_ranker(task["ranker"])(**task["parameters"]).fit(found)
    return model.scorer.weights, model.facts["objective"], model.facts["pairs"]

solve = liblinear if task["ranker"] == "liblinear" else ours
small = made(4, 5)
solve(small)
found = data()
begun = time.process_time()
weights, value, pairs = solve(found)
seconds = time.process_time() - begun
print(json.dumps({
    "seconds": seconds, "value": value, "pairs": pairs, "norm": float(np.abs(weights).sum()),
    "kept": int(np.count_nonzero(weights)), "rows": found.n_documents,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""
FILES = {
    "ohsumed": "data/letor3/OHSUMED/QueryLevelNorm/Fold1/train.txt",
    "mq2008": "data/letor4/MQ2008/Fold1/train.txt",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", choices=list(FILES), default="ohsumed")
    parser.add_argument("--queries", type=int, default=1000, help="of the training part at most")
    parser.add_argument("--growth", action="store_true", help="also how times grow")
    options = parser.parse_args()
    beside_liblinear(options.data, options.queries)
    if options.growth:
        growth()


def beside_liblinear(data: str, queries: int) -> None:
    shared = os.environ.get("RANKWISE_SHARED")
    if not shared:
        raise SystemExit("set RANKWISE_SHARED to the folder that holds data/letor3 and data/letor4")
    where = {"file": f"{shared}/{FILES[data]}", "queries": queries}
    price = {"regularization": REGULARIZATION}
    peer = ran(ranker="liblinear", tolerance=1e-4, **price, **where)
    objective = peer["value"] + REGULARIZATION * peer["norm"]
    sparse = ran(ranker="sparserank", parameters=price, **where)
    fenchel = ran(ranker="fenchelrank", parameters={"radius": peer["norm"]}, **where)
    print(f"{data}: {peer['rows']} documents, {peer['pairs']} pairs, λ = {REGULARIZATION}")
    show("liblinear on listed pairs", peer, objective, peer["seconds"])
    show("sparserank", sparse, sparse["value"], peer["seconds"])
    show("fenchelrank, same ‖w‖₁", fenchel, None, peer["seconds"])
    print(f"  loss of fenchelrank {fenchel['value']:.6f}, of liblinear {peer['value']:.6f}")


def show(name: str, found: dict[str, float], objective: float | None, peer: float) -> None:
    value = "" if objective is None else f", objective {objective:.6f}"
    print(
        f"  {name}: {found['seconds']:.3f} s ({peer / found['seconds']:.1f} times as fast), "
        f"{found['peak'] / 1e6:.0f} MB, {found['kept']} features kept{value}"
    )


def growth() -> None:
    settings = {
        "fenchelrank": {"rounds": 100, "gap": 1e-12},
        "sparserank": {"regularization": 0.01},
    }
    for ranker, parameters in settings.items():
        before = None
        for queries, width in ((50, 20), (100, 20), (200, 20), (200, 40), (200, 80)):
            found = ran(ranker=ranker, parameters=parameters, queries=queries, width=width)
            ratio = "" if before is None else f", {found['seconds'] / before:.2f} times the last"
            size = f"{found['rows']} x {width}, {found['kept']} kept"
            print(f"{ranker}: {size}: {found['seconds']:.3f} s{ratio}", flush=True)
            before = found["seconds"]


def ran(**task: object) -> dict[str, float]:
    command = [sys.executable, "-c", PROGRAM, json.dumps(task)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        raise SystemExit(ended.stderr)
    found: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
