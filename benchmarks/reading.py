"""Reading LETOR text: Rankwise beside scikit-learn, LightGBM, XGBoost and a loop without checks.

    python benchmarks/reading.py [--megabytes 210] [--rounds 5] [--only dense]

Three files of random rows are made in a temporary folder: `dense` (136 features, six decimals),
`sparse` (700 features, one in ten present) and `gzip`, the dense one compressed. Every reader reads
each file in a process of its own, round after round, so that all of them meet the same machine;
medians are printed, with the ratio to Rankwise, and the peak of memory beyond the loaded library.

Peers read to what they train on: scikit-learn to a sparse matrix, XGBoost to its DMatrix, LightGBM
to its Dataset, which includes binning. LightGBM refuses `qid:`, so it reads the same rows without
it, with the query lengths in a side file. `no checks` is `unchecked_reader.c`: the limit.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("unchecked_reader.c")
WIDTHS = {"dense": 136, "sparse": 700, "gzip": 136}
READERS = {
    "rankwise": "from rankwise import read\ndef go(): return read(PATH)",
    "rankwise, 1 thread": "from rankwise import read\ndef go(): return read(PATH, threads=1)",
    "XGBoost": (
        "import xgboost\ndef go(): return xgboost.DMatrix(PATH + '?format=libsvm', silent=True)"
    ),
    "LightGBM": (
        "import lightgbm\n"
        "def go(): return lightgbm.Dataset(PATH, params={'verbosity': -1, 'two_round': False})"
        ".construct()"
    ),
    "scikit-learn": (
        "from sklearn.datasets import load_svmlight_file\n"
        "def go(): return load_svmlight_file(PATH, query_id=True)"
    ),
}
PROGRAM = """
import json, resource, sys, time
PATH = sys.argv[1]
{setup}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begun = time.perf_counter()
result = go()
seconds = time.perf_counter() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kept = 0
if hasattr(result, "query_offsets"):
    features = [result.features] if result.sparse is None else vars(result.sparse).values()
    arrays = [*features, result.labels, result.query_offsets]
    kept = sum(getattr(array, "nbytes", 0) for array in arrays)
print(json.dumps([seconds, (peak - before) * 1024, kept]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=210)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=WIDTHS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unchecked = compile_unchecked(folder)
        for kind in [options.only] if options.only else WIDTHS:
            path = make(folder, kind, options.megabytes)
            compare(kind, path, options.rounds, unchecked)


def compile_unchecked(folder: Path) -> Path | None:
    """The loop without checks; None where there is no compiler."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        print("no C compiler: the loop without checks is left out")
        return None
    program = folder / "unchecked_reader"
    flags = ["-O3", "-D_GNU_SOURCE", "-pthread", "-o"]
    subprocess.run([compiler, *flags, str(program), str(SOURCE)], check=True)
    return program


def make(folder: Path, kind: str, megabytes: int) -> Path:
    path = folder / f"{'sparse' if kind == 'sparse' else 'dense'}.txt"
    if not path.exists():
        generate(path, megabytes, WIDTHS[kind], 0.1 if kind == "sparse" else 1.0)
    if kind != "gzip":
        return path
    packed = path.with_name("dense.txt.gz")
    with path.open("rb") as stream, gzip.open(packed, "wb", 6) as out:
        shutil.copyfileobj(stream, out, 1 << 20)
    return packed


def generate(path: Path, megabytes: int, width: int, share: float) -> None:
    """Random rows, and the same without queries for LightGBM."""
    rng = np.random.default_rng(7)
    query = 0
    plain = path.with_suffix(".plain")
    with path.open("w") as stream, plain.open("w") as without_queries:
        while path.stat().st_size < megabytes * 1_000_000:
            query += 1
            for row in rng.random((120, width)):
                chosen = np.flatnonzero(rng.random(width) < share)
                cells = zip((chosen + 1).tolist(), row[chosen].tolist(), strict=True)
                values = " ".join(f"{index}:{value:.6f}" for index, value in cells)
                label = rng.integers(5)
                stream.write(f"{label} qid:{query} {values}\n")
                without_queries.write(f"{label} {values}\n")
            stream.flush()
    Path(f"{plain}.query").write_text("120\n" * query)


def compare(kind: str, path: Path, rounds: int, unchecked: Path | None) -> None:
    size = path.stat().st_size
    cores = len(os.sched_getaffinity(0))
    print(f"\n{kind}: {size / 1e6:.0f} MB, {WIDTHS[kind]} features, {cores} cores, {rounds} rounds")
    readers = [name for name in READERS if kind != "gzip" or name in ("rankwise", "scikit-learn")]
    figures: dict[str, list[list[float]]] = {}
    for number in range(rounds):
        for name in readers:
            # It takes half a minute a round, and always the same.
            if name != "scikit-learn" or number == 0:
                figures.setdefault(name, []).append(measure(name, path))
        if unchecked is not None and kind != "gzip":
            for threads in {1, cores}:
                name = f"no checks, {threads} thread{'s' if threads > 1 else ''}"
                command = [str(unchecked), str(path), str(WIDTHS[kind]), str(threads)]
                answer = subprocess.run(command, capture_output=True, text=True, check=True)
                figures.setdefault(name, []).append([float(answer.stdout.split()[0]), 0, 0])
        if kind == "gzip":
            figures.setdefault("gzip -dc", []).append([measure_command("gzip", "-dc", path), 0, 0])
    report(size, figures)


def measure(name: str, path: Path) -> list[float]:
    target = path.with_suffix(".plain") if name == "LightGBM" else path
    program = PROGRAM.format(setup=READERS[name])
    done = subprocess.run(
        [sys.executable, "-c", program, str(target)], capture_output=True, text=True, check=True
    )
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_command(*command: object) -> float:
    import time

    begun = time.perf_counter()
    subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def report(size: int, figures: dict[str, list[list[float]]]) -> None:
    medians = {name: statistics.median(row[0] for row in rows) for name, rows in figures.items()}
    ours = medians["rankwise"]
    print(f"{'reader':22}{'median s':>10}{'MB/s':>8}{'time to ours':>14}{'peak MB':>9}")
    for name, seconds in medians.items():
        peak = max(row[1] for row in figures[name]) / 1e6
        print(
            f"{name:22}{seconds:10.3f}{size / seconds / 1e6:8.0f}{seconds / ours:12.2f} x"
            f"{peak:9.0f}"
            if peak
            else f"{name:22}{seconds:10.3f}{size / seconds / 1e6:8.0f}{seconds / ours:12.2f} x"
        )
    arrays = figures["rankwise"][0][2]
    peak = max(row[1] for row in figures["rankwise"])
    print(f"rankwise's peak is {peak / arrays:.2f} x its arrays ({arrays / 1e6:.0f} MB)")


if __name__ == "__main__":
    main()
