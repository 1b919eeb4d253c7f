"""A data set added as CONTRIBUTING says, a table in TOML, is imported, verified and run."""

from __future__ import annotations

import json

import pytest

from rankwise.data.folds import split_folds, write_folds
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.synthetic import make_dataset
from tests.contributing.package_copy import PackageCopy
from tests.docs.page import read_blocks

(TABLE,) = read_blocks("add-a-data-set.md", "toml")
BY_FUNCTION = """
import json, rankwise as rw
entry = rw.data.find_entry("mine/little")
found = rw.data.import_dataset(entry, "source", replace_old=True)
run = rw.bench(data="mine/little", rankers="best-feature", folds=[1], store="f.sqlite", jobs=1)
print(json.dumps([dict(found.facts), [[one.tool, one.rows[0].figures] for one in run.summaries()]]))
"""


@pytest.fixture
def extended(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> PackageCopy:
    copy = PackageCopy(tmp_path_factory.mktemp("package"))
    made = normalize(make_dataset(25, seed=3), "query-level")
    write_folds(split_folds(made), copy.folder / "source")
    copy.write("data/catalog/mine.toml", TABLE)
    monkeypatch.setenv("RANKWISE_HOME", str(copy.folder / "home"))
    return copy


def test_by_command_and_by_function(extended: PackageCopy) -> None:
    importing = ("data", "import", "mine/little", "source", "--format", "json")
    run = ("bench", "--data", "mine/little", "--ranker", "best-feature", "--fold", "1", "--quiet",
           "--store", "c.sqlite", "--jobs", "1", "--format", "json")  # fmt: skip
    listed, imported_as, ended, by_program = extended.answer(
        ("data", "list", "mine/little"), importing, run, program=BY_FUNCTION
    )
    assert "Free for tests." in listed and "rankwise data import mine/little" in listed
    imported = json.loads(imported_as)
    assert "rows, queries, features, labels" in ", ".join(imported["verified"])
    summaries = [[one["tool"], one["rows"][0]["figures"]] for one in json.loads(ended)]
    facts, by_function = json.loads(by_program)
    assert facts == imported["facts"]
    assert by_function == summaries
    # By the tool of the table and by the definition.
    assert {tool for tool, _ in summaries} == {"letor3", "definition"}
    assert len(summaries) == 2
