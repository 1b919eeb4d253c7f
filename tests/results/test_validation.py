"""Every problem of a table is named by its row."""

from __future__ import annotations

import pytest

from rankwise.results.result_table import ResultTable
from rankwise.results.result_validation import (
    LONGEST_NAME,
    Record,
    TableError,
    find_problems,
    inspect_records,
    require_valid,
)

GOOD = {
    "collection": "LETOR 3.0",
    "dataset": "TD2004",
    "method": "A",
    "measure": "map",
    "value": "0.25",
}


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"value": "1.5"}, "range", "MAP must lie from 0 to 1, found 1.5"),
        ({"value": "41.2"}, "range", "if the source prints percent, divide by 100"),
        ({"value": "-0.1"}, "range", "found -0.1"),
        ({"measure": "ARP", "value": "-1"}, "range", "ARP must lie from 0 to inf"),
        ({"value": "nan"}, "non-finite", "a value must be finite, found nan"),
        ({"value": "-inf"}, "non-finite", "found -inf"),
        ({"value": "1e999"}, "non-finite", "found 1e999"),
        ({"value": float("nan")}, "non-finite", "found nan"),
        ({"value": ""}, "missing", "must have a value"),
        ({"value": "0,25"}, "number", "write a decimal point"),
        ({"value": "1_0"}, "number", "found '1_0'"),
        ({"value": "٠.٢"}, "number", "a value must be a number"),
        ({"value": "0x1"}, "number", "found '0x1'"),
        ({"value": True}, "number", "found 'True'"),
        ({"value": "=1+1"}, "number", "found '=1+1'"),
        ({"measure": "NDGC@10"}, "measure", "did you mean 'NDCG@10'?"),
        ({"method": "  "}, "missing", "must have a method"),
        ({"method": "\x1b[31mred"}, "text", "U+001B"),
        ({"method": "a\u202eb"}, "text", "U+202E"),
        ({"method": "a\nb"}, "text", "U+000A"),
        ({"method": "\ud800"}, "text", "U+D800"),
        ({"method": "x" * (LONGEST_NAME + 1)}, "text", "at most 1000 characters"),
        ({"method": ["A"]}, "text", "found a list"),
        ({"note": b"A"}, "text", "found a bytes"),
    ],
)
def test_a_problem_is_named_by_its_row(change: dict[str, object], kind: str, words: str) -> None:
    inspection = inspect_records(
        [Record(2, GOOD), Record(7, {**GOOD, "method": "B", **change})], "f.csv"
    )
    (problem,) = inspection.problems
    assert (problem.kind, problem.row) == (kind, 7)
    assert words in problem.sentence
    assert inspection.describe(problem).startswith("f.csv:7: ")


def test_a_duplicate_names_both_rows_and_values() -> None:
    records = [
        Record(2, GOOD),
        Record(3, {**GOOD, "method": "B"}),
        Record(4, {**GOOD, "value": "0.3"}),
    ]
    (problem,) = inspect_records(records, "f.csv").problems
    assert (problem.kind, problem.row) == ("duplicate", 4)
    assert "also appears in row 2 (0.25 there, 0.3 here)" in problem.sentence


@pytest.mark.parametrize("column", ["version", "fold", "tool", "source"])
def test_rows_that_differ_in_a_fact_are_no_duplicates(column: str) -> None:
    records = [Record(2, {**GOOD, column: "a"}), Record(3, {**GOOD, column: "b"})]
    assert inspect_records(records, "f.csv").problems == ()


def test_a_note_makes_no_second_fact() -> None:
    records = [Record(2, {**GOOD, "note": "a"}), Record(3, {**GOOD, "note": "b"})]
    assert [problem.kind for problem in inspect_records(records, "f").problems] == ["duplicate"]


def test_all_problems_of_a_row_are_told_and_unreadable_rows_are_left_out() -> None:
    bad = {**GOOD, "method": "", "value": "x"}
    odd = {**GOOD, "measure": "cleverness", "value": "7"}
    inspection = inspect_records([Record(1, bad), Record(2, odd)], "f")
    assert [problem.kind for problem in inspection.problems] == ["missing", "number", "measure"]
    assert inspection.table.measure.tolist() == ["cleverness"]
    assert inspection.rows == (2,)


def test_measures_get_their_spelling_and_cells_lose_outer_blanks() -> None:
    table = require_valid(
        inspect_records([Record(1, {**GOOD, "method": " A  1 ", "fold": 3})], "f")
    )
    assert (table.measure[0], table.method[0], table.fold[0]) == ("MAP", "A  1", "3")


def test_the_error_names_twenty_problems_and_counts_the_rest() -> None:
    records = [Record(row, {**GOOD, "method": str(row), "value": "9"}) for row in range(2, 27)]
    with pytest.raises(TableError) as raised:
        require_valid(inspect_records(records, "f.csv"))
    lines = str(raised.value).splitlines()
    assert len(lines) == 21
    assert lines[0].startswith("f.csv:2: ")
    assert lines[-1] == "… and 5 more problems"
    assert len(raised.value.inspection.problems) == 25


def test_a_table_made_elsewhere_can_be_validated() -> None:
    table = ResultTable.from_rows([GOOD, {**GOOD, "value": 2.0, "method": "B"}])
    assert [(problem.kind, problem.row) for problem in find_problems(table)] == [("range", 2)]
