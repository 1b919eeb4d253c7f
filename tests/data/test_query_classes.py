"""Classes of queries: from a column, in comments, through versions, folds, files and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.checks.made import planted, with_column
from rankwise.data import normalize, read, read_folds, split_folds, with_query_classes, write
from rankwise.data.dataset import Dataset
from rankwise.data.folds import write_folds
from rankwise.data.normalization.normalizing import NORMALIZATIONS
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

NAMES = ["home page", "topic", "home page", "named = page", "topic"]


def classed(names: list[str] = NAMES) -> Dataset:
    return replace(planted(len(names), 4), query_classes=TextColumn.from_texts(names))


def numbered() -> Dataset:
    data = planted(5, 4)
    return with_column(data, np.repeat([1.0, 3.0, 1.0, 2.5, 3.0], 4))


def test_a_column_gives_the_classes_and_stays():
    data = numbered()
    found = with_query_classes(data, 6)
    assert found.query_classes is not None
    assert list(found.query_classes) == ["1", "3", "1", "2.5", "3"]
    assert found.features.tobytes() == data.features.tobytes()
    named = data.with_feature_names(["a", "b", "c", "d", "e", "kind"])
    assert list(with_query_classes(named, "kind").query_classes or ()) == [
        "1",
        "3",
        "1",
        "2.5",
        "3",
    ]


@pytest.mark.parametrize("column", [0, 7, "kind", "-1", "1.0", "9" * 30])
def test_a_column_that_is_none_is_refused(column):
    with pytest.raises(RankwiseError, match="must be a feature from 1 to 6"):
        with_query_classes(numbered(), column)


def test_a_column_that_varies_or_is_null_is_no_class():
    with pytest.raises(RankwiseError, match="feature 1 must be the same in all documents"):
        with_query_classes(numbered(), 1)
    null = with_column(planted(2, 4), np.array([1.0, 1, 1, 1, 2, 2, np.nan, 2]))
    with pytest.raises(RankwiseError, match="for query '2'"):
        with_query_classes(null, 6)


@pytest.mark.parametrize("to", [one.name for one in NORMALIZATIONS.values()])
def test_every_scale_keeps_the_column_and_the_classes(to):
    data = numbered()
    fitted = data if NORMALIZATIONS[to].fitted else None
    found = normalize(data, to, fit_on=fitted, class_column=6)
    plain = normalize(data, to, fit_on=fitted)
    assert found.features[:, 5].tobytes() == data.features[:, 5].tobytes()
    assert found.features[:, :5].tobytes() == plain.features[:, :5].tobytes()
    assert list(found.query_classes or ()) == ["1", "3", "1", "2.5", "3"]


@pytest.mark.parametrize("ending", ["txt", "txt.gz", "parquet"])
@pytest.mark.parametrize("documents", [True, False])
def test_files_keep_the_classes(tmp_path: Path, ending: str, documents: bool):
    data = classed()
    if documents:
        ids = TextColumn.from_texts(f"D{row}" for row in range(data.n_documents))
        data = replace(data, document_ids=ids)
    write(data, tmp_path / f"data.{ending}")
    found = read(tmp_path / f"data.{ending}")
    assert found.query_classes == data.query_classes
    assert found.document_ids == data.document_ids
    write(found, tmp_path / f"again.{ending}")
    assert read(tmp_path / f"again.{ending}").equals(found)


def test_frames_keep_the_classes():
    data = classed()
    assert Dataset.from_frame(data.to_pandas()).query_classes == data.query_classes
    assert Dataset.from_frame(data.to_polars()).query_classes == data.query_classes


def test_scales_and_folds_of_files_keep_the_classes(tmp_path: Path):
    names = [f"class {number % 3}" for number in range(10)]
    write(classed(names), tmp_path / "all.txt")
    scaled = normalize(read(tmp_path / "all.txt"), "query-level")
    write_folds(split_folds(scaled, 5, seed=1), tmp_path / "folds")
    by_query = dict(zip(scaled.query_ids, names, strict=True))
    for fold in read_folds(tmp_path / "folds"):
        for _, part in fold.parts():
            found = dict(zip(part.query_ids, part.query_classes or (), strict=True))
            assert found == {query: by_query[query] for query in part.query_ids}


def test_a_class_that_changes_replaces_the_one_in_the_comments(tmp_path: Path):
    write(classed(), tmp_path / "data.txt")
    data = read(tmp_path / "data.txt")
    assert data.comments is not None and data.comments[0] == "query-class = home page"
    changed = replace(data, query_classes=TextColumn.from_texts("abcde"))
    write(changed, tmp_path / "data.txt")
    found = read(tmp_path / "data.txt")
    assert list(found.query_classes or ()) == list("abcde")
    assert found.comments is not None and found.comments[0] == "query-class = a"


@pytest.mark.parametrize(
    "rows",
    [
        "1 qid:1 1:1 #query-class = a\n0 qid:1 1:0 #query-class = b\n",
        "1 qid:1 1:1 #query-class = a\n0 qid:2 1:0 #docid = 3\n",
        "1 qid:1 1:1 #query-class = a\n0 qid:1 1:0\n",
        "1 qid:1 1:1 #query-class = \n",
    ],
)
def test_rows_that_do_not_name_one_class_are_refused(tmp_path: Path, rows: str):
    (tmp_path / "data.txt").write_text(rows)
    with pytest.raises(RankwiseError, match=r"data\.txt.*must name one class"):
        read(tmp_path / "data.txt")


def test_other_comments_name_no_class(tmp_path: Path):
    (tmp_path / "data.txt").write_text("1 qid:1 1:1 #docid = 1 class = a\n0 qid:1 1:0 #\n")
    assert read(tmp_path / "data.txt").query_classes is None


@pytest.mark.parametrize("name", ["", " a", "a\nb"])
def test_a_class_that_could_not_be_read_back_is_not_written(tmp_path: Path, name: str):
    with pytest.raises(RankwiseError, match="the class of a query must be a text"):
        write(classed([name, "b"]), tmp_path / "data.txt")
    assert not (tmp_path / "data.txt").exists()


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1), min_size=1)
)
def test_any_name_comes_back(tmp_path_factory: pytest.TempPathFactory, names: list[str]):
    path = tmp_path_factory.mktemp("classes") / "data.txt"
    data = classed(names)
    write(data, path)
    assert read(path).query_classes == data.query_classes
