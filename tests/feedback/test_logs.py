"""Click logs: from tables and back, sessions found in three ways, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import EarlyRemark, RankwiseError
from rankwise.feedback import ClickLog, read_log, simulate_clicks, write_log
from tests.feedback.made import few_queries, one_list

TABLE = """query,document,position,click,time,bm25,length
q1,a,1,1,10,0.5,3
q1,b,2,0,10,0.25,4
q2,a,1,0,11,1.5,5
q1,b,1,1,12,0.25,4
q1,a,2,0,12,0.5,3
"""


def same(one: ClickLog, other: ClickLog) -> bool:
    names = ("session_queries", "session_offsets", "rows", "positions", "clicks")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_reading_gives_what_was_written(ending: str, tmp_path: Path) -> None:
    data = few_queries()
    log = simulate_clicks(data, 300, logging="feature:1")
    write_log(log, tmp_path / f"log.{ending}")
    assert same(log, read_log(tmp_path / f"log.{ending}", data))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_log_may_bring_its_features(ending: str, tmp_path: Path) -> None:
    data = few_queries()
    log = simulate_clicks(data, 300, logging="feature:1")
    write_log(log, tmp_path / f"log.{ending}", features=True)
    own = read_log(tmp_path / f"log.{ending}")
    assert own.dataset.feature_names == data.feature_names
    assert np.array_equal(own.dataset.features[own.rows], data.features[log.rows])
    assert np.array_equal(own.clicks, log.clicks)
    assert not own.judged


def test_documents_without_ids_go_by_their_number(tmp_path: Path) -> None:
    log = simulate_clicks(one_list(), 50, logging="random")
    write_log(log, tmp_path / "log.csv")
    assert same(log, read_log(tmp_path / "log.csv", one_list()))


def test_a_table_of_somebody_else(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(TABLE)
    log = read_log(path)
    assert (log.n_sessions, log.n_impressions, log.n_clicks) == (3, 5, 2)
    assert list(log.dataset.query_ids) == ["q1", "q2"]
    assert list(log.dataset.document_ids or ()) == ["a", "b", "a"]
    assert log.dataset.feature_names == ("bm25", "length")
    assert log.dataset.features.tolist() == [[0.5, 3], [0.25, 4], [1.5, 5]]
    assert log.rows.tolist() == [0, 1, 2, 1, 0]
    assert log.times is not None
    assert log.times.tolist() == [10, 11, 12]


def test_sessions_without_times_end_where_positions_do_not_rise(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    lines = [",".join(line.split(",")[:4]) for line in TABLE.splitlines()]
    path.write_text("\n".join(lines) + "\n")
    assert read_log(path).session_offsets.tolist() == [0, 2, 3, 5]


def test_sessions_by_name_need_not_stand_together(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(
        "session,query,document,position,click\ns,q,a,2,0\nt,q,a,1,1\ns,q,b,1,1\nt,q,b,2,0\n"
    )
    log = read_log(path)
    assert log.session_offsets.tolist() == [0, 2, 4]
    assert log.rows.tolist() == [1, 0, 0, 1]
    assert log.clicks.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,document,position\nq,a,1\n", "log.csv:1: .* click is missing"),
        (
            "query,document,position,click\nq,a,0,1\n",
            "whole numbers from 1 to 1,048,576, found 0 in row 1",
        ),
        ("query,document,position,click\nq,a,1,2\n", "clicks must be 0 or 1, found 2 in row 1"),
        ("query,document,position,click\nq,a,1\n", "log.csv:2: every row must have 4 cells"),
        ("query,document,position,click\nq,a,x,1\n", "column 'position' must hold numbers"),
        ("query,document,position,click\n", "at least one row, found none"),
        ("query,query,document,position,click\n", "a name of its own, found 'query' twice"),
    ],
)
def test_what_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(RankwiseError, match=message):
        read_log(path)


def test_a_document_that_the_data_lack_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("query,document,position,click\n1001,nothing,1,0\n")
    with pytest.raises(RankwiseError, match="found 'nothing' of query '1001', which is not"):
        read_log(path, few_queries())


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["s,q,a,1,1", "t,q,a,1,1", "t,q,b,1,0"],
            r"positions must rise .* found 1 after 1 in session 2 \(query 'q'\)",
        ),
        (
            ["s,r,a,1,1", "t,q,b,1,1", "t,q,c,2,0", "t,q,b,5,0"],
            r"show a document once, found 'b' twice in session 2 \(query 'q'\)",
        ),
    ],
)
def test_a_session_shows_a_document_once_and_one_at_a_position(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["session,query,document,position,click", *lines]) + "\n")
    with pytest.raises(RankwiseError, match=r"log\.csv: .*" + message + "$"):
        read_log(path)


@pytest.mark.parametrize("repeated", ["q,b,1,0,10", "q,a,2,0,10"])
def test_two_lists_of_one_time_need_names_of_sessions(repeated: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"query,document,position,click,time\nq,a,1,1,10\n{repeated}\n")
    with pytest.raises(RankwiseError, match="; tell lists apart by a column 'session'"):
        read_log(path)


def test_features_that_change_are_told(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    titles = "query,document,position,click,bm25,price"
    rows = ["q,a,1,1,,3", "q,b,2,0,0.5,4", "q,a,1,1,,3", "q,b,2,0,0.5,5"]
    path.write_text("\n".join([titles, *rows]) + "\n")
    with pytest.warns(EarlyRemark) as said:
        log = read_log(path)
    assert [str(one.message) for one in said] == [
        "document 'b' of query 'q' has price 4 in row 2 of the log and 5 in row 4: documents have "
        "the features of their first row"
    ]
    assert log.dataset.features[:, 1].tolist() == [3, 4]


def test_a_document_in_two_rows_of_the_data_is_refused_where_it_is_shown(tmp_path: Path) -> None:
    data = Dataset.from_arrays(np.eye(3), [0, 1, 0], ["q"] * 3, document_ids=["a", "b", "b"])
    path = tmp_path / "log.csv"
    path.write_text("query,document,position,click\nq,a,1,0\n")
    assert read_log(path, data).rows.tolist() == [0]
    path.write_text("query,document,position,click\nq,a,1,0\nq,b,2,1\n")
    with pytest.raises(RankwiseError, match="one row of the data, found 'b' of query 'q' in sever"):
        read_log(path, data)


def test_arrays_that_do_not_fit_are_refused() -> None:
    data = few_queries()
    with pytest.raises(RankwiseError, match="documents of its own query"):
        ClickLog(data, [0], [0, 1], [data.n_documents - 1], [1], [0])  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="positions must begin at 1"):
        ClickLog(data, [0], [0, 1], [0], [0], [0])  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="from 0 to the number of impressions"):
        ClickLog(data, [0], [0, 2], [0], [1], [0])  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="found 2 after 2 in session 1"):
        ClickLog(data, [0], [0, 2], [0, 1], [2, 2], [0, 1])  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="show a document once"):
        ClickLog(data, [0], [0, 2], [1, 1], [1, 2], [0, 1])  # type: ignore[arg-type]
