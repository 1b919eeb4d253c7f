"""Results in data frames: read as files are, and written back as they were."""

from __future__ import annotations

from typing import Any

import pytest

from rankwise.errors import FormatError
from rankwise.results import ResultTable, TableError, read_results

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

ROW = {"collection": "LETOR 3.0", "dataset": "TD2004", "method": "A", "value": 0.25}
TABLE = ResultTable.from_rows([{**ROW, "measure": "NDCG@10", "fold": "1"}])


@pytest.mark.parametrize("frame_of", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize("column", ["measure", "metric"])
def test_frames_are_read_as_files_are(frame_of: Any, column: str) -> None:
    assert read_results(frame_of([{**ROW, column: "ndcg@10", "fold": 1}])) == TABLE


def test_a_table_becomes_a_frame_and_comes_back() -> None:
    frame = TABLE.to_frame()
    assert list(frame.columns) == ["collection", "dataset", "method", "measure", "value", "fold"]
    assert read_results(frame) == TABLE


def test_missing_cells_of_pandas_are_not_given() -> None:
    rows = [{**ROW, "measure": "MAP", "fold": 1}, {**ROW, "measure": "P@1", "note": "x"}]
    table = read_results(pandas.DataFrame(rows))
    assert (table.fold.tolist(), table.note.tolist()) == (["1", None], [None, "x"])


def test_problems_name_the_row_of_the_frame() -> None:
    rows = [{**ROW, "measure": "MAP"}, {**ROW, "measure": "MAP", "value": 2.0, "method": "B"}]
    with pytest.raises(TableError, match="the data frame:2: MAP must lie from 0 to 1, found 2"):
        read_results(pandas.DataFrame(rows))
    with pytest.raises(FormatError, match="the data frame: a result table must have the columns"):
        read_results(pandas.DataFrame([{"method": "A"}]))
    both = pandas.DataFrame([{**ROW, "measure": "MAP", "metric": "MAP"}])
    with pytest.raises(FormatError, match="the column measure must appear once"):
        read_results(both)


def test_a_notebook_shows_names_as_text() -> None:
    shown = ResultTable.from_rows([{**ROW, "measure": "MAP", "method": "<b>A</b>"}])._repr_html_()
    assert "<td>&lt;b&gt;A&lt;/b&gt;</td>" in shown
    assert "<b>" not in shown
