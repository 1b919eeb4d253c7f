"""The Dataset type: shapes, views, subsets, arrays and frames in and out."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest

from rankwise import Dataset
from rankwise.data.dataset_description import describe
from rankwise.data.joining import concatenate, merge_repeated_queries
from rankwise.data.reading import read, write
from rankwise.data.synthetic import make_dataset
from rankwise.data.text import TextColumn, join
from rankwise.errors import RankwiseError


@pytest.fixture
def dataset():
    return Dataset.from_arrays(
        np.arange(12.0).reshape(6, 2),
        [0, 1, 2, 0, 1, 2],
        qid=["a", "a", "b", "c", "c", "c"],
        document_ids=[f"d{row}" for row in range(6)],
    )


def test_queries_are_views(dataset):
    query = dataset.query(2)
    assert query.id == "c"
    assert np.shares_memory(query.features, dataset.features)
    assert np.shares_memory(query.labels, dataset.labels)
    assert list(query.document_ids) == ["d3", "d4", "d5"]
    assert [query.id for query in dataset.queries()] == ["a", "b", "c"]


def test_an_unbroken_run_of_queries_is_not_copied(dataset):
    part = dataset.select_queries(slice(1, 3))
    assert np.shares_memory(part.features, dataset.features)
    assert part.query_offsets.tolist() == [0, 1, 4]
    assert list(part.query_ids) == ["b", "c"]
    assert list(part.document_ids) == ["d2", "d3", "d4", "d5"]


def test_other_subsets_keep_their_order(dataset):
    part = dataset.select_queries([2, 0])
    assert list(part.query_ids) == ["c", "a"]
    assert part.labels.tolist() == [0, 1, 2, 0, 1]
    assert list(part.document_ids) == ["d3", "d4", "d5", "d0", "d1"]
    masked = dataset.select_queries(np.array([True, False, True]))
    assert list(masked.query_ids) == ["a", "c"]


def test_arrays_are_read_only_and_the_callers_are_not_touched():
    features = np.zeros((2, 1))
    dataset = Dataset.from_arrays(features, [0, 1], qid=[1, 1])
    with pytest.raises(ValueError, match="read-only"):
        dataset.features[0, 0] = 1.0
    features[0, 0] = 1.0


def test_groups_are_row_counts():
    dataset = Dataset.from_arrays([[1.0]] * 3, [0, 1, 0], group=[1, 2])
    assert dataset.query_offsets.tolist() == [0, 1, 3]
    assert dataset.query_of_rows.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"qid": [1, 2, 1]}, "found query '1' in row 2 again, first seen in row 0"),
        ({"qid": [1, 1]}, "one query id per row"),
        ({}, "either qid"),
        ({"qid": [1, 1, 1], "group": [3]}, "either qid"),
        ({"group": [1, 1]}, "must add up to the 3 rows, found 2"),
        ({"group": [0, 3]}, "whole numbers above 0"),
        ({"group": [1.5, 1.5]}, "whole numbers above 0"),
        ({"qid": [1, 1, 1], "document_ids": ["a"]}, "one document id per document"),
        ({"qid": [1, 1, 1], "feature_names": ["a", "b"]}, "one name per feature"),
    ],
)
def test_what_arrays_must_be(arguments, sentence):
    with pytest.raises(RankwiseError, match=sentence):
        Dataset.from_arrays([[1.0]] * 3, [0, 1, 0], **arguments)


def test_shapes_must_fit():
    with pytest.raises(RankwiseError, match="as many rows, found 2 and 3"):
        Dataset.from_arrays([[1.0]] * 2, [0, 1, 0], qid=[1, 1, 1])
    with pytest.raises(RankwiseError, match="two dimensions"):
        Dataset.from_arrays([1.0, 2.0], [0, 1], qid=[1, 1])
    ids = TextColumn.from_texts(["a"])
    with pytest.raises(RankwiseError, match="query offsets must rise from 0"):
        Dataset(np.zeros((2, 1)), np.zeros(2), np.array([0, 1]), ids)


@pytest.mark.parametrize("library", [pandas, polars])
def test_frames(library):
    frame = library.DataFrame({"y": [1, 0], "topic": [7, 7], "bm25": [1.5, None], "tf": [2, 3]})
    dataset = Dataset.from_frame(frame, label="y", query="topic")
    assert dataset.feature_names == ("bm25", "tf")
    assert list(dataset.query_ids) == ["7"]
    assert np.isnan(dataset.features[1, 0])
    with pytest.raises(RankwiseError, match="must have a column 'label', found 'y'"):
        Dataset.from_frame(frame)
    bad = library.DataFrame({"label": [1], "qid": [1], "x": ["word"]})
    with pytest.raises(RankwiseError, match="column 'x' must be numbers, found 'word'"):
        Dataset.from_frame(bad)


def test_joining(dataset):
    other = dataset.select_queries([0])
    with pytest.raises(RankwiseError, match="'a' stands for more than one query"):
        concatenate([dataset, other])
    parts = [dataset.select_queries([number]) for number in range(3)]
    assert concatenate(parts).equals(dataset)
    with pytest.raises(RankwiseError, match="equally many features"):
        concatenate([parts[0], parts[1].widened(5)])
    assert merge_repeated_queries(dataset).equals(dataset)


def test_text_columns():
    column = TextColumn.from_texts(["a", "", "é", "a", "a"])
    assert list(column) == ["a", "", "é", "a", "a"]
    assert column[2] == "é"
    assert list(column[1:3]) == ["", "é"]
    assert column.changes().tolist() == [True, True, True, False]
    assert list(column.take(np.array([2, 0])).packed()) == ["é", "a"]
    assert list(join([column[:1], TextColumn.blank(2)])) == ["a", "", ""]
    assert column != TextColumn.from_texts(["a"])
    odd = TextColumn(np.frombuffer(b"\xff", np.uint8), np.array([0]), np.array([1]))
    assert TextColumn.from_texts([odd[0]]).encoded(0) == b"\xff"


def test_made_up_data_are_the_same_for_the_same_seed():
    assert make_dataset(20, seed=3).equals(make_dataset(20, seed=3))
    assert not make_dataset(20, seed=3).equals(make_dataset(20, seed=4))
    dataset = make_dataset(50)
    assert set(np.unique(dataset.labels)) == {0.0, 1.0, 2.0}
    assert np.isnan(dataset.features).any()


def test_no_query_and_queries_that_are_not_there(dataset):
    for nothing in ([], np.zeros(0), (), np.zeros(dataset.n_queries, bool)):
        assert dataset.select_queries(nothing).n_queries == 0
    for wrong in ([dataset.n_queries], [0.5], [[0, 1]], [True]):
        with pytest.raises(RankwiseError, match="queries are chosen by"):
            dataset.select_queries(wrong)


def _repeated(classes: list[str], facts: list[float]) -> Dataset:
    return Dataset(
        features=np.arange(4.0)[:, np.newaxis],
        labels=np.arange(4.0),
        query_offsets=np.array([0, 2, 3, 4]),
        query_ids=TextColumn.from_texts(["a", "b", "a"]),
        query_classes=TextColumn.from_texts(classes),
        query_features=np.array(facts)[:, np.newaxis],
    )


def test_what_is_known_of_a_query_stays_when_its_rows_are_brought_together():
    merged = merge_repeated_queries(_repeated(["x", "y", "x"], [0.1, 0.2, 0.1]))
    assert list(merged.query_ids) == ["a", "b"] and merged.labels.tolist() == [0, 1, 3, 2]
    assert list(merged.query_classes) == ["x", "y"]
    assert merged.query_features.tolist() == [[0.1], [0.2]]
    with pytest.raises(RankwiseError, match=r"query 'a' must have one class .* 'x' and 'z'"):
        merge_repeated_queries(_repeated(["x", "y", "z"], [0.1, 0.2, 0.1]))
    with pytest.raises(RankwiseError, match="query 'a' must have one row of query features"):
        merge_repeated_queries(_repeated(["x", "y", "x"], [0.1, 0.2, 0.3]))


def test_packed_data_with_classes_are_merged(tmp_path):
    write(_repeated(["x", "y", "x"], [0.1, 0.2, 0.1]), tmp_path / "d.rwd")
    found = read(tmp_path / "d.rwd", repeated_queries="merge")
    assert list(found.query_classes) == ["x", "y"]


def test_labels_are_counted_by_all_their_digits():
    dataset = Dataset.from_arrays(np.ones((3, 1)), [0.1234561, 0.1234562, 2], ["a", "a", "a"])
    assert describe(dataset).labels == {"0.1234561": 1, "0.1234562": 1, "2": 1}
    assert ("labels", "0.1234561: 1, 0.1234562: 1, 2: 1") in dataset._shown()[1]
