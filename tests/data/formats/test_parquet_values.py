"""Parquet tables with values that no data set can hold, and data sets that Parquet cannot."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from rankwise.data import read, write
from rankwise.errors import RankwiseError

COLUMNS = {"label": [1, 0], "qid": ["a", "a"], "f": [0.5, 1.5]}
FAR = pyarrow.array([10**13, 10**13], pyarrow.timestamp("s"))


@pytest.mark.parametrize("name", ["label", "qid", "document", "comment", "f"])
def test_dates_that_python_has_no_year_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pyarrow.table({**COLUMNS, name: FAR}), path)
    with pytest.raises(RankwiseError, match=f"column '{name}' must hold"):
        read(path)


@pytest.mark.parametrize("name", ["d.parquet", "d.feather", "d.csv", "d.tsv.gz"])
@pytest.mark.parametrize(
    "row", [b"1 qid:a\xff 1:2\n", b"1 qid:a 1:2 #docid = \xff\n", b"1 qid:a 1:2 # \xff\n"]
)
def test_texts_that_are_not_utf_8_stay_in_letor_text(row: bytes, name: str, tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_bytes(row)
    dataset = read(tmp_path / "d.txt")
    with pytest.raises(RankwiseError, match="tables hold text in UTF-8"):
        write(dataset, tmp_path / name)
    assert not (tmp_path / name).exists()
    write(dataset, tmp_path / "again.txt")
    assert read(tmp_path / "again.txt").equals(dataset)


@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        (pyarrow.array([1.0, 2.0]), ["1", "2"]),
        (pyarrow.array([1.5, 2.0]), ["1.5", "2"]),
        (pyarrow.array([b"a", b"b"]), ["a", "b"]),
        (pyarrow.array([True, False]), ["True", "False"]),
        (pyarrow.array(["x", "y"]).dictionary_encode(), ["x", "y"]),
    ],
    ids=["whole doubles", "doubles", "bytes", "flags", "a dictionary"],
)
def test_ids_are_those_that_text_files_have(
    ids: pyarrow.Array, texts: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pyarrow.table({**COLUMNS, "qid": ids, "document": ids}), path)
    found = read(path)
    assert list(found.query_ids) == texts == list(found.document_ids or ())


def test_ids_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    for ids, sentence in (
        (pyarrow.array([1.0, float("nan")]), "every row must have a query id, found none in row 2"),
        (pyarrow.array([[1], [1]]), "column 'qid' must hold texts or numbers, found list"),
        (pyarrow.array([{"x": 1}] * 2), "column 'qid' must hold texts or numbers, found struct"),
    ):
        pyarrow.parquet.write_table(pyarrow.table({**COLUMNS, "qid": ids}), path)
        with pytest.raises(RankwiseError, match=sentence):
            read(path)


def test_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    names = [*COLUMNS, "f"]
    pyarrow.parquet.write_table(pyarrow.table([*COLUMNS.values(), [1.0, 2.0]], names=names), path)
    with pytest.raises(RankwiseError, match=r"d\.parquet: columns must have different names"):
        read(path)
