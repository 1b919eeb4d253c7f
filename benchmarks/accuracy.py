"""Accuracy by LETOR's protocol: five real folds, tuned on validation, beside what was published.

    python benchmarks/accuracy.py --data ohsumed --rankers ridge-regression,listnet
    python benchmarks/accuracy.py --data mq2008                       # every registered ranker
    python benchmarks/accuracy.py --data ohsumed mq2008 --markdown docs/rankers/accuracy.md

The folds are found below RANKWISE_SHARED (data/letor3/OHSUMED/QueryLevelNorm, data/letor4/MQ2008).
For every fold each combination of a method's grid is trained on `train` (rounds are chosen on
`vali` inside), the combination with the best MAP on `vali` is taken, the first of equals, and that
one model is evaluated on `test`; nothing else ever looks at `test`. Training measures and figures
follow the data set's own tool, letor3 or letor4. Figures are means over folds; the standard error
is that of the mean over the queries of all folds, each of which is tested once.

Every (method, fold) runs in a process of its own, so that its time and peak memory are its own, and
leaves a cell file in --cells. A cell is kept for the next run while the source files that it loaded
are unchanged; one that failed is shown and tried again.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import find_folds, read_fold
from rankwise.errors import RankwiseError
from rankwise.evaluation import evaluate
from rankwise.files import make_folder, write_text
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker, ranker_names

MEASURES = ("MAP", "NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10")
SHOWN = ("MAP", "NDCG@10")
RANDOM_ORDERS = 100
Cell = dict[str, Any]


@dataclass(frozen=True)
class Data:
    """A data set of the protocol: where it is, whose tool evaluates it, what it was called."""

    title: str
    folder: str
    tool: str
    published: tuple[str, str]


DATA = {
    "ohsumed": Data(
        "OHSUMED (LETOR 3.0, QueryLevelNorm)",
        "data/letor3/OHSUMED/QueryLevelNorm",
        "letor3",
        ("LETOR 3.0", "OHSUMED"),
    ),
    "mq2008": Data("MQ2008 (LETOR 4.0)", "data/letor4/MQ2008", "letor4", ("LETOR 4.0", "MQ2008")),
}


def main() -> None:
    options = _options()
    if options.one:
        run_cell(options.data[0], options.rankers[0], options.one, options.seed, options.cells)
        return
    tables = {name: measured(name, options) for name in options.data}
    markdown = "\n".join([HEADING, *(as_markdown(name, rows) for name, rows in tables.items())])
    if options.markdown:
        write_text(options.markdown, markdown)
    if options.json:
        write_text(options.json, json.dumps(tables, indent=1) + "\n")
    print(markdown)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--rankers", type=lambda text: text.split(","), default=ranker_names())
    parser.add_argument("--cells", type=Path, default=Path(tempfile.gettempdir(), "rankwise-cells"))
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="run all cells, kept ones too")
    parser.add_argument("--markdown", type=Path, help="write the tables here")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--one", type=int, metavar="FOLD", help="run this cell in this process")
    return parser.parse_args()


# --- one cell: a method on a fold -----------------------------------------------------------------


def run_cell(data: str, name: str, fold_number: int, seed: int, cells: Path) -> None:
    """Tune on validation, evaluate the chosen model on test, write the cell file."""
    parts = read_fold(find_folds(get_dataset_folder(data))[fold_number - 1])
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


def get_dataset_folder(data: str) -> Path:
    shared = os.environ.get("RANKWISE_SHARED")
    if not shared:
        raise SystemExit("set RANKWISE_SHARED to the folder that holds data/letor3 and data/letor4")
    return Path(shared) / DATA[data].folder


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


def measured(data: str, options: argparse.Namespace) -> dict[str, Any]:
    """The floors and, by ranker, the figures of those whose five folds are done."""
    make_folder(options.cells)
    folds = range(1, len(find_folds(get_dataset_folder(data))) + 1)
    wanted = list(itertools.product(options.rankers, folds))
    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda one: cell(data, *one, options), wanted))
    by_ranker: dict[str, list[Cell]] = {}
    for found in filter(None, done):
        by_ranker.setdefault(found["ranker"], []).append(found)
    whole = {name: summary(cells) for name, cells in by_ranker.items() if len(cells) == len(folds)}
    return {"floors": floors(data), "rankers": whole, "published": published(data)}


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


def summary(cells: list[Cell]) -> dict[str, Any]:
    """Means over folds and standard errors over queries; time and memory of the whole method."""
    return {
        **figures([cell["test"] for cell in cells]),
        "seconds": sum(cell["seconds"] for cell in cells),
        "peak_bytes": max(cell["peak_bytes"] for cell in cells),
        "tried": len(cells[0]["tried"]),
        "chosen": [cell["chosen"] for cell in cells],
    }


def figures(tests: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"mean": {}, "error": {}}
    for measure in MEASURES:
        values = np.concatenate([test[measure]["values"] for test in tests])
        found["mean"][measure] = float(np.mean([test[measure]["mean"] for test in tests]))
        found["error"][measure] = float(np.std(values, ddof=1) / math.sqrt(len(values)))
    return found


def floors(data: str) -> dict[str, Any]:
    """What needs no learning: the order of the file, and random orders (mean of 100)."""
    tool = DATA[data].tool
    tests = [read_fold(files).test for files in find_folds(get_dataset_folder(data))]
    constant = [test_figures(test, np.zeros(test.n_documents), tool) for test in tests]
    rng = np.random.default_rng(0)
    draws = [
        figures([test_figures(test, rng.random(test.n_documents), tool) for test in tests])
        for _ in range(RANDOM_ORDERS)
    ]
    average = {
        part: {measure: float(np.mean([draw[part][measure] for draw in draws]))
               for measure in MEASURES}
        for part in ("mean", "error")
    }  # fmt: skip
    return {"random order": average, "file order": figures(constant)}


def published(data: str) -> dict[str, dict[str, float]]:
    """DEARank's Tables 2-5 by our names of the methods."""
    from rankwise.literature import read_shipped_rows

    found: dict[str, dict[str, float]] = {}
    for row in read_shipped_rows("dearank_tables_2_to_5"):
        if (row["collection"], row["dataset"]) == DATA[data].published and row["value"] is not None:
            name = str(row["method"]).lower().replace(" ", "-")
            found.setdefault(name, {})[str(row["measure"])] = float(row["value"])
    return found


# --- the tables -----------------------------------------------------------------------------------

HEADING = """# Accuracy of the rankers

Made by `python benchmarks/accuracy.py --markdown docs/rankers/accuracy.md`, which anyone with the
data can run again; its first lines state the protocol. Five-fold means on the test parts;
hyper-parameters and rounds were chosen per fold on validation, never on test. Published: Jiang and
Lin (2014), Tables 2-5. ± is the standard error of the mean over queries. The three floors are a
random order, the order of the file (all scores equal) and `best-feature`, one feature chosen on
train: a method that is not above them has learned nothing. Time is that of tuning, training and
scoring on all folds, without reading the files; peak memory is that of the largest process,
interpreter and libraries included.
"""


def as_markdown(data: str, found: dict[str, Any]) -> str:
    rows = [_floor_row(name, floor) for name, floor in found["floors"].items()]
    rows += [
        _row(name, one, found["published"].get(name, {})) for name, one in found["rankers"].items()
    ]
    titles = ["method"]
    for measure in SHOWN:
        titles += [measure, "±", "published", "difference"]
    titles += [measure for measure in MEASURES if measure not in SHOWN]
    titles += ["tried", "time", "peak"]
    total = sum(one["seconds"] for one in found["rankers"].values())
    lines = [
        f"## {DATA[data].title}",
        "",
        _line(titles),
        _line(["---"] + ["---:"] * (len(titles) - 1)),
        *map(_line, rows),
        "",
        f"All methods together: {total / 60:.1f} minutes.",
        "",
    ]
    return "\n".join(lines)


def _row(name: str, one: dict[str, Any], known: dict[str, float]) -> list[str]:
    cells = [f"`{name}`"]
    for measure in SHOWN:
        ours, theirs = one["mean"][measure], known.get(measure)
        cells += [_figure(ours), _figure(one["error"][measure])]
        cells += ["–", "–"] if theirs is None else [f"{theirs:.3f}"[1:], f"{ours - theirs:+.4f}"]
    cells += [_figure(one["mean"][measure]) for measure in MEASURES if measure not in SHOWN]
    return [
        *cells,
        str(one["tried"]),
        f"{one['seconds']:.0f} s",
        f"{one['peak_bytes'] / 1e6:.0f} MB",
    ]


def _floor_row(name: str, floor: dict[str, Any]) -> list[str]:
    cells = [name]
    for measure in SHOWN:
        cells += [_figure(floor["mean"][measure]), _figure(floor["error"][measure]), "–", "–"]
    cells += [_figure(floor["mean"][measure]) for measure in MEASURES if measure not in SHOWN]
    return [*cells, "–", "–", "–"]


def _figure(value: float) -> str:
    return f"{value:.4f}"[1:] if 0 <= value < 1 else f"{value:.4f}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
