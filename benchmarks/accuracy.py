"""Accuracy by LETOR's protocol: five real folds, tuned on validation, beside what was published.

    python benchmarks/accuracy.py --data ohsumed --rankers ridge-regression,listnet
    python benchmarks/accuracy.py --data mq2008                       # every registered ranker
    python benchmarks/accuracy.py --data mq2007 --rankers rankrls --merge

The folds are found below RANKWISE_SHARED (data/letor3/OHSUMED/QueryLevelNorm, data/letor4/MQ2008);
MQ2007 comes in parts S1 to S5 (data/letor4/MQ2007), from which they are composed. For every fold
each combination of a method's grid is trained on `train` (rounds are chosen on `vali` inside), the
combination with the best MAP on `vali` is taken, the first of equals, and that one model is
evaluated on `test`; nothing else ever looks at `test`. Training measures and figures follow the
data set's own tool, letor3 or letor4. Figures are means over folds; the standard error is that of
the mean over the queries of all folds, each of which is tested once.

Every (method, fold) runs in a process of its own, so that its time and peak memory are its own, and
leaves a cell file in --cells. A cell is kept for the next run while the source files that it loaded
are unchanged; one that failed is shown and tried again. --merge puts the figures of methods whose
folds are all done into docs/rankers/accuracy.csv, in the place of older ones, and makes
docs/rankers/accuracy.md anew; without it the tables of this run are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_page import (
    DATA,
    FACTS,
    FLOORS,
    MEASURES,
    Fact,
    as_markdown,
    merge_facts,
    read_facts,
    write_facts,
    write_page,
)
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, compose_fold, find_folds, read_fold
from rankwise.data.joining import equally_wide
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text
from rankwise.measures.evaluation import evaluate
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker, ranker_names

FOLDS = range(1, 6)
RANDOM_ORDERS = 100
Cell = dict[str, Any]


def main() -> None:
    options = _options()
    if options.one:
        run_cell(options.data[0], options.rankers[0], options.one, options.seed, options.cells)
        return
    facts = [fact for data in options.data for fact in measured(data, options)]
    if options.merge:
        merged = merge_facts(read_facts(), facts)
        write_facts(merged)
        write_page(merged)
        print(f"{len(facts)} rows merged into {FACTS}")
    else:
        print(as_markdown(merge_facts([], facts)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--rankers", type=_names, default=ranker_names())
    parser.add_argument("--cells", type=Path, default=Path(tempfile.gettempdir(), "rankwise-cells"))
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="run all cells, kept ones too")
    parser.add_argument("--merge", action="store_true", help="put the figures into the page")
    parser.add_argument("--one", type=int, metavar="FOLD", help="run this cell in this process")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in ranker_names() and ":" not in name]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no ranker {', '.join(unknown)}")
    return names


# --- the data -------------------------------------------------------------------------------------


def get_fold(data: str, number: int) -> Fold:
    """A fold as it stands in files, or composed of the parts S1, S2, …"""
    folder = get_dataset_folder(data)
    if (folder / "S1.txt").exists():
        parts = [read(folder / f"S{part}.txt") for part in FOLDS]
        return compose_fold(equally_wide(parts), number)
    return read_fold(find_folds(folder)[number - 1])


def get_dataset_folder(data: str) -> Path:
    shared = os.environ.get("RANKWISE_SHARED")
    if not shared:
        raise SystemExit("set RANKWISE_SHARED to the folder that holds data/letor3 and data/letor4")
    return Path(shared) / DATA[data].folder


# --- one cell: a method on a fold -----------------------------------------------------------------


def run_cell(data: str, name: str, fold_number: int, seed: int, cells: Path) -> None:
    """Tune on validation, evaluate the chosen model on test, write the cell file."""
    parts = get_fold(data, fold_number)
    validation = parts.validation
    if validation is None:
        raise RankwiseError(f"fold {fold_number} of {data} has no validation part")
    tool = DATA[data].tool
    begun, cpu_begun = time.perf_counter(), time.process_time()
    tried = []
    best = None
    for parameters in grid_of(find_ranker(name), tool):
        model = find_ranker(name)(**parameters).fit(parts.train, validation, seed=seed)
        figure = evaluate(validation, model.score(validation), ["MAP"], tool)["MAP"].mean
        tried.append({"parameters": parameters, "validation MAP": figure})
        if best is None or figure > best[0]:
            best = (figure, parameters, model)
    if best is None:
        raise RankwiseError(f"{name} has an empty grid")
    cell = {
        "data": data,
        "ranker": name,
        "fold": fold_number,
        "seed": seed,
        "tried": tried,
        "chosen": best[1],
        "facts": dict(best[2].facts),
        "test": test_figures(parts.test, best[2].score(parts.test), tool),
        "seconds": time.perf_counter() - begun,
        "cpu_seconds": time.process_time() - cpu_begun,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "sources": sources(),
    }
    write_text(cell_path(cells, data, name, fold_number, seed), json.dumps(cell))


def grid_of(ranker: type[Ranker], tool: str) -> list[dict[str, Any]]:
    """Every combination of the values worth trying; measures follow the data set's tool."""
    declared = parameters_of(ranker)
    tuned = [one for one in declared if one.grid]
    fixed = {"tool": tool} if any(one.name == "tool" for one in declared) else {}
    return [
        fixed | dict(zip((one.name for one in tuned), values, strict=True))
        for values in itertools.product(*(one.grid for one in tuned))
    ]


def test_figures(test: Dataset, scores: np.ndarray, tool: str) -> dict[str, Any]:
    """Mean and per-query values; a query that LETOR's scripts cannot rank to the cut-off is 0."""
    found = evaluate(test, scores, MEASURES, tool)
    return {
        measure: {
            "mean": found[measure].mean,
            "values": np.nan_to_num(found[measure].values).tolist(),
        }
        for measure in MEASURES
    }


def sources() -> dict[str, str]:
    """The project's files that this process has loaded, with their sums."""
    files = {
        getattr(module, "__file__", None)
        for name, module in sys.modules.items()
        if name.split(".")[0] == "rankwise"
    }
    return {file: sha256(file) for file in sorted(filter(None, files))}


def sha256(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


# --- all cells ------------------------------------------------------------------------------------


def measured(data: str, options: argparse.Namespace) -> list[Fact]:
    """The floors, and the figures of the rankers whose five folds are done."""
    make_folder(options.cells)
    wanted = list(itertools.product(options.rankers, FOLDS))
    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda one: cell(data, *one, options), wanted))
    by_ranker: dict[str, list[Cell]] = {}
    for found in filter(None, done):
        by_ranker.setdefault(found["ranker"], []).append(found)
    whole = [summary(data, cells) for cells in by_ranker.values() if len(cells) == len(FOLDS)]
    return [*floors(data), *whole]


def cell(data: str, name: str, fold: int, options: argparse.Namespace) -> Cell | None:
    """The cell from its file if that still holds, else run; None where it failed."""
    path = cell_path(options.cells, data, name, fold, options.seed)
    if not options.again and (kept := kept_cell(path)) is not None:
        return kept
    path.unlink(missing_ok=True)
    arguments = ["--data", data, "--rankers", name, "--one", fold, "--seed", options.seed]
    command = [sys.executable, __file__, *map(str, arguments), "--cells", str(options.cells)]
    began = time.perf_counter()
    ran = subprocess.run(command, capture_output=True, text=True)
    found = kept_cell(path)
    outcome = f"validation MAP {best_on_validation(found):.4f}" if found else failure(ran)
    note = f"{data} {name} fold {fold}: {outcome}, {time.perf_counter() - began:.1f} s"
    print(note, file=sys.stderr, flush=True)
    return found


def best_on_validation(found: Cell) -> float:
    return float(max(one["validation MAP"] for one in found["tried"]))


def failure(ran: subprocess.CompletedProcess[str]) -> str:
    return f"FAILED ({ran.returncode}): {(ran.stderr.strip().splitlines() or ['no message'])[-1]}"


def kept_cell(path: Path) -> Cell | None:
    """A finished cell whose sources are as they were."""
    if not path.exists():
        return None
    found: Cell = json.loads(path.read_text())
    unchanged = all(Path(file).exists() and sha256(file) == sum_ for file, sum_ in
                    found["sources"].items())  # fmt: skip
    return found if unchanged else None


def cell_path(cells: Path, data: str, name: str, fold: int, seed: int) -> Path:
    return cells / f"{data}.{name}.fold{fold}.seed{seed}.json"


def summary(data: str, cells: list[Cell]) -> Fact:
    """Means over folds and standard errors over queries; time and memory of the whole method."""
    means, errors = figures([cell["test"] for cell in cells])
    kept = [cell["facts"].get("features_kept") for cell in cells]
    return Fact(
        data,
        cells[0]["ranker"],
        means,
        errors,
        features=None if None in kept else float(np.mean(kept)),
        tried=len(cells[0]["tried"]),
        seconds=sum(cell["cpu_seconds"] for cell in cells),
        peak_megabytes=max(cell["peak_bytes"] for cell in cells) / 1e6,
    )


def figures(tests: list[dict[str, Any]]) -> tuple[dict[str, float], dict[str, float]]:
    """By measure, the mean over folds and the standard error over queries."""
    means, errors = {}, {}
    for measure in MEASURES:
        values = np.concatenate([test[measure]["values"] for test in tests])
        means[measure] = float(np.mean([test[measure]["mean"] for test in tests]))
        errors[measure] = float(np.std(values, ddof=1) / math.sqrt(len(values)))
    return means, errors


def floors(data: str) -> list[Fact]:
    """What needs no learning: random orders (the mean of 100), and the order of the file."""
    tool = DATA[data].tool
    tests = [get_fold(data, number).test for number in FOLDS]
    rng = np.random.default_rng(0)
    draws = [
        figures([test_figures(test, rng.random(test.n_documents), tool) for test in tests])
        for _ in range(RANDOM_ORDERS)
    ]
    averages = (
        {measure: float(np.mean([draw[part][measure] for draw in draws])) for measure in MEASURES}
        for part in (0, 1)
    )
    constant = figures([test_figures(test, np.zeros(test.n_documents), tool) for test in tests])
    drawn, filed = FLOORS
    return [Fact(data, drawn, *averages), Fact(data, filed, *constant)]


if __name__ == "__main__":
    main()
