"""Proximity features against every pair and every passage tried."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.features import proximity
from rankwise.collection.features.definition import (
    NO_EVIDENCE,
    Evidence,
    Parameters,
    StreamView,
    WordPlaces,
    find_feature,
    make_stream_view,
)
from rankwise.collection.features.feature_sets import compute_features, make_feature_set
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.statistics import (
    CollectionStatistics,
    QueryStatistics,
    QueryTerm,
    StreamStatistics,
)
from rankwise.errors import RankwiseError

COLLECTION = CollectionStatistics("made", 100, (StreamStatistics(1, "body", 50, 5000),))
WINDOW = 4
PARAMETERS = Parameters(proximity_window=WINDOW)

texts = st.lists(st.lists(st.sampled_from("abcxyz"), max_size=12), min_size=1, max_size=4)
queries = st.lists(st.sampled_from(["a", "b", "c", "unknown"]), min_size=1, max_size=5)


def view_of(documents: list[list[str]], words: list[str]) -> StreamView:
    counts = [[[text.count(word) for word in words]] for text in documents]
    known = {word: (0,) if word == "unknown" else (50,) for word in words}
    query = QueryStatistics(
        "1",
        (len(words),),
        tuple(QueryTerm(word, known[word], known[word]) for word in words),
        tuple(str(number) for number in range(len(documents))),
        np.zeros(len(documents), np.int64),
        np.array([[len(text)] for text in documents], np.int64),
        np.array([[len(set(text))] for text in documents], np.int64),
        np.array(counts, np.int64).reshape(len(documents), 1, len(words)),
    )
    places = places_of(documents, words)
    return make_stream_view(COLLECTION, query, 0, Evidence(word_places=(places,)))


def places_of(texts: list[list[str]], words: list[str]) -> WordPlaces:
    found = [
        [place for place, other in enumerate(text) if other == word]
        for text in texts
        for word in words
    ]
    offsets = np.cumsum([0, *map(len, found)], dtype=np.int64)
    flat = np.array([place for places in found for place in places], np.int64)
    return WordPlaces(len(words), offsets, flat)


def literal(name: str, text: list[str], words: list[str]) -> float:
    known = [word for word in dict.fromkeys(words) if word != "unknown"]
    where = {word: [n for n, other in enumerate(text) if other == word] for word in known}
    occurring = [word for word in known if where[word]]
    distances = [
        min(abs(i - j) for i, j in product(where[a], where[b]))
        for a, b in combinations(occurring, 2)
    ]
    covers = [
        max(choice) - min(choice) + 1
        for choice in product(*(where[w] for w in occurring))
        if choice
    ]
    neighbours = [
        (a, b) for a, b in pairwise(words) if a != b and "unknown" not in (a, b)
    ]  # fmt: skip
    apart = [j - i for a, b in neighbours for i, j in product(where[a], where[b])]
    least = min(distances, default=math.inf)
    mean = sum(distances) / len(distances) if distances else math.inf
    return {
        "least-pair-closeness": 1 / least,
        "mean-pair-closeness": 1 / mean,
        "pair-nearness": math.log(0.3 + math.exp(-least)),
        "cover-closeness": 1 / min(covers, default=math.inf),
        "cover-density": len(occurring) / min(covers) if covers else 0.0,
        "earliness": 1 / (1 + min((min(where[w]) for w in occurring), default=math.inf)),
        "phrases": sum(distance == 1 for distance in apart),
        "near-pairs": sum(abs(distance) < WINDOW for distance in apart),
    }[name]


@pytest.mark.parametrize("name", PROXIMITY_FEATURES)
@given(documents=texts, words=queries)
def test_proximity(name: str, documents: list[list[str]], words: list[str]) -> None:
    found = find_feature(name).values(view_of(documents, words), PARAMETERS)
    expected = np.array([literal(name, text, words) for text in documents], float)
    assert found == pytest.approx(expected)


def test_by_hand() -> None:
    view = view_of([list("xaxxbxcb"), list("abc"), list("xyz")], ["a", "b", "c"])
    values = {n: find_feature(n).values(view, PARAMETERS).tolist() for n in PROXIMITY_FEATURES}
    assert values["least-pair-closeness"] == [1, 1, 0]  # c b; a b
    assert values["mean-pair-closeness"] == [3 / (3 + 5 + 1), 3 / (1 + 2 + 1), 0]
    assert values["cover-closeness"] == [1 / 6, 1 / 3, 0]
    assert values["phrases"] == [0, 2, 0]
    assert values["earliness"] == [1 / 2, 1, 0]


@given(documents=texts, words=queries)
def test_a_document_without_query_words_is_never_better(
    documents: list[list[str]], words: list[str]
) -> None:
    view = view_of([*documents, ["x", "x"], []], words)
    for name in PROXIMITY_FEATURES:
        values = find_feature(name).values(view, PARAMETERS)
        assert values[-1] == values[-2] == values.min()


def test_long_queries_go_through_the_places_once_a_view(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    counted = proximity._pair_distances

    def counting(*arguments: object) -> object:
        calls.append(1)
        return counted(*arguments)

    monkeypatch.setattr(proximity, "_pair_distances", counting)
    words = [f"w{number}" for number in range(300)]
    view = view_of([words, words[::-1][:200]], words)
    values = {n: find_feature(n).values(view, PARAMETERS) for n in PROXIMITY_FEATURES}
    assert len(calls) == 1
    n = 300
    mean = sum(d * (n - d) for d in range(1, n)) / (n * (n - 1) / 2)
    assert values["mean-pair-closeness"][0] == pytest.approx(1 / mean)


def test_the_extended_set_has_them_where_places_are_known() -> None:
    plain = make_feature_set("extended", COLLECTION)
    placed = make_feature_set("extended", COLLECTION, word_places=True)
    assert len(placed.columns) - len(plain.columns) == len(PROXIMITY_FEATURES)


def test_a_query_without_words_has_no_proximity() -> None:
    view = view_of([["a"], ["b"]], [])
    for name in PROXIMITY_FEATURES:
        found = find_feature(name).values(view, PARAMETERS)
        assert found.shape == (2,)
        assert not np.isinf(found).any()


def test_without_places_a_sentence() -> None:
    query = QueryStatistics(
        "1", (1,), (QueryTerm("a", (1,), (1,)),), ("d",), np.zeros(1, np.int64),
        np.ones((1, 1), np.int64), np.ones((1, 1), np.int64), np.ones((1, 1, 1), np.int64),
    )  # fmt: skip
    features = make_feature_set("extended", COLLECTION, word_places=True)
    with pytest.raises(RankwiseError, match="need the places of words"):
        compute_features(COLLECTION, query, features, NO_EVIDENCE)
