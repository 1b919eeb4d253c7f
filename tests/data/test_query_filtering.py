"""Queries left out of data sets and of folders of folds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankwise as rw
from rankwise.data.dataset_description import mark_empty, mark_short
from rankwise.data.queries import QueryDrop, parse_drop
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError

LABELS = [1, 0, 0, 0, 2, 0, 0]
QUERIES = ["a", "a", "b", "b", "c", "d", "d"]


def make() -> rw.Dataset:
    return rw.Dataset.from_arrays(np.arange(7.0)[:, None], LABELS, QUERIES)


@pytest.mark.parametrize(
    ("drop", "kept"),
    [
        ("empty", ["a", "c"]),
        ("short:2", ["a", "b", "d"]),
        ("empty,short:2", ["a"]),
        ("short:1", ["a", "b", "c", "d"]),
    ],
)
def test_queries_are_left_out_by_kind(drop: str, kept: list[str]) -> None:
    found = rw.filter_queries(make(), drop)
    assert list(found.query_ids) == kept
    assert found.labels.tolist() == [
        label for label, query in zip(LABELS, QUERIES, strict=True) if query in kept
    ]


@given(st.integers(0, 50), st.booleans(), st.integers(1, 12))
def test_what_is_kept_is_neither_empty_nor_short(seed: int, empty: bool, length: int) -> None:
    dataset = make_dataset(12, seed=seed)
    drop = QueryDrop(empty, length)
    marked = drop.mark(dataset)
    if marked.all():
        return
    kept = rw.filter_queries(dataset, drop)
    assert kept.n_queries == int((~marked).sum())
    assert not drop.mark(kept).any()
    assert not mark_short(kept, length).any()
    assert not (empty and mark_empty(kept).any())


def test_kinds_are_read_from_a_text() -> None:
    assert parse_drop("empty, short") == QueryDrop(True, 10)
    assert parse_drop("short:5") == QueryDrop(False, 5)


@pytest.mark.parametrize("text", ["", "long", "empty,empty", "short:0", "short:x", "short:-1"])
def test_other_kinds_are_refused(text: str) -> None:
    with pytest.raises(RankwiseError, match="short:k"):
        parse_drop(text)


def test_a_query_must_be_left(tmp_path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("0 qid:1 1:1\n")
    with pytest.raises(RankwiseError, match=r"rows.txt: a query must be left"):
        rw.filter_files(path, tmp_path / "out.txt", "empty")
    assert not (tmp_path / "out.txt").exists()


def test_versions_of_a_folder_are_filtered_together_or_not_at_all(tmp_path) -> None:
    (tmp_path / "in").mkdir()
    for version in ("Feature-null", "QueryLevelNorm"):
        rw.write_folds(rw.split_folds(make_dataset(15, seed=2)), tmp_path / "in" / version)
    found = rw.filter_files(tmp_path / "in", tmp_path / "out", "short:4")
    assert len(found) == 2 * 5 * 3
    for part in found:
        kept = rw.read(part.output)
        assert (kept.n_queries, kept.n_documents) == (part.kept_queries, part.kept_rows)
    with pytest.raises(RankwiseError, match="a query must be left"):
        rw.filter_files(tmp_path / "in", tmp_path / "none", "short:1000")
    assert not (tmp_path / "none").exists()
