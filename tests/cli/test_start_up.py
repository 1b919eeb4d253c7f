"""What commands import: those that give the first answers wait for no compiler or large library.

The commands run one after the other in one process, which lists what each of them was the first to
import; benchmarks/first_minute.py takes the times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.models.model_file import as_text
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome
from tests.models.made import model_file, random_trees

HEAVY = {"numba", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "sklearn", "lightgbm",
         "torch", "dask", "rich"}  # fmt: skip
PROGRAM = """
import json
import sys

from rankwise.cli.main import main

found, before = {}, set()
for command in sys.argv[2:]:
    main(command.split(), standalone_mode=False)
    found[command] = sorted({name.partition(".")[0] for name in set(sys.modules) - before})
    before = set(sys.modules)
with open(sys.argv[1], "w") as listing:
    json.dump(found, listing)
"""
TESTS = ("t", "wilcoxon", "sign", "randomization", "bootstrap", "letor")
COMMANDS = (
    "--help",
    "evaluate data.txt a.scores b.scores",
    "evaluate data.txt a.scores --tool all",
    "evaluate data.txt a.scores --per-query --format json",
    "explain data.txt a.scores --tool ranx,letor3",
    "identify data.txt a.scores -m MAP --value 0.5",
    "measures",
    "data describe data.txt",
    "data check data.txt",
    "data convert data.txt again.txt",
    "data normalize data.txt scaled.txt --to query-level",
    "data list",
    *(f"significance data.txt a.scores b.scores --test {test}" for test in TESTS),
    "significance data.txt a.scores b.scores --interval bca",
    "significance store.sqlite -m MAP",
    "compare",
    "compare mine.csv dearank_tables_2_to_5 --bootstrap 20",
    "place mine.csv",
    "score model.json data.txt -o scores.txt",
    "model show model.json",
    "results check mine.csv",
    "results convert mine.csv mine.jsonl",
    "results list store.sqlite",
    "results show store.sqlite",
    "results export store.sqlite exported.csv",
    "literature list",
    "rankers list",
)
TRAINING = tuple(
    f"train data.txt --ranker {ranker} --validate data.txt -m NDCG@10 -o {ranker}.json"
    for ranker in ("lambdamart", "mart")
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data of 30 queries, two score files, a model of trees, a store of two methods, a table."""
    folder = tmp_path_factory.mktemp("start")
    rng = np.random.default_rng(0)
    lines = [
        f"{rng.integers(3)} qid:{query} 1:{rng.random():.3f} 2:{rng.random():.3f} #docid = {row}\n"
        for query in range(30)
        for row in range(5)
    ]
    (folder / "data.txt").write_text("".join(lines))
    for name in ("a", "b"):
        (folder / f"{name}.scores").write_text("".join(f"{rng.random()}\n" for _ in lines))
    text = as_text(model_file(random_trees(rng, width=2)))
    (folder / "model.json").write_text(text)
    table = "collection,dataset,method,measure,value\nLETOR 3.0,TD2003,mine,NDCG@10,0.4\n"
    (folder / "mine.csv").write_text(table)
    _write_store(folder / "store.sqlite")
    return folder


def _write_store(path: Path) -> None:
    name = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "a", "ranker", 0, "letor3")
    with Store.open(path) as store:
        for method, level in (("a", 0.2), ("b", 0.4)):
            values = level + 0.01 * np.cos(np.arange(4) * (1 + level))
            value = StoredValue(
                "test", "letor3", "MAP", float(values.mean()), tuple("wxyz"), values
            )
            own = replace(name, method=method)
            store.add(f"{own!r}", own, {"fold": 1}, TaskOutcome("done", values=(value,)))


def imported(folder: Path, commands: tuple[str, ...]) -> dict[str, set[str]]:
    """The top-level packages of which each command was the first to import a part."""
    listing = folder / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(listing), *commands],
        cwd=folder, capture_output=True, text=True, env=os.environ | {"PYTHONWARNINGS": "error"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {command: set(found) for command, found in json.loads(listing.read_text()).items()}


@pytest.fixture(scope="module")
def first_answers(folder: Path) -> dict[str, set[str]]:
    return imported(folder, COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_first_answer_needs_no_compiler_and_no_large_library(
    first_answers: dict[str, set[str]], command: str
) -> None:
    assert "rankwise" in first_answers[COMMANDS[0]]
    assert first_answers[command] & HEAVY == set()


def test_trees_are_trained_without_a_compiler(folder: Path) -> None:
    pytest.importorskip("lightgbm")
    found = set().union(*imported(folder, TRAINING).values())
    assert "lightgbm" in found
    assert found & {"numba", "llvmlite"} == set()
