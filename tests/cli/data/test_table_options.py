"""Columns of tables are named in commands as in Python, by every command that reads data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from tests.cli.test_options import COMMANDS
from tests.cli.whole_program import rankwise

NAMES = ("--query-column", "s", "--label-column", "grade", "--features", "b,a")
TEXT = "s,topic,grade,rating,a,b,w\n" + "".join(
    f"{n // 4},t,{n % 3},x,{n * 7 % 5},{n % 3 + n % 2},{1 + n % 2}\n" for n in range(24)
)
# Their --features is another option.
OTHER_FEATURES = (
    "clicks simulate", "model contributions", "model importance", "model why",
)  # fmt: skip
WITHOUT_TABLES = {
    # These take folders of folds.
    "arena new", "bench", "clicks offline", "clicks online",
    "features importance", "features path", "features reduce", "features select", "serve",
    # These take data beside a log, of which the queries and documents are matched.
    "clicks convert", "clicks evaluate", "clicks propensities",
    # These take results, scores, or data to be certified with an export.
    "compare", "place", "submit", "model export",
}  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TEXT)
    return tmp_path / "t.csv"


def test_every_command_that_reads_data_names_columns() -> None:
    data = {"data", "files", "paths", "source"}
    for name, command in COMMANDS.items():
        names = {one.name for one in command.params}
        if name.startswith("results") or name in WITHOUT_TABLES or not names & data:
            continue
        assert {"query_column", "label_column", "document_column", "features"} <= names, name


def test_what_is_ambiguous_is_chosen_by_an_option(table: Path) -> None:
    ended = rankwise("data", "describe", table)
    assert ended.code == 2
    expected = "one column must be the label, found 'grade' and 'rating'; say which: --label-column"
    assert expected in ended.err
    ended = rankwise("data", "describe", table, *NAMES, "--format", "json")
    assert ended.code == 0 and ended.err == ""
    facts = rw.describe(
        rw.read(table, query_column="s", label_column="grade", features=["b", "a"])
    ).as_dict()
    assert json.loads(ended.out) == json.loads(json.dumps(facts))


def test_a_guess_is_one_line_on_standard_error(table: Path) -> None:
    ended = rankwise("data", "check", table, "--label-column", "grade", "--format", "json")
    assert ended.err == (
        f"{table}: 'topic' is the query, 'rating' is left out, for it holds texts\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "data check t.csv", "data convert t.csv o.txt", "data filter t.csv o.txt --drop short:1",
        "data normalize t.csv o.txt --to min", "data split t.csv o", "evaluate t.csv scores",
        "explain t.csv scores --tool letor4,yahoo", "identify t.csv scores --value 0.5 -m MAP",
        "significance t.csv scores other -m MAP", "reconcile t.csv scores -m MAP",
        "clicks simulate t.csv --sessions 3 -o log.csv",
        "clicks interleave t.csv feature:1 feature:2 --sessions 3",
        "score m.json t.csv", "model why m.json t.csv", "model contributions m.json t.csv",
        "model dependence m.json t.csv --feature a", "model importance m.json t.csv",
        "model cost m.json t.csv --repeats 1",
    ],
)  # fmt: skip
def test_the_names_reach_whoever_reads(
    line: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them the label is ambiguous."""
    monkeypatch.chdir(tmp_path)
    for name, step in (("scores", 5), ("other", 7)):
        Path(name).write_text("".join(f"{n * step % 11}\n" for n in range(24)))
    names = NAMES[:4] if line.startswith(OTHER_FEATURES) else NAMES
    chosen = None if names == NAMES[:4] else ["b", "a"]
    data = rw.read(table, query_column="s", label_column="grade", features=chosen)
    rw.save_model(rw.fit(rw.make_ranker("ridge-regression"), data), tmp_path / "m.json")
    ended = rankwise(*line.split(), *names)
    assert "one column must be" not in ended.out + ended.err
    assert ended.code in (0, 1), ended.err


def test_weights_reach_the_ranker(table: Path, tmp_path: Path) -> None:
    words = ("train", table, *NAMES, "--ranker", "ridge-regression", "-o")
    assert rankwise(*words, tmp_path / "plain.json").code == 0
    ended = rankwise(*words, tmp_path / "weighted.json", "--weight-column", "w")
    assert ended.code == 0, ended.err
    data = rw.read(table, query_column="s", label_column="grade", features=["b", "a"],
                   weight_column="w")  # fmt: skip
    expected = rw.fit(rw.make_ranker("ridge-regression"), data).score(data)
    np.testing.assert_array_equal(rw.score(tmp_path / "weighted.json", data), expected)
    assert not np.array_equal(rw.score(tmp_path / "plain.json", data), expected)


def test_score_needs_no_labels(table: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    assert rankwise("train", table, *NAMES, "--ranker", "ridge-regression", "-o", model).code == 0
    rows = [line.split(",") for line in TEXT.splitlines()]
    bare = tmp_path / "bare.csv"
    bare.write_text("".join(f"{row[0]},{row[4]},{row[5]}\n" for row in rows))
    whole = rankwise("score", model, table, *NAMES)
    ended = rankwise("score", model, bare, "--query-column", "s")
    assert ended.code == 0 and ended.out == whole.out != ""


def test_an_option_without_a_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("1 qid:1 1:2\n")
    ended = rankwise("data", "describe", tmp_path / "d.txt", "--query-column", "x")
    assert ended.code == 2 and "found none among the data" in ended.err
