"""RankSVM-Primal: time and memory on many rows, and beside liblinear on listed pairs.

    python benchmarks/ranksvm.py [--rows 700000] [--features 136] [--peer-queries 30]

Part one trains on generated data in a process of its own and prints the peak memory as a multiple
of the feature matrix. Part two gives a few queries to scikit-learn's LinearSVC (liblinear, the same
squared hinge on the listed differences of all pairs) and to Rankwise, each in a process of its own,
and prints time, memory and the objective that each reaches: liblinear stops by its own tolerance,
Rankwise by a proven gap. Both trains are the second of their process: nothing is loaded in them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

LENGTH = 120
REGULARIZATION = 0.01
PROGRAM = """
import json, resource, sys, time
import numpy as np
from rankwise.data.dataset import Dataset

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def generated(queries, width):
    # Filled in place, block by block, so that making the data needs no more than the data.
    rng = np.random.default_rng(7)
    features = np.empty((queries * LENGTH, width))
    labels = np.empty(len(features))
    truth = rng.normal(size=width)
    for first in range(0, len(features), 50 * LENGTH):
        block = features[first : first + 50 * LENGTH]
        rng.random(out=block)
        hidden = (block - 0.5) @ truth / np.sqrt(width / 12)
        labels[first : first + 50 * LENGTH] = np.digitize(
            hidden + rng.normal(size=len(block)), (0.5, 1.0, 1.7, 2.5))
    return Dataset.from_arrays(features, labels, group=[LENGTH] * queries)

def ours(data):
    from rankwise.rankers.linear.ranksvm import RankSVMPrimal
    model = RankSVMPrimal(regularization=REGULARIZATION).fit(data)
    return model.facts["objective"], model.facts

def liblinear(data):
    from sklearn.svm import LinearSVC
    left, right = [], []
    for first in data.query_offsets[:-1]:
        labels = data.labels[first : first + LENGTH]
        i, j = np.nonzero(labels[:, None] > labels[None, :])
        left.append(first + i)
        right.append(first + j)
    left, right = np.concatenate(left), np.concatenate(right)
    differences = data.features[left] - data.features[right]
    signs = np.where(np.arange(len(left)) % 2, 1.0, -1.0)
    differences *= signs[:, None]
    machine = LinearSVC(C=1 / (REGULARIZATION * len(left)), fit_intercept=False, dual=False)
    weights = machine.fit(differences, signs).coef_[0]
    short = np.maximum(0.0, 1.0 - signs * (differences @ weights))
    return REGULARIZATION / 2 * weights @ weights + np.mean(short**2), {"pairs": len(left)}

LENGTH, REGULARIZATION = 120, float(sys.argv[4])
solver = {"rankwise": ours, "liblinear": liblinear}[sys.argv[1]]
solver(generated(2, 4))
before = peak()
data = generated(int(sys.argv[2]), int(sys.argv[3]))
held = peak()
begun = time.perf_counter()
objective, facts = solver(data)
print(json.dumps({"seconds": time.perf_counter() - begun, "objective": objective, "facts": facts,
                  "data": data.features.nbytes, "held": held - before, "peak": peak() - before}))
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=700_000)
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--peer-queries", type=int, default=30)
    options = parser.parse_args()
    show_many_rows(run("rankwise", options.rows // LENGTH, options.features), options.features)
    figures = {
        name: run(name, options.peer_queries, options.features)
        for name in ("rankwise", "liblinear")
    }
    show_peers(figures, options)


def run(solver: str, queries: int, features: int) -> dict:
    command = [sys.executable, "-c", PROGRAM, solver, str(queries), str(features)]
    done = subprocess.run(
        [*command, str(REGULARIZATION)], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def show_many_rows(figure: dict, features: int) -> None:
    facts = figure["facts"]
    rows = figure["data"] // (8 * features)
    print(f"{rows:,} rows × {features} features, {facts['pairs']:,} pairs")
    print(f"  {figure['seconds']:.1f} s, {facts['rounds']} Newton steps, gap {facts['gap']:.1e}")
    print(
        f"  data {figure['data'] / 1e6:.0f} MB, peak {figure['peak'] / 1e6:.0f} MB: "
        f"{figure['peak'] / figure['data']:.2f} × the data, the data included"
    )


def show_peers(figures: dict[str, dict], options: argparse.Namespace) -> None:
    pairs = figures["liblinear"]["facts"]["pairs"]
    print(f"{options.peer_queries * LENGTH:,} rows × {options.features} features, {pairs:,} pairs")
    print(f"  {'':12}{'seconds':>9}{'peak MB':>9}  objective")
    for name, figure in figures.items():
        print(
            f"  {name:12}{figure['seconds']:9.2f}{figure['peak'] / 1e6:9.0f}"
            f"  {figure['objective']:.8f}"
        )
    ratio = figures["liblinear"]["seconds"] / figures["rankwise"]["seconds"]
    print(f"  rankwise is {ratio:.1f} x faster than liblinear with listed pairs")


if __name__ == "__main__":
    main()
