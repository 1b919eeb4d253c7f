"""Tables as data sets: every kind holds the same, guesses are said, the ambiguous is refused."""

from __future__ import annotations

import gzip
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data import Dataset, TableColumns, name_columns_of, read
from rankwise.errors import FormatError, GuessRemark, RankwiseError

FRAME = pandas.DataFrame(
    {
        "search_id": ["s1", "s1", "s2"],
        "query text": ["red shoes", "red shoes", "tea"],
        "product_id": ["p1", "p2", "p1"],
        "bm25": [2.5, 1.5, 0.1],
        "price": [np.nan, 20.5, 5.0],
        "relevance": [2, 0, 1],
    }
)
EXPECTED = Dataset.from_arrays(
    np.array([[2.5, np.nan], [1.5, 20.5], [0.1, 5.0]]), [2, 0, 1], qid=["s1", "s1", "s2"],
    document_ids=["p1", "p2", "p1"], feature_names=["bm25", "price"],
)  # fmt: skip
REMARK = (
    "'search_id' is the query, 'relevance' is the label, 'product_id' is the document, "
    "'query text' is left out, for it holds texts"
)


def _write_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))


WRITERS: dict[str, Callable[[Path], object]] = {
    "t.csv": lambda path: FRAME.to_csv(path, index=False),
    "t-with-index.csv": FRAME.to_csv,
    "t.tsv": lambda path: FRAME.to_csv(path, sep="\t", index=False),
    "t.csv.gz": _write_gzip,
    "t.parquet": FRAME.to_parquet,
    "t.feather": FRAME.to_feather,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_holds_the_same(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    with pytest.warns(GuessRemark) as said:
        found = read(tmp_path / name)
    assert found.equals(EXPECTED)
    assert [str(one.message) for one in said] == [f"{tmp_path / name}: {REMARK}"]


@pytest.mark.parametrize("frame", [FRAME, polars.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_frames_hold_the_same(frame: Any) -> None:
    with pytest.warns(GuessRemark, match=f"^the frame: {REMARK}$"):
        assert read(frame).equals(EXPECTED)


@pytest.fixture
def _silence() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", GuessRemark)
        yield


@pytest.mark.usefixtures("_silence")
def test_what_is_named_is_not_guessed_and_nothing_is_said() -> None:
    names = {"query_column": "search_id", "label_column": "relevance"}
    found = read(FRAME, **names, document_column="product_id", features=["price", "bm25"])
    assert found.feature_names == ("price", "bm25")
    np.testing.assert_array_equal(found.features, EXPECTED.features[:, ::-1])


@pytest.mark.usefixtures("_silence")
def test_queries_by_qid_and_by_group() -> None:
    frame = pandas.DataFrame({"label": [2, 0, 1], "f": [1.0, 2.0, 3.0]})
    by_id, by_count = read(frame, qid=["a", "a", "b"]), read(frame, group=[2, 1])
    assert list(by_id.query_ids) == ["a", "b"] and list(by_count.query_ids) == ["1", "2"]
    assert by_id.query_offsets.tolist() == by_count.query_offsets.tolist() == [0, 2, 3]
    for wrong in ({"qid": ["a"]}, {"group": [2, 2]}, {"group": [2, 1], "qid": ["a", "a", "b"]}):
        with pytest.raises(RankwiseError):
            read(frame, **wrong)


@pytest.mark.usefixtures("_silence")
def test_weights_of_rows_are_those_of_the_data_set() -> None:
    frame = pandas.DataFrame({"label": [2, 0], "qid": [1, 1], "f": [1, 2], "w": [0.5, 3]})
    found = read(frame, weight_column="w")
    assert found.weights is not None and found.weights.tolist() == [0.5, 3.0]
    assert found.feature_names == ("f",) and read(frame).feature_names == ("f", "w")


@pytest.mark.usefixtures("_silence")
def test_labels_are_needed_unless_somebody_only_scores() -> None:
    frame = pandas.DataFrame({"qid": [1, 1], "f": [1, 2]})
    with pytest.raises(RankwiseError, match="label is missing: none of 'qid', 'f' is called so"):
        read(frame)
    assert read(frame, needs_labels=False).labels.tolist() == [0, 0]


@pytest.mark.usefixtures("_silence")
def test_rows_of_a_query_are_brought_together_where_that_is_asked_for() -> None:
    frame = pandas.DataFrame({"qid": ["b", "a", "b"], "label": [1, 2, 3], "f": [4, 5, 6]})
    with pytest.raises(RankwiseError, match="rows of a query must stand together"):
        read(frame)
    found = read(frame, repeated_queries="merge")
    assert list(found.query_ids) == ["b", "a"]
    assert found.labels.tolist() == [1, 3, 2] and found.features.ravel().tolist() == [4, 6, 5]


WRONG = {
    "qid,label,f\n1,0,2\n1,1\n": (3, "every row must have the 3 cells of the header, found 2"),
    "qid,label,f\n1,0,2\n1,1,x\n": (3, "column 'f' must hold numbers, found 'x'"),
    "qid,label,f\n1,0,2\n1,1,1_0\n": (3, "column 'f' must hold numbers, found '1_0'"),
    'qid,label,f\n1,0,2\n1,1,"x\n': (3, "the file must be a table of text"),
    "qid,label,f,f\n1,0,2,3\n": (1, "columns must have different names, found 'f' twice"),
    "qid\n1\n": (1, "the first line must name 2 to 100,000 columns, found 1"),
    "": (1, "the first line must name 2 to 100,000 columns, found 0"),
    "qid,label,f\n": (None, "the table must hold at least one row, found none"),
    "qid,label,f\n,0,2\n": (None, "every row must have a query id, found none in row 1"),
    "qid,label,f\n1,,2\n": (None, "labels must be finite numbers"),
    "query,topic,label,f\n1,2,1,1\n": (None, "must be the query, found 'query' and 'topic'"),
    "qid,rel,grade,f\n1,2,1,1\n": (None, "must be the label, found 'rel' and 'grade'"),
    "qid,label,doc,docid\n1,2,1,1\n": (None, "must be the document, found 'doc' and 'docid'"),
    "number,label,f\n1,2,1\n": (None, "qid is missing: none of 'number', 'label', 'f'"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_in_a_text_is_told_with_its_line(text: str, tmp_path: Path) -> None:
    line, sentence = WRONG[text]
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=sentence) as error:
        read(path)
    assert (error.value.path, error.value.line) == (str(path), line)


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"qid,label,f\n1,0,2\n\xff,1,1\n")
    with pytest.raises(FormatError, match=r"t\.csv:3: the file must be text in UTF-8"):
        read(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"query_column": "x"}, "must have the column 'x', found 'search_id'"),
        ({"features": ["price", "price"]}, "a column is one thing, found 'price' named twice"),
        ({"features": ["relevance"], "label_column": "relevance"}, "found 'relevance' named twice"),
    ],
)
def test_names_that_fit_no_column(named: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        read(FRAME, **named)


def test_letor_text_has_no_columns(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("1 qid:1 1:2\n")
    with pytest.raises(RankwiseError, match="LETOR text has none, found 'x'"):
        read(tmp_path / "t.txt", query_column="x")


@pytest.mark.usefixtures("_silence")
def test_a_path_keeps_the_columns_that_were_named_for_it(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "t.csv")
    columns = TableColumns("search_id", "relevance", "product_id", ("bm25", "price"))
    path = name_columns_of(tmp_path / "t.csv", columns)
    assert read(path).equals(EXPECTED)
    assert read(pickle.loads(pickle.dumps(path))).equals(EXPECTED)
    assert path == tmp_path / "t.csv" and str(path) == str(tmp_path / "t.csv")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(width=64), min_size=1, max_size=8))
def test_text_holds_every_double_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("qid,label,f\n" + "".join(f"1,0,{value!r}\n" for value in values))
    np.testing.assert_array_equal(read(path).features[:, 0], values)


NESTED: dict[str, Any] = {
    "polars lists": polars.DataFrame({"label": [1, 0], "qid": [1, 1], "f": [[1.0, 2.0], [3.0]]}),
    "equal lists": polars.DataFrame({"label": [1, 0], "qid": [1, 1], "f": [[1.0], [3.0]]}),
    "structs": polars.DataFrame({"label": [1, 0], "qid": [1, 1], "f": [{"a": 1}, {"a": 2}]}),
    "polars ids": polars.DataFrame({"label": [1, 0], "qid": [["a"], ["a"]], "f": [1.0, 2.0]}),
    "pandas lists": pandas.DataFrame({"label": [1, 0], "qid": [1, 1], "f": [[1.0], [2.0, 3.0]]}),
    "arrays": pandas.DataFrame({"label": [1, 0], "qid": [1, 1], "f": [np.ones(2), np.ones(2)]}),
    "pandas ids": pandas.DataFrame({"label": [1, 0], "qid": [["a"], ["a"]], "f": [1.0, 2.0]}),
}


@pytest.mark.parametrize("kind", NESTED)
def test_columns_of_lists_are_refused(kind: str) -> None:
    with pytest.raises(RankwiseError, match=r"column 'f' must be numbers, found|an id must be"):
        read(NESTED[kind])
    with pytest.raises(RankwiseError, match=r"column 'f' must be numbers, found|an id must be"):
        Dataset.from_frame(NESTED[kind])


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "pandas", "polars"])
def test_underscores_between_digits_make_no_number(kind: str, tmp_path: Path) -> None:
    frame = pandas.DataFrame(
        {"label": [1, 0], "qid": [1, 1], "f": [1.0, 2.0], "size": ["1_000", "2_000"]}
    )
    path = tmp_path / f"t.{kind}"
    given: Any = {"pandas": frame, "polars": polars.from_pandas(frame)}.get(kind, path)
    if given is path:
        {"csv": lambda: frame.to_csv(path, index=False), "parquet": lambda: frame.to_parquet(path),
         "feather": lambda: frame.to_feather(path)}[kind]()  # fmt: skip
    with pytest.warns(GuessRemark, match="'size' is left out, for it holds texts"):
        assert read(given).feature_names == ("f",)


@pytest.mark.parametrize(
    ("name", "separator", "sentence"),
    [
        ("t.csv", ";", "semicolons: write it with commas or tabs"),
        ("t.csv", "\t", "tabs: name the file .tsv"),
        ("t.tsv", ",", "commas: name the file .csv"),
        ("t.csv", "|", "bars: write it with commas or tabs"),
    ],
)
def test_another_separator_is_named(
    name: str, separator: str, sentence: str, tmp_path: Path
) -> None:
    FRAME.to_csv(tmp_path / name, sep=separator, index=False)
    with pytest.raises(FormatError, match=f"must name 2 to .* this one seems to have {sentence}$"):
        read(tmp_path / name)
