"""Marks: every one meets a result, and every result that the compilers suspected bears one."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from rankwise.results import MARK_KINDS, find_marks, leave_out_marked, read_marks, read_shipped
from rankwise.results.published.citations import is_source
from rankwise.results.result_table import ResultTable


def test_every_mark_is_of_a_known_kind_with_a_reason_and_a_known_source() -> None:
    for mark in read_marks():
        assert mark.kind in MARK_KINDS
        assert mark.why
        assert is_source(mark.source)
    assert {mark.kind for mark in read_marks()} == set(MARK_KINDS)


def test_every_mark_meets_a_result() -> None:
    met = {mark for found in find_marks(read_shipped("tax2015_results")) for mark in found}
    assert met == set(read_marks())


def test_the_page_counts_the_marks_of_every_kind() -> None:
    """The table of kinds in docs/literature.md."""
    found = find_marks(read_shipped("tax2015_results"))
    counts = Counter(kind for marks in found for kind in {mark.kind for mark in marks})
    page = (Path(__file__).parents[2] / "docs/literature.md").read_text("utf-8")
    told = {
        kind: int(count) for kind, count in re.findall(r"^\| `([\w-]+)` \| (\d+) \|", page, re.M)
    }
    assert {kind: told.get(kind) for kind in MARK_KINDS} == counts
    assert f"{sum(map(bool, found))} bear a mark" in page


def test_every_suspect_of_the_compilers_is_marked(shared: Path) -> None:
    with (shared / "literature/compiled/published_results.csv").open(encoding="utf-8") as stream:
        suspect = ["SUSPECT" in row["note"] for row in csv.DictReader(stream)]
    marks = find_marks(read_shipped("published_results"))
    assert sum(suspect) == 16
    assert all(found for found, doubted in zip(marks, suspect, strict=True) if doubted)


@pytest.mark.parametrize("method", ["LRUF", "LARF", "VFLR"])
def test_learning_from_feedback_concerns_every_result(method: str) -> None:
    table = read_shipped("tax2015_results").where(method=method)
    kinds = [{mark.kind for mark in found} for found in find_marks(table)]
    assert all("feedback" in found for found in kinds)


def test_a_run_of_ones_own_bears_no_mark() -> None:
    cell = {"collection": "LETOR 3.0", "dataset": "TD2004", "measure": "MAP", "value": 0.2}
    rows = [
        {**cell, "method": "LRUF", "source": "my own runs"},
        {**cell, "method": "LRUF", "source": None},
        {**cell, "method": "SortNet", "source": "Freno et al. (2011) | Rigutini et al. (2008)"},
    ]
    kinds = [[mark.kind for mark in found] for found in find_marks(ResultTable.from_rows(rows))]
    assert kinds == [[], [], ["version"]]


def test_what_is_left_out_is_said_with_counts_by_kind() -> None:
    table = read_shipped("tax2015_results")
    counts = Counter(kind for found in find_marks(table) for kind in {one.kind for one in found})
    left = leave_out_marked(table)
    marked = sum(map(bool, find_marks(table)))
    assert len(left) == len(table) - marked
    assert not any(find_marks(left))
    assert left.remarks[0] == f"left out: {marked} of 1,050 results are marked as not comparable"
    for sentence, kind in zip(left.remarks[1:], MARK_KINDS, strict=True):
        assert sentence.startswith(f"{kind}: {counts[kind]} ({MARK_KINDS[kind]}): ")
    assert "LARF 12, LRUF 16, VFLR 2" in left.remarks[1]
    assert leave_out_marked(left).remarks == left.remarks
