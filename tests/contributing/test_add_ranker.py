"""A ranker added as CONTRIBUTING says, a file and a line, is one of the others everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.data.normalization import normalize
from rankwise.data.synthetic import make_dataset
from rankwise.data.writing import write
from tests.contributing.package_copy import PackageCopy
from tests.docs.page import read_blocks

RANKER, LINE = read_blocks("add-a-ranker.md", "python", "text")
BY_FUNCTION = """
import rankwise as rw
from rankwise.checks import check_ranker
model = rw.fit(rw.ranker("correlation", power=2.0), "train.txt")
rw.save_model(model, "by-function.json")
check_ranker("correlation")
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> PackageCopy:
    copy = PackageCopy(tmp_path_factory.mktemp("package"))
    copy.write("rankers/pointwise/correlation.py", RANKER)
    copy.insert_line("rankers/registry.py", '    "mart": "pointwise.mart:Mart",\n', LINE)
    made = make_dataset(20, seed=1).select_queries(slice(0, 20))
    write(normalize(made, "query-level"), copy.folder / "train.txt")
    return copy


def test_by_command_and_by_function(extended: PackageCopy) -> None:
    command = ("train", "train.txt", "--ranker", "correlation", "--set", "power=2")
    extended.answer((*command, "-o", "by-command.json"), program=BY_FUNCTION)
    models = [extended.folder / f"by-{way}.json" for way in ("command", "function")]
    first, second = (path.read_bytes() for path in models)
    assert first == second
    assert json.loads(first)["ranker"] == "correlation"


def test_it_is_in_the_lists_and_can_be_tuned(extended: PackageCopy) -> None:
    words = ("--data", "folds", "--ranker", "correlation", "--fold", "1", "--jobs", "1")
    shown, _, ended, _ = extended.answer(
        ("rankers", "show", "correlation", "--format", "json"),
        ("data", "split", "train.txt", "folds"),
        ("bench", *words, "--quiet", "--format", "json"),
    )
    assert json.loads(shown)["parameters"][0]["grid"] == [1.0, 2.0]
    (summary,) = json.loads(ended)
    assert summary["rows"][0]["method"] == "correlation"
    assert Path(extended.folder / "results.sqlite").is_file()
