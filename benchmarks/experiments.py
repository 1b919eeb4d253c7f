"""What the runner costs: tasks that do nothing, a large store, and two jobs on one large data set.

    python benchmarks/experiments.py overhead [--tasks 10000]
    python benchmarks/experiments.py show [--values 1000000] [--beside OTHER/src]
    python benchmarks/experiments.py sharing [--gigabytes 1]

Bounds to hold: under 5 ms a trivial task in all, `results show` of a million values per query under
a second, and two jobs on a data set of a gigabyte under 1.3 times the memory of one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import rankwise
from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.synthetic import make_dataset
from rankwise.experiments.configuration import configure
from rankwise.experiments.planning import expand
from rankwise.experiments.resources import TaskLimits
from rankwise.experiments.running.local import LocalEngine
from rankwise.experiments.running.runner import get_scratch_folder, run_plan
from rankwise.experiments.running.shared_data import open_shared_fold
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome


@dataclass(frozen=True)
class Trivial(Ranker):
    """Scores by the first feature; sums all of them first where `passes` says so."""

    name: ClassVar[str] = "trivial"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "none"

    passes: int = parameter(0, "how often to go through the data")

    def _learn(self, training: Training) -> Learned[Linear]:
        for _ in range(self.passes):
            for start in range(0, training.train.n_documents, 1000):
                float(training.train.features[start : start + 1000].sum())
        weights = np.zeros(training.train.n_features)
        weights[0] = 1.0
        return Learned(Linear(weights), {})


def overhead(folder: Path, tasks: int) -> None:
    """All of a plan of trivial tasks: keys, handing out, evaluating, storing."""
    dataset = normalize(make_dataset(15), "query-level")
    write_folds(compose_folds(cut_into_parts(dataset)), folder / "data")
    begun = time.perf_counter()
    plan = expand(configure(entries(folder / "data", {}, seeds=list(range(tasks)), folds=[1])))
    planned = time.perf_counter() - begun
    target = folder / "s.sqlite"
    with Store.open(target) as store:
        run_plan(
            plan, store, LocalEngine(os.cpu_count() or 1, get_scratch_folder(target)), TaskLimits()
        )
    total = time.perf_counter() - begun
    begun = time.perf_counter()
    with Store.open(target) as store:
        run_plan(plan, store, LocalEngine(1, get_scratch_folder(target)), TaskLimits())
    again = time.perf_counter() - begun
    print(f"{tasks} tasks: planned in {planned:.2f} s, all in {total:.2f} s, "
          f"{1000 * total / tasks:.2f} ms a task; nothing left to do: {again:.2f} s")  # fmt: skip


def entries(data: Path, settings: dict[str, Any], **more: Any) -> dict[str, Any]:
    ranker = {"name": "experiments:Trivial", "set": settings}
    return {"data": [{"path": str(data)}], "rankers": [ranker], "measures": ["NDCG@10"], **more}


def show(folder: Path, values: int, beside: Path | None) -> None:
    """`rankwise results show` on a store of many values per query.

    By turns with the sources of another version, where there are any, each on a store of its own.
    """
    sources = {"this version": Path(rankwise.__file__).parents[1]}
    if beside is not None:
        sources["the other version"] = beside.resolve()
    seconds: dict[str, list[float]] = {name: [] for name in sources}
    for name, source in sources.items():
        run_under(source, [__file__, "store", "--values", str(values), "--store", folder / name])
    for _ in range(TURNS):
        for name, source in sources.items():
            begun = time.perf_counter()
            run_under(source, ["-c", SHOW, folder / name])
            seconds[name].append(time.perf_counter() - begun)
    for name, found in seconds.items():
        print(f"{values} values per query: shown in {np.median(found):.2f} s by {name}, "
              f"{(folder / name).stat().st_size / 1e6:.0f} MB")  # fmt: skip
    if beside is not None:
        here, there = (np.median(found) for found in seconds.values())
        print(f"ratio {here / there:.2f}")


TURNS = 7
SHOW = "from rankwise.cli.comparison.result_commands import show; show()"


def run_under(source: Path, words: list[Any]) -> None:
    """Run Python with Rankwise of these sources."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    command = [sys.executable, *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, env=environment)


def make_store(target: Path, values: int) -> None:
    """A store of tasks with ten measures of a thousand queries."""
    queries = tuple(map(str, range(1000)))
    rng = np.random.default_rng(0)
    name = TaskName("LETOR", "large", None, 1, "m", "m", 0, "letor3")
    with Store.open(target) as store:
        for number in range(values // 10_000):
            figures = tuple(
                StoredValue("test", "letor3", f"NDCG@{k}", 0.5, queries, rng.random(1000))
                for k in range(1, 11)
            )
            this = replace(name, method=f"m{number // 5}", fold=number % 5 + 1)
            store.add(str(number), this, {}, TaskOutcome("done", values=figures))


def sharing(folder: Path, gigabytes: float) -> None:
    """The memory of all workers together, shared pages counted once, with one job and two."""
    rows = int(gigabytes * 1e9 / 8 / 100)
    parts = folder / "data"
    parts.mkdir()
    rng = np.random.default_rng(0)
    for part, share in (("train", rows), ("vali", 1000), ("test", 1000)):
        qid = np.repeat(np.arange(share // 100), 100)
        labels = rng.integers(0, 3, len(qid)).astype(float)
        (parts / f"{part}.txt").write_text("".join(f"{int(y)} qid:{q} 100:0\n" for y, q in
                                                   zip(labels, qid, strict=True)))  # fmt: skip
    plan = expand(configure(entries(parts, {"passes": 20}, seeds=[0, 1, 2, 3])))
    target = folder / "s.sqlite"
    open_shared_fold(plan.tasks[0].files, plan.tasks[0].checksums, get_scratch_folder(target))
    peaks = []
    for jobs in (1, 2):
        with Store.open(target) as store, Peak() as peak:
            run_plan(plan, store, LocalEngine(jobs, get_scratch_folder(target)), TaskLimits())
            store.remove([task.key for task in plan.tasks])
        peaks.append(peak.bytes)
    print(f"{gigabytes:g} GB: one job {peaks[0] / 1e9:.2f} GB, two jobs {peaks[1] / 1e9:.2f} GB, "
          f"{peaks[1] / peaks[0]:.2f} times")  # fmt: skip


class Peak:
    """The most memory that the children of this process held together (PSS)."""

    def __init__(self) -> None:
        self.bytes = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look)

    def __enter__(self) -> Peak:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.over.wait(0.2):
            self.bytes = max(self.bytes, sum(map(proportional_bytes, children(os.getpid()))))


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["overhead", "show", "sharing", "store"])
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--values", type=int, default=1_000_000)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--beside", type=Path, help="the folder src of another version")
    parser.add_argument("--store", type=Path, help="the store to make, with `store`")
    options = parser.parse_args()
    # Workers import the trivial ranker from here.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")])
    )
    with tempfile.TemporaryDirectory() as name:
        if options.what == "overhead":
            overhead(Path(name), options.tasks)
        elif options.what == "show":
            show(Path(name), options.values, options.beside)
        elif options.what == "store":
            make_store(options.store, options.values)
        else:
            sharing(Path(name), options.gigabytes)


if __name__ == "__main__":
    main()
