"""Facts and faults of data sets, on made cases and on the real files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise import Dataset
from rankwise.data.checking import check_dataset, check_parts
from rankwise.data.dataset_description import describe
from rankwise.data.reading import read_all
from rankwise.data.sparse_features import as_sparse


def test_facts_of_a_small_data_set():
    features = [[1, 5, 3, 1, np.nan], [1, 5, 4, 1, 2], [1, 6, 3, 1, 2]]
    facts = describe(Dataset.from_arrays(features, [0, 0, 1.5], qid=["a", "a", "b"]))
    assert (facts.rows, facts.queries, facts.features) == (3, 2, 5)
    assert facts.labels == {"0": 2, "1.5": 1}
    assert facts.documents_per_query == {"min": 1, "median": 1.5, "max": 2}
    assert facts.queries_without_relevant == 1
    assert facts.queries_without_irrelevant == 1
    assert facts.queries_shorter_than_10 == 2
    assert facts.constant_features == ["1", "4", "5"]
    assert facts.constant_in_queries == ["1", "2", "4", "5"]
    assert facts.null_features == {"5": 1}
    assert facts.duplicate_features == [["1", "4"]]


def test_the_real_data_sets(shared):
    ohsumed = describe(read_all([shared / "data/letor3/OHSUMED/Feature-null/ALL/OHSUMED.txt"]))
    assert (ohsumed.rows, ohsumed.queries, ohsumed.features) == (16140, 106, 45)
    assert ohsumed.labels == {"0": 11303, "1": 2585, "2": 2252}
    assert ohsumed.constant_in_queries == [str(n) for n in (5, 6, 7, 20, 21, 22, 35, 36, 37)]
    assert sum(ohsumed.null_features.values()) == 51490
    parts = sorted(shared.glob("data/letor4/MQ2008/Fold*/test.txt"))
    mq2008 = describe(read_all(parts))
    assert (mq2008.rows, mq2008.queries, mq2008.features) == (15211, 784, 46)
    assert mq2008.labels == {"0": 12279, "1": 2001, "2": 931}
    assert mq2008.constant_in_queries == [str(n) for n in (6, 7, 8, 9, 10, 43)]


def test_faults_within_a_file():
    dataset = Dataset.from_arrays(
        [[1.0, np.inf], [1e39, 2.0], [3.0, 4.0]],
        [0, -1, 2],
        qid=["a", "a", "a"],
        document_ids=["d", "e", "d"],
    )
    sentences = {finding.kind: finding.sentence for finding in check_dataset(dataset, "F")}
    assert sentences == {
        "infinite value": "values must be finite, found 1 (first in row 1, feature 2) infinite",
        "out of range": "values must fit single precision (up to 3.4e+38), found 1 (first in "
        "row 2, feature 1) beyond it",
        "negative label": "labels must not be negative, found 1, first in row 2",
        "repeated document": "a document may stand once in a query, found d (query a) again",
    }


def test_faults_between_parts():
    first = Dataset.from_arrays([[1.0], [2.0]], [0, 1], qid=["a", "b"])
    second = Dataset.from_arrays([[1.0, 2.0]], [0], qid=["b"])
    sentences = [finding.sentence for finding in check_parts({"train": first, "test": second})]
    assert sentences == [
        "a query may stand in one part only, found b in both",
        "parts must have equally many features, found 1 and 2",
    ]
    assert check_parts({"train": first}) == []


def test_data_without_rows_have_facts_too():
    none = Dataset.from_arrays(np.arange(6.0).reshape(3, 2), [0, 1, 0], [1, 1, 2]).select_queries(
        []
    )
    for found in (describe(none), describe(replace(none, features=as_sparse(none.features)))):
        assert (found.rows, found.queries, found.features, found.labels) == (0, 0, 2, {})
        assert found.documents_per_query == {"min": 0, "median": 0.0, "max": 0}
        assert found.queries_without_relevant == found.queries_shorter_than_10 == 0
        assert found.constant_features == found.constant_in_queries == []
        assert found.null_features == {} and found.duplicate_features == []
    assert check_dataset(none, "d") == []
