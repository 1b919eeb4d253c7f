"""Every formula of the feature tables, evaluated literally word by word in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.features.definition import (
    FEATURES,
    NO_EVIDENCE,
    Parameters,
    StreamView,
    feature,
    find_feature,
    make_stream_view,
)
from rankwise.collection.features.feature_files import QUERY_CLASS
from rankwise.collection.features.feature_sets import compute_features, make_feature_set
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.web_features import WEB_FEATURES
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics, StreamStatistics
from rankwise.errors import RankwiseError

from .made import made_collection, made_query

PARAMETERS = Parameters(k1=1.7, b=0.6, k3=3.0, mu=80.0, lambda_=0.3, delta=0.6)


@dataclass(frozen=True)
class Word:
    """A query position whose word the stream knows."""

    text: str
    c: int
    df: int
    cf: int


@dataclass(frozen=True)
class Pair:
    """One document of one query, one stream."""

    words: list[Word]
    L: int
    U: int
    N: int
    T: int
    avgdl: float


def sums(summand: Callable[[Word, Pair], float]) -> Callable[[Pair], float]:
    return lambda pair: sum(summand(word, pair) for word in pair.words)


def share(word: Word, pair: Pair) -> float:
    return word.c / pair.L if pair.L else 0.0


def eq1(word: Word, pair: Pair) -> float:
    return log((pair.N - word.df + 0.5) / (word.df + 0.5))


def bm25(pair: Pair) -> float:
    k1, b, k3 = PARAMETERS.k1, PARAMETERS.b, PARAMETERS.k3
    total = 0.0
    for text in {word.text for word in pair.words}:
        same = [word for word in pair.words if word.text == text]
        c, qtf = same[0].c, len(same)
        tf = c * (k1 + 1) / (c + k1 * (1 - b + b * pair.L / pair.avgdl))
        total += eq1(same[0], pair) * tf * (k3 + 1) * qtf / (k3 + qtf)
    return total


def dirichlet(word: Word, pair: Pair) -> float:
    return log((word.c + PARAMETERS.mu * word.cf / pair.T) / (pair.L + PARAMETERS.mu))


def jelinek_mercer(word: Word, pair: Pair) -> float:
    weight = PARAMETERS.lambda_
    return log((1 - weight) * word.c / pair.L + weight * word.cf / pair.T)


def absolute(word: Word, pair: Pair) -> float:
    delta = PARAMETERS.delta
    kept = max(word.c - delta, 0) / pair.L
    return log(kept + delta * (pair.U / pair.L) * word.cf / pair.T)


def null_without_match(formula: Callable[[Pair], float]) -> Callable[[Pair], float]:
    return lambda pair: formula(pair) if any(word.c for word in pair.words) else math.nan


def cosine(pair: Pair) -> float:
    idf = [log(pair.N / w.df) for w in pair.words]
    weights = [w.c * i for w, i in zip(pair.words, idf, strict=True)]
    norms = math.hypot(*idf) * math.hypot(*weights)
    return sum(x * y for x, y in zip(weights, idf, strict=True)) / norms if norms else 0.0


def mean(pair: Pair) -> float:
    return sum(w.c for w in pair.words) / len(pair.words)


LITERAL: dict[str, Callable[[Pair], float]] = {
    "tf": sums(lambda w, p: w.c),
    "log-tf": sums(lambda w, p: log(w.c + 1)),
    "tf-share": sums(share),
    "log-tf-share": sums(lambda w, p: log(share(w, p) + 1)),
    "idf": sums(lambda w, p: log(p.N / w.df)),
    "log-idf": sums(lambda w, p: log(log(p.N / w.df))),
    "icf": sums(lambda w, p: log(p.N / w.cf + 1)),
    "log-tf-share-idf": sums(lambda w, p: log(share(w, p) * log(p.N / w.df) + 1)),
    "tf-idf": sums(lambda w, p: w.c * log(p.N / w.df)),
    "log-tf-share-icf": sums(lambda w, p: log(share(w, p) * p.N / w.cf + 1)),
    "robertson-idf": sums(eq1),
    "tf-robertson-idf": sums(lambda w, p: w.c * eq1(w, p)),
    "bm25": null_without_match(bm25),
    "log-bm25": null_without_match(lambda p: log(bm25(p)) if bm25(p) > 0 else math.nan),
    "lmir-dir": null_without_match(sums(dirichlet)),
    "lmir-jm": null_without_match(sums(jelinek_mercer)),
    "lmir-abs": null_without_match(sums(absolute)),
    "length": lambda p: p.L,
    "unique-length": lambda p: p.U,
    "log-length": lambda p: log(p.L + 1),
    "diversity": lambda p: p.U / p.L if p.L else 0.0,
    "query-length": lambda p: len(p.words),
    "covered-terms": sums(lambda w, p: w.c > 0),
    "coverage": lambda p: sum(w.c > 0 for w in p.words) / len(p.words),
    "covered-idf": lambda p: (
        sum(log(p.N / w.df) for w in p.words if w.c) / sum(log(p.N / w.df) for w in p.words)
    ),
    "least-tf": lambda p: min(w.c for w in p.words),
    "greatest-tf": lambda p: max(w.c for w in p.words),
    "mean-tf": mean,
    "variance-tf": lambda p: sum((w.c - mean(p)) ** 2 for w in p.words) / len(p.words),
    "cosine": cosine,
}


def literal_pairs(
    collection: CollectionStatistics, query: QueryStatistics, stream: int
) -> list[Pair]:
    T = collection.streams[stream].total_terms
    return [
        Pair(
            [
                Word(
                    term.word,
                    int(query.term_frequencies[document, stream, position]),
                    term.document_frequency[stream],
                    term.collection_frequency[stream],
                )
                for position, term in enumerate(query.terms)
                if term.document_frequency[stream] > 0
            ],
            int(query.lengths[document, stream]),
            int(query.unique_lengths[document, stream]),
            collection.n_documents,
            T,
            float(f"{T / collection.n_documents:.6g}"),
        )
        for document in range(query.n_documents)
    ]


def test_every_feature_of_counts_has_a_literal_formula() -> None:
    others = {*PROXIMITY_FEATURES, *WEB_FEATURES, QUERY_CLASS}
    assert set(LITERAL) == set(FEATURES) - others


@pytest.mark.parametrize("name", LITERAL)
@given(seed=st.integers(0, 10**6))
def test_formula(name: str, seed: int) -> None:
    collection = made_collection()
    query = made_query(seed, collection)
    for stream in range(2):
        view = make_stream_view(collection, query, stream, NO_EVIDENCE)
        found = find_feature(name).values(view, PARAMETERS)
        expected = [LITERAL[name](pair) for pair in literal_pairs(collection, query, stream)]
        assert found == pytest.approx(np.array(expected, float), rel=1e-12, abs=1e-12, nan_ok=True)


def test_a_query_without_known_words_is_finite_or_null() -> None:
    collection = made_collection()
    query = made_query(1, collection)
    unknown = query.terms[2]
    none = type(query)(
        "1", (0, 0), (unknown, unknown), query.document_ids, query.labels, query.lengths,
        query.unique_lengths, np.zeros((7, 2, 2), np.int64),
    )  # fmt: skip
    features = make_feature_set("extended", collection)
    values = compute_features(collection, none, features)
    for column, found in zip(features.columns, values.T, strict=True):
        assert np.isnan(found).all() == column.feature.null_without_match


def test_a_word_of_every_document_is_left_out_of_log_idf_and_lowers_bm25() -> None:
    stream = StreamStatistics(1, "title", 10, 5000)
    collection = CollectionStatistics("made", 1000, (stream,))
    query = made_query(5, collection)
    common = type(query.terms[0])("a", (1000,), (1000,))
    query = type(query)(
        "1", (4,), (common, *query.terms[1:]), query.document_ids, query.labels, query.lengths,
        query.unique_lengths, query.term_frequencies,
    )  # fmt: skip
    view = make_stream_view(collection, query, 0, NO_EVIDENCE)
    pair = literal_pairs(collection, query, 0)[0]
    rest = [word for word in pair.words if word.text != "a"]
    assert FEATURES["log-idf"].values(view, PARAMETERS)[0] == pytest.approx(
        sum(log(log(1000 / word.df)) for word in rest)
    )
    assert FEATURES["robertson-idf"].values(view, PARAMETERS)[0] < sum(
        log((1000 - w.df + 0.5) / (w.df + 0.5)) for w in rest
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [("k1", -0.1), ("b", 1.1), ("k3", -1), ("mu", 0), ("lambda_", 0), ("lambda_", 1.5),
     ("delta", 0), ("delta", float("nan")), ("mu", float("inf")), ("hyperlink_rate", 0)],
)  # fmt: skip
def test_parameters_out_of_bounds_are_refused(name: str, value: float) -> None:
    with pytest.raises(RankwiseError, match=f"{name.rstrip('_')} must be"):
        Parameters(**{name: value})


@pytest.mark.parametrize("value", [1e-9, 1.0])
def test_parameters_at_their_bounds_give_finite_features(value: float) -> None:
    collection = made_collection()
    extreme = Parameters(
        k1=0.0, b=value, k3=0.0, mu=value, lambda_=value, delta=value, average_length_digits=None
    )
    features = make_feature_set("extended", collection, extreme)
    for seed in range(20):
        assert not np.isinf(
            compute_features(collection, made_query(seed, collection), features)
        ).any()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("bad\nthree", "x", "D"), r"a feature's name must be a line of text, found 'bad\\nthree'"),
        (("", "x", "D"), "a feature's name must be"),
        (("good", "x\ty", "D"), "a feature's formula must be a line of text"),
        (("good", "x", "Z"), "category of the feature 'good' must be one of Q, D, Q-D, found 'Z'"),
    ],
)
def test_what_a_card_cannot_show_is_no_feature(words: tuple[str, ...], sentence: str) -> None:
    name, formula, category = words
    with pytest.raises(RankwiseError, match=sentence):
        feature(name, formula, category)(lambda view, parameters: view.lengths)  # type: ignore[arg-type]
    assert name not in FEATURES


def test_a_user_adds_a_feature_with_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(FEATURES, "squared-length", raising=False)

    @feature("squared-length", "|d|²", "D")
    def squared_length(view: StreamView, parameters: Parameters) -> np.ndarray:
        return view.lengths**2

    try:
        collection = made_collection()
        query = made_query(2, collection)
        view = make_stream_view(collection, query, 1, NO_EVIDENCE)
        found = find_feature("squared-length").values(view, PARAMETERS)
        assert np.array_equal(found, query.lengths[:, 1] ** 2)
        with pytest.raises(RankwiseError, match="must be new"):
            feature("squared-length", "", "D")(squared_length)
    finally:
        del FEATURES["squared-length"]


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(RankwiseError, match="did you mean 'bm25'"):
        find_feature("bm-25")
    with pytest.raises(RankwiseError, match="a feature set is one of ohsumed, gov, extended"):
        make_feature_set("letor", made_collection())


def test_a_feature_of_the_wrong_shape_is_refused() -> None:
    collection = made_collection()
    view = make_stream_view(collection, made_query(1, collection), 0, NO_EVIDENCE)
    wrong = type(FEATURES["tf"])("wrong", "", "D", lambda view, parameters: np.zeros(3))
    with pytest.raises(RankwiseError, match="one value for each of the 7 documents"):
        wrong.values(view, PARAMETERS)


def test_the_guide_names_every_feature() -> None:
    guide = Path(__file__).parents[2] / "docs" / "collection" / "features.md"
    text = guide.read_text(encoding="utf-8")
    assert [name for name in FEATURES if f"`{name}`" not in text] == []
