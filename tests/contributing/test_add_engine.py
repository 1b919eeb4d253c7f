"""An engine added as CONTRIBUTING says, a file and a line, runs experiments like the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.synthetic import make_dataset
from tests.contributing.package_copy import PackageCopy
from tests.docs.page import read_blocks
from tests.stores import difference, reading

ENGINE, LINE = read_blocks("add-an-engine.md", "python", "text")
BENCH = ("--ranker", "linear-regression", "--measure", "MAP", "--fold", "1,2", "--quiet")


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> PackageCopy:
    copy = PackageCopy(tmp_path_factory.mktemp("package"))
    copy.write("experiments/running/here.py", ENGINE)
    copy.insert_line(
        "experiments/running/registry.py",
        '        "dask": "rankwise.experiments.running.dask:DaskEngine",\n',
        LINE,
    )
    return copy


def test_an_engine_of_a_file_and_a_line_gives_the_values_of_the_others(
    extended: PackageCopy, tmp_path: Path
) -> None:
    dataset = normalize(make_dataset(25, seed=3), "query-level")
    write_folds(compose_folds(cut_into_parts(dataset)), tmp_path / "data")
    stores = {name: tmp_path / f"{name}.sqlite" for name in ("here", "local")}
    options = ("--jobs", "1", *BENCH, "--data", str(tmp_path / "data"))
    extended.answer(
        *(("bench", "--engine", name, *options, "--store", str(stores[name])) for name in stores)
    )
    assert [task.ending for task in reading(stores["here"]).tasks()] == ["done", "done"]
    assert difference(stores["here"], stores["local"]) == []


def test_its_name_is_among_the_choices_of_the_command(extended: PackageCopy) -> None:
    assert "[local|here|dask]" in extended.run("-m", "rankwise", "bench", "--help").stdout
