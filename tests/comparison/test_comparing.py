"""Comparing and placing by function: any kind of results, the answers of the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.cli.comparison.compare_command import compare
from rankwise.cli.comparison.place_command import place
from rankwise.comparison import gather_results
from rankwise.errors import RankwiseError
from rankwise.results import ResultTable, read_results, read_shipped, write_results
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome

ROWS = [
    {"collection": "Made", "dataset": dataset, "method": method, "measure": measure, "value": value}
    for measure in ("MAP", "Hits@10")
    for dataset, values in (("d1", (0.1, 0.2, 0.3)), ("d2", (0.3, 0.1, 0.2)))
    for method, value in zip("ABC", values, strict=True)
]
# Half was stopped after the first fold; Seedy lacks a seed of the second.
RUNS = (
    ("Mine", 1, 0, 0.5), ("Mine", 2, 0, 0.7), ("Other", 1, 0, 0.4), ("Other", 2, 0, 0.9),
    ("Third", 1, 0, 0.1), ("Third", 2, 0, 0.2), ("Half", 1, 0, 0.99),
    ("Seedy", 1, 0, 0.9), ("Seedy", 1, 1, 0.9), ("Seedy", 2, 0, 0.9),
)  # fmt: skip
LEFT_OUT = (
    "Half is left out on d1: it lacks fold 2",
    "Seedy is left out on d1: it lacks seeds of fold 2",
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    write_results(ResultTable.from_rows(ROWS), path)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "results.sqlite"
    with Store.open(path) as opened:
        for number, (method, fold, seed, value) in enumerate(RUNS):
            name = TaskName("Made", "d1", None, fold, method, method, seed, "definition")
            stored = StoredValue("test", "definition", "MAP", value)
            opened.add(str(number), name, {"fold": fold}, TaskOutcome("done", values=(stored,)))
    return path


def command(name: Any, *words: object) -> tuple[Any, str]:
    """What a command prints as JSON, and its notes."""
    words = (*words, "--format", "json")
    result = CliRunner().invoke(name, [str(word) for word in words], catch_exceptions=False)
    return json.loads(result.stdout), result.stderr


def without_remarks(printed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is printed of methods alone, without what was said of the whole."""
    return [{key: one[key] for key in one if key != "remarks"} for one in printed]


def ranking(*sources: Any, **how: Any) -> list[dict[str, Any]]:
    frame = rw.compare(*sources, **how).to_frame()
    return list(frame.drop(columns="rank").to_dict("records"))


def test_every_kind_of_source_gives_the_same_comparison(file: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    expected, _ = command(compare, file)
    table = read_results(file)
    for source in (str(file), file, table, pandas.DataFrame(ROWS), polars.DataFrame(ROWS)):
        assert ranking(source) == expected


def test_shipped_tables_are_named_or_taken_by_default() -> None:
    expected, note = command(compare)
    assert "comparing the results collected by Tax, Bockting and Hiemstra (2015)" in note
    table = read_shipped("tax2015_results")
    assert ranking() == ranking("tax2015_results") == ranking(table) == expected
    assert ranking("dearank_tables_2_to_5") == ranking(read_shipped()) != expected


def test_a_store_is_compared_alike_by_name_by_table_and_by_command(store: Path) -> None:
    expected, notes = command(compare, store)
    # On fold means .6, .65 and .15 Other beats two, Mine one.
    assert [(row["method"], row["wn"], row["iwn"]) for row in expected] == [
        ("Other", 2, 2), ("Mine", 1, 2), ("Third", 0, 2),
    ]  # fmt: skip
    assert ranking(store) == ranking(read_results(store)) == without_remarks(expected)
    assert all(one["remarks"] == list(LEFT_OUT) for one in expected)
    comparison = rw.compare(read_results(store))
    assert comparison.remarks == LEFT_OUT
    assert notes.splitlines() == list(LEFT_OUT)


def test_selected_rows_of_a_store_are_still_judged(store: Path) -> None:
    chosen = read_results(store).where(method=["Mine", "Half", "Third"])
    assert rw.compare(chosen).remarks == LEFT_OUT[:1]


def test_with_other_tables_all_folds_of_a_store_count(store: Path, file: Path) -> None:
    with Store.open(store) as opened:
        name = TaskName("Made", "d1", None, 3, "Mine", "Mine", 0, "definition")
        stored = StoredValue("test", "definition", "MAP", 0.9)
        opened.add("new", name, {"fold": 3}, TaskOutcome("done", values=(stored,)))
    expected, notes = command(compare, store, file)
    assert {row["method"] for row in expected} == {"Mine", "A", "B", "C"}
    assert "Other is left out on d1: it lacks fold 3" in notes
    plain = without_remarks(expected)
    assert ranking(store, file) == ranking(read_results(store), read_results(file)) == plain
    assert ranking(gather_results(store, file)) == plain


def test_measures_and_rules_are_those_of_the_command(file: Path) -> None:
    words = ("--measure", "map", "--ideal", "definition", "--dominance", "strict")
    expected, _ = command(compare, file, *words)
    assert expected == ranking(file, measures=["map"], ideal="definition", dominance="strict")


def test_values_that_disagree_need_a_rule(file: Path) -> None:
    other = ResultTable.from_rows([{**row, "value": row["value"] + 1} for row in ROWS[6:]])
    with pytest.raises(
        RankwiseError, match=r"must have one value, found 0\.1 .* and 1\.1 .table 2"
    ):
        rw.compare(file, other)
    means = rw.compare(file, other, conflicts="mean").table
    assert means.where(measure="Hits@10", method="A").value.tolist() == [
        (0.1 + 1.1) / 2,
        (0.3 + 1.3) / 2,
    ]


def test_a_refusal_says_what_was_left_out(store: Path) -> None:
    table = read_results(store).where(method=["Half", "Mine"])
    with pytest.raises(RankwiseError, match=r"needs two methods.*; Half is left out on d1"):
        rw.compare(table, ResultTable.from_rows(ROWS).where(dataset="d2", method="A"))


def test_an_unknown_source_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="there is no such file"):
        rw.compare(tmp_path / "absent.csv")
    with pytest.raises(RankwiseError, match=r"results are read from a file, .* found int"):
        rw.compare(3)


def test_placing_is_that_of_the_command(store: Path, file: Path) -> None:
    expected, notes = command(place, store, "--table", file, "--measure", "MAP", "--bootstrap", 20)
    found = rw.place(store, file, measures=["MAP"], resamples=20)
    frame = found.to_frame()
    for column in ("method", "rank", "wn", "iwn", "nwn", "ranked", "lower", "upper"):
        values = frame[column].astype(object).where(frame[column].notna(), None).tolist()
        assert values == [one[column] for one in expected], column
    unnamed = (
        "on Made d1 figures by definition stand beside figures that name no tool, and are taken "
        "to be by the same",
    )
    said = (*LEFT_OUT, *unnamed)
    assert found.remarks[: len(said)] == said
    share, *warned = found.remarks[len(said) :]
    assert share.startswith("the share of draws on the front is no probability")
    assert warned and all("2 data sets" in one or "ignorance" in one for one in warned), warned
    assert notes.splitlines() == list(found.remarks)
    assert found["Mine"].place is not None
    again = rw.place(read_results(store), read_results(file), measures=["MAP"], resamples=20)
    assert again.placements == found.placements


def test_only_the_named_methods_are_placed(store: Path, file: Path) -> None:
    found = rw.place(store, file, methods=["Mine"], measures=["MAP"], resamples=5)
    assert [one.method for one in found] == ["Mine"]
    with pytest.raises(RankwiseError, match="has no method called Nobody; the methods in it: Mine"):
        rw.place(str(store), file, methods=["Nobody"])


def test_results_say_themselves_briefly_and_show_names_as_text(file: Path) -> None:
    marked = [{**row, "method": f"<i>{row['method']}</i>"} for row in ROWS]
    comparison = rw.compare(ResultTable.from_rows(marked))
    assert repr(comparison) == (
        "Comparison(3 methods, 2 data sets, 2 measures; best: <i>C</i>, NWN 0.7500)"
    )
    placements = rw.place(ResultTable.from_rows(marked[:1]), file, resamples=5)
    assert repr(placements) == "Placements(<i>A</i> rank 4; 4 methods ranked)"
    for shown in (comparison._repr_html_(), placements._repr_html_()):
        assert "&lt;i&gt;" in shown and "<i>" not in shown
    assert len(repr(rw.compare())) < 200
