"""Relations, classes, weights and features of queries go where their rows and queries go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankwise.data import Dataset, Relation, concatenate
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

# Three queries of 2, 3 and 1 documents; in the second, 0 → 1, 0 → 2 and 2 → 0.
OFFSETS = np.array([0, 2, 5, 6])
RELATION = Relation("links", [0, 1, 1, 3, 3, 4, 4], [1, 1, 2, 0], [1.0, 0.5, 0.25, 2.0])


def made(**parts: Any) -> Dataset:
    given = {
        "features": np.arange(6.0).reshape(-1, 1),
        "labels": np.zeros(6),
        "query_offsets": OFFSETS,
        "query_ids": TextColumn.from_texts(["a", "b", "c"]),
        "weights": np.arange(1.0, 7.0),
        "query_classes": TextColumn.from_texts(["x", "y", "x"]),
        "query_features": np.array([[1.0], [2.0], [3.0]]),
        "relations": (RELATION,),
    }
    return Dataset(**{**given, **parts})


def test_chosen_queries_keep_what_belongs_to_them() -> None:
    chosen = made().select_queries([2, 1])
    assert chosen.weights is not None and chosen.weights.tolist() == [6.0, 3.0, 4.0, 5.0]
    assert chosen.query_classes is not None and list(chosen.query_classes) == ["x", "y"]
    assert chosen.query_features is not None and chosen.query_features.tolist() == [[3.0], [2.0]]
    links = chosen.relation("links")
    assert links.offsets.tolist() == [0, 0, 2, 2, 3]
    assert links.related_rows(chosen.query_offsets).tolist() == [2, 3, 1]
    assert links.weights.tolist() == [0.5, 0.25, 2.0]


def test_parts_joined_give_the_whole_back() -> None:
    whole = made()
    parts = [whole.select_queries(slice(0, 1)), whole.select_queries(slice(1, 3))]
    assert concatenate(parts).equals(whole)


def test_a_part_without_weights_or_relations_counts_1_and_is_not_related() -> None:
    whole = made()
    bare = Dataset(whole.features[:2], whole.labels[:2], [0, 2], TextColumn.from_texts(["d"]),
                   query_classes=TextColumn.from_texts(["x"]),
                   query_features=np.zeros((1, 1)))  # fmt: skip
    joined = concatenate([whole, bare])
    assert joined.weights is not None and joined.weights[-2:].tolist() == [1.0, 1.0]
    assert joined.relation("links").offsets.tolist() == [*RELATION.offsets.tolist(), 4, 4]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"weights": np.ones(5)}, "one weight per document"),
        ({"weights": np.full(6, -1.0)}, "not below 0, found -1 in row 1"),
        ({"weights": np.full(6, np.nan)}, "weights must be finite"),
        ({"query_classes": TextColumn.from_texts(["x"])}, "one class per query, found 1 for 3"),
        ({"query_features": np.zeros((2, 1))}, "one row per query"),
        ({"relations": (Relation("r", [0] * 6 + [1], [1], [1.0]),)}, "outside its query"),
        ({"relations": (Relation("r", [0] * 6 + [1], [0], [np.inf]),)}, "must be finite"),
        ({"relations": (Relation("r", [0, 1], [0], [1.0]),)}, "offsets that rise"),
    ],
)
def test_what_does_not_fit_is_refused(parts: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        made(**parts)


def test_a_relation_that_is_not_there_is_named() -> None:
    with pytest.raises(RankwiseError, match="'similarity', found links"):
        made().relation("similarity")


def test_data_sets_differ_where_only_their_relations_do() -> None:
    whole = made()
    other = Relation("links", RELATION.offsets, RELATION.places, RELATION.weights * 2)
    assert whole.equals(made())
    assert not whole.equals(made(relations=(other,)))
    assert not whole.equals(made(weights=None))
