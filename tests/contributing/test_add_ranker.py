"""A ranker added as CONTRIBUTING says, a file and a line, is one of the others everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.data.reading import write
from rankwise.data.synthetic import make_dataset
from tests.contributing.package_copy import PackageCopy
from tests.docs.page import read_blocks

RANKER, LINE = read_blocks("add-a-ranker.md", "python", "text")
BY_FUNCTION = """
import rankwise as rw
from rankwise.checks import check_ranker
model = rw.fit(rw.make_ranker("correlation", power=2.0), "train.txt")
rw.save_model(model, "by-function.json")
check_ranker("correlation")
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> PackageCopy:
    copy = PackageCopy(tmp_path_factory.mktemp("package"))
    copy.write("rankers/linear/correlation.py", RANKER)
    copy.insert_line(
        "rankers/registry.py", '        "mart": "rankwise.rankers.trees.lambdamart:Mart",\n', LINE
    )
    write(make_dataset(20, seed=1).select_queries(slice(0, 20)), copy.folder / "null.txt")
    return copy


@pytest.fixture(scope="module")
def said(extended: PackageCopy) -> dict[str, str]:
    """What each command printed, all of them in one process."""
    bench = ("--data", "folds", "--ranker", "correlation", "--fold", "1", "--jobs", "1", "--quiet")
    commands = {
        "normalize": ("data", "normalize", "null.txt", "train.txt", "--to", "query-level"),
        "train": ("train", "train.txt", "--ranker", "correlation", "--set", "power=2",
                  "-o", "by-command.json"),
        "show": ("rankers", "show", "correlation", "--format", "json"),
        "split": ("data", "split", "train.txt", "folds"),
        "bench": ("bench", *bench, "--format", "json"),
    }  # fmt: skip
    *printed, _ = extended.answer(*commands.values(), program=BY_FUNCTION)
    return dict(zip(commands, printed, strict=True))


@pytest.mark.usefixtures("said")
def test_by_command_and_by_function(extended: PackageCopy) -> None:
    models = [extended.folder / f"by-{way}.json" for way in ("command", "function")]
    first, second = (path.read_bytes() for path in models)
    assert first == second
    assert json.loads(first)["ranker"] == "correlation"


def test_it_is_in_the_lists_and_can_be_tuned(extended: PackageCopy, said: dict[str, str]) -> None:
    assert json.loads(said["show"])["parameters"][0]["grid"] == [1.0, 2.0]
    (summary,) = json.loads(said["bench"])
    assert summary["rows"][0]["method"] == "correlation"
    assert Path(extended.folder / "results.sqlite").is_file()
