"""Wide and sparse data: Rankwise beside scikit-learn and LightGBM on compressed sparse rows.

    python benchmarks/wide_data.py [--documents 4000] [--features 100000] [--entries 100]

A file of random rows is made in a temporary folder, each with `entries` of the features. It is
read, read and fitted by ridge regression, and read and boosted, by Rankwise and by a peer:
scikit-learn's `load_svmlight_file`, its Ridge on the sparse matrix, LightGBM's lambdarank on it.
Everything runs in a process of its own, by turns, so that all of them meet the same machine.
Medians of the seconds and of the peak of memory beyond the loaded libraries are printed, with their
ratio to the peer's, and how large the same data would be as an array.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

_PEER_READS = (
    "from sklearn.datasets import load_svmlight_file\n"
    "import numpy as np\n"
    "def load():\n"
    "    X, y, qid = load_svmlight_file(PATH, query_id=True)\n"
    "    return X, y, np.unique(qid, return_counts=True)[1]\n"
)
_BOOSTING = "rounds=20, leaves=15"
JOBS = {
    "read": {
        "rankwise": "import rankwise\nrankwise.read\ndef go(): return rankwise.read(PATH)",
        "scikit-learn": _PEER_READS + "def go(): return load()",
    },
    "read and fit ridge": {
        "rankwise": (
            "import rankwise\nranker = rankwise.make_ranker('ridge-regression')\n"
            "def go(): return ranker.fit(rankwise.read(PATH))"
        ),
        "scikit-learn": _PEER_READS
        + (
            "from sklearn.linear_model import Ridge\n"
            "def go():\n"
            "    X, y, _ = load()\n"
            "    return Ridge(alpha=0.1 * len(y), solver='sparse_cg', tol=1e-12).fit(X, y)"
        ),
    },
    "read and boost 20 trees": {
        "rankwise": (
            "import rankwise, lightgbm, scipy.sparse\n"
            f"ranker = rankwise.make_ranker('lambdamart', {_BOOSTING})\n"
            "def go(): return ranker.fit(rankwise.read(PATH))"
        ),
        "LightGBM": _PEER_READS
        + (
            "import lightgbm\n"
            "how = {'objective': 'lambdarank', 'num_leaves': 15, 'verbosity': -1,\n"
            "       'num_threads': 1, 'force_col_wise': True}\n"
            "def go():\n"
            "    X, y, group = load()\n"
            "    return lightgbm.train(how, lightgbm.Dataset(X, y, group=group), 20)"
        ),
    },
}
PROGRAM = r"""
import json, re, sys, time
PATH = sys.argv[1]
def find_peak():
    # Not getrusage, which counts the process that started this one, too.
    return int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1])
{setup}
before = find_peak()
begun = time.perf_counter()
result = go()
seconds = time.perf_counter() - begun
print(json.dumps([seconds, (find_peak() - before) * 1024]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=4000)
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--entries", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "wide.txt"
        generate(path, options.documents, options.features, options.entries)
        array = 8 * options.documents * options.features
        print(f"{path.stat().st_size / 1e6:.1f} MB of text; {array / 1e6:,.0f} MB as an array")
        print(f"{'':24} {'':12} {'seconds':>8} {'ratio':>6} {'MB':>8} {'ratio':>6}")
        for job, programs in JOBS.items():
            compare(job, programs, path, options.rounds)


def generate(path: Path, documents: int, features: int, entries: int) -> None:
    """Random rows, 40 to a query, whose labels follow one in ten of the features."""
    rng = np.random.default_rng(7)
    worth = np.where(rng.random(features) < 0.1, rng.normal(size=features), 0.0)
    with path.open("w") as stream:
        for row in range(documents):
            columns = np.sort(rng.choice(features, entries, replace=False))
            values = rng.random(entries).round(6)
            label = int(np.clip(values @ worth[columns] + 2, 0, 4))
            pairs = zip((columns + 1).tolist(), values.tolist(), strict=True)
            cells = " ".join(f"{index}:{value}" for index, value in pairs)
            stream.write(f"{label} qid:{row // 40} {cells}\n")


def compare(job: str, programs: dict[str, str], path: Path, rounds: int) -> None:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, setup in programs.items():
            found[name].append(measure(setup, path))
    medians = {
        name: [statistics.median(column) for column in zip(*taken, strict=True)]
        for name, taken in found.items()
    }
    *_, peer = medians.values()
    for name, (seconds, peak) in medians.items():
        print(
            f"{job:24} {name:12} {seconds:8.3f} {seconds / peer[0]:6.2f} "
            f"{peak / 1e6:8.1f} {peak / peer[1]:6.2f}"
        )


def measure(setup: str, path: Path) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(setup=setup), str(path)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


if __name__ == "__main__":
    main()
