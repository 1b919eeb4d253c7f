"""Wide tables of methods by data sets become long ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.errors import FormatError, RankwiseError
from rankwise.results import WideLayout, read_results
from rankwise.results.result_files import split_dataset
from rankwise.results.result_validation import TableError


def table(folder: Path, text: str) -> Path:
    path = folder / "wide.csv"
    path.write_text(text)
    return path


def test_every_filled_cell_is_a_result(tmp_path: Path) -> None:
    path = table(tmp_path, "method,TD2003,TD2004\nA,.1,-\nB, n/a ,.2\nC,,.3\n")
    found = read_results(path, wide=WideLayout("map", "LETOR 3.0", source="a paper"))
    assert found.method.tolist() == ["A", "B", "C"]
    assert found.datasets() == ["LETOR 3.0 TD2003", "LETOR 3.0 TD2004"]
    assert found.value.tolist() == [0.1, 0.2, 0.3]
    assert set(found.measure) == {"MAP"}
    assert set(found.source) == {"a paper"}


def test_full_names_in_the_header_name_the_collection(tmp_path: Path) -> None:
    path = table(tmp_path, "x,LETOR 3.0 TD2003,MSLR MSLR-WEB10K,mine\nA,.1,.2,.3\n")
    found = read_results(path, wide=WideLayout("NDCG@10"))
    assert found.collection.tolist() == ["LETOR 3.0", "MSLR", ""]
    assert found.dataset.tolist() == ["TD2003", "MSLR-WEB10K", "mine"]


def test_rows_may_be_data_sets(tmp_path: Path) -> None:
    path = table(tmp_path, "data set,A,B\nTD2003,.1,.2\n")
    found = read_results(path, wide=WideLayout("MAP", "LETOR 3.0", rows="dataset"))
    assert list(zip(found.method, found.dataset, strict=True)) == [("A", "TD2003"), ("B", "TD2003")]


def test_problems_name_the_line(tmp_path: Path) -> None:
    path = table(tmp_path, "method,TD2003\nA,.1\nB,41.2\nA,.3\n")
    with pytest.raises(TableError) as raised:
        read_results(path, wide=WideLayout("MAP", "LETOR 3.0"))
    assert [problem.row for problem in raised.value.inspection.problems] == [3, 4]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("method\nA\n", "at least one column of values"),
        ("method,,TD\nA,.1,.2\n", "must be named"),
        ("method,TD,TD\nA,.1,.2\n", "'TD' must appear once"),
    ],
)
def test_a_header_that_names_no_data_sets_gets_a_sentence(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(FormatError, match=words):
        read_results(table(tmp_path, text), wide=WideLayout("MAP"))


def test_the_measure_is_checked_before_the_file() -> None:
    with pytest.raises(RankwiseError, match="did you mean 'NDCG@10'"):
        WideLayout("NDGC@10")


def test_splitting_full_names() -> None:
    assert split_dataset("LETOR 4.0 MQ2007") == ("LETOR 4.0", "MQ2007")
    assert split_dataset("LETOR 4.0") == ("", "LETOR 4.0")
    assert split_dataset("AOLX y") == ("", "AOLX y")
