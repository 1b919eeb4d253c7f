"""Names that no system takes for a file: a sentence from every function that takes a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.errors import RankwiseError

NAMES = {
    "too long": "y" * 300,
    "a long path": "y" * 5000 + "/x",
    "a NUL": "a\x00b",
    "a link in a circle": "circle",
    "a user who is not there": "~nobody-is-called-so/x",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "door",
    [
        rw.read, rw.check, rw.load_model, rw.compare, rw.place, rw.read_results,
        rw.read_folds, rw.verify_store, rw.bench, rw.describe_model, rw.weigh_features,
        rw.results.check_published,
        lambda name: rw.evaluate(name, name, "MAP"),
        lambda name: rw.evaluate(name, name, "MAP", trec=True),
        lambda name: rw.evaluate([1, 0], name, "MAP", qid=[1, 1]),
        lambda name: rw.significance(name, [name, name]),
        lambda name: rw.tabulate_scores(name, name),
        lambda name: rw.fit("ridge-regression", name),
        lambda name: rw.write(planted(3), name),
        lambda name: rw.write_folds(rw.split_folds(planted(9)), name),
        lambda name: rw.Store.open(name),
        lambda name: rw.build(name, "out", queries=name, qrels=name),
        lambda name: rw.data.read_scores(name, 3),
    ],
)  # fmt: skip
def test_files_that_cannot_be_named_are_a_sentence(
    name: str, door: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("circle").symlink_to("circle")
    with pytest.raises(RankwiseError):
        door(NAMES[name])
