"""Reading a LETOR file: Rankwise beside scikit-learn, LightGBM and XGBoost, in one run.

    python benchmarks/reading.py [--megabytes 210] [--repeat 3]

Writes a file of random rows (136 features, six decimals) to a temporary folder, reads it with
each library in a process of its own (so that memory and first calls are honest) and prints speed,
the ratio to Rankwise, and peak memory. Peers read to what they train on: scikit-learn to a sparse
matrix, XGBoost to its DMatrix, LightGBM to its Dataset, which includes binning. LightGBM refuses
`qid:`, so it reads the same rows without it, with the query lengths in a side file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FEATURES = 136
READERS = {
    "rankwise": "from rankwise import read\ndef go(): return read(PATH)",
    "scikit-learn": (
        "from sklearn.datasets import load_svmlight_file\n"
        "def go(): return load_svmlight_file(PATH, query_id=True)"
    ),
    "LightGBM": (
        "import lightgbm\n"
        "def go(): return lightgbm.Dataset(PATH, params={'verbosity': -1, 'two_round': False})"
        ".construct()"
    ),
    "XGBoost": (
        "import xgboost\ndef go(): return xgboost.DMatrix(PATH + '?format=libsvm', silent=True)"
    ),
}
PROGRAM = """
import json, os, resource, sys, time
begun = time.perf_counter()
PATH = sys.argv[1]
{setup}
loaded = time.perf_counter()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    result = go()
    times.append(time.perf_counter() - start)
    kept = None
    if {is_rankwise}:
        kept = sum(a.nbytes for a in (result.features, result.labels, result.query_offsets))
    del result
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({{"load": loaded - begun, "times": times, "peak": (peak - before) * 1024,
                  "arrays": kept}}))
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=210)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.txt"
        generate(path, options.megabytes)
        compare(path, options.repeat)
        first_calls(Path(folder))


def generate(path: Path, megabytes: int) -> None:
    rng = np.random.default_rng(7)
    plain = path.with_suffix(".plain")
    query = 0
    with path.open("w") as stream, plain.open("w") as without_queries:
        while path.stat().st_size < megabytes * 1_000_000:
            query += 1
            for row in rng.random((120, FEATURES)):
                values = " ".join(f"{i + 1}:{v:.6f}" for i, v in enumerate(row.tolist()))
                label = rng.integers(5)
                stream.write(f"{label} qid:{query} {values}\n")
                without_queries.write(f"{label} {values}\n")
            stream.flush()
    Path(f"{plain}.query").write_text("120\n" * query)


def compare(path: Path, repeat: int) -> None:
    size = path.stat().st_size
    print(f"file: {size / 1e6:.0f} MB, {FEATURES} features, {os.cpu_count()} cores")
    figures = {name: measure(name, path, repeat) for name in READERS}
    ours = min(figures["rankwise"]["times"])
    print(f"{'reader':14}{'first s':>9}{'best s':>9}{'MB/s':>8}{'rankwise is':>14}{'peak MB':>9}")
    for name, figure in figures.items():
        best = min(figure["times"])
        ratio = f"{best / ours:.1f} x faster" if name != "rankwise" else ""
        print(
            f"{name:14}{figure['times'][0]:9.2f}{best:9.2f}{size / best / 1e6:8.0f}{ratio:>14}"
            f"{figure['peak'] / 1e6:9.0f}"
        )
    arrays = figures["rankwise"]["arrays"]
    beyond = figures["rankwise"]["peak"] - size
    print(
        f"rankwise's peak beyond the file: {beyond / arrays:.2f} x its arrays "
        f"({arrays / 1e6:.0f} MB)"
    )


def measure(name: str, path: Path, repeat: int) -> dict:
    program = PROGRAM.format(setup=READERS[name], is_rankwise=name == "rankwise")
    target = path.with_suffix(".plain") if name == "LightGBM" else path
    repeat = repeat if name != "scikit-learn" else 1
    done = subprocess.run(
        [sys.executable, "-c", program, str(target), str(repeat)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def first_calls(folder: Path) -> None:
    """A fresh process on a 1 MB file: compiling for the first time, and with the cache in place."""
    small = folder / "small.txt"
    generate(small, 1)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    for name in ("first call ever (compiles)", "later call (cached)"):
        begun = time.perf_counter()
        command = [sys.executable, "-c", f"import rankwise; rankwise.read({str(small)!r})"]
        subprocess.run(command, env=environment, check=True)
        print(f"fresh process, 1 MB file, {name}: {time.perf_counter() - begun:.2f} s")


if __name__ == "__main__":
    main()
