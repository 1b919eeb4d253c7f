"""Sampling, and BM25 of the index against its equation and against bm25s."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest

from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.query_files import read_queries
from rankwise.collection.document_sampling import Sampling, compute_bm25, sample
from rankwise.collection.features.definition import Parameters
from rankwise.collection.features.feature_sets import compute_features, make_feature_set
from rankwise.collection.index.index import Index
from rankwise.collection.index.indexing import IndexPlan, build_index
from rankwise.errors import RankwiseError
from tests.collection.corpus_made import PLAIN, counted, made_corpus, words_by_stream
from tests.collection.made import words_in

DOCUMENTS = made_corpus()
EXACT = Parameters(k1=1.5, b=0.7, k3=0.0, average_length_digits=None)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    plan = IndexPlan("made", ("title", "body", "anchor"), analysis=PLAIN)
    return build_index(DOCUMENTS, tmp_path_factory.mktemp("index"), plan)


@pytest.mark.parametrize("k3", [0.0, 7.0])
def test_bm25_is_its_equation(index: Index, k3: float) -> None:
    k1, b, place = 2.5, 0.8, index.place("whole")
    words = ["w1", "w5", "w1", "w30", "unknown"]
    texts = counted(words_by_stream(DOCUMENTS)["whole"])
    lengths = [sum(text.values()) for text in texts]
    average = sum(lengths) / len(lengths)
    parameters = Parameters(k1=k1, b=b, k3=k3, average_length_digits=None)
    documents, scores = compute_bm25(index, words, place, parameters)
    for document, score in zip(documents.tolist(), scores.tolist(), strict=True):
        expected = 0.0
        for word in sorted(set(words)):
            df = sum(word in text for text in texts)
            if df == 0:
                continue
            c, qtf = texts[document][word], words.count(word)
            idf = log((len(texts) - df + 0.5) / (df + 0.5))
            tf = c * (k1 + 1) / (c + k1 * (1 - b + b * lengths[document] / average))
            expected += idf * tf * (k3 + 1) * qtf / (k3 + qtf)
        assert score == pytest.approx(expected, rel=1e-12)
    matching = [n for n, text in enumerate(texts) if any(text[word] for word in words)]
    assert documents.tolist() == matching


def test_the_sample_stands_in_the_order_of_the_feature(index: Index) -> None:
    features = make_feature_set("ohsumed", index.statistics)
    words = ("w1", "w4")
    chosen = sample(index, words, {}, Sampling("top", 30, parameters=features.parameters))
    query = index.query_statistics("q", words, chosen.documents, chosen.labels)
    values = compute_features(index.statistics, query, features)
    column = values[:, features.column_names.index("bm25 of whole")]
    assert np.all(np.diff(column) <= 0)


def test_top_takes_the_best_and_gives_the_unjudged_nothing(index: Index) -> None:
    words = ("w3", "w9")
    documents, scores = compute_bm25(index, words, index.place("whole"), Parameters())
    best = sorted(zip((-scores).tolist(), documents.tolist(), strict=True))[:10]
    judged = {best[2][1]: 2, best[5][1]: 0}
    chosen = sample(index, words, judged, Sampling("top", 10))
    assert chosen.documents.tolist() == [document for _, document in best]
    assert chosen.labels.tolist() == [0, 0, 2, 0, 0, 0, 0, 0, 0, 0]


def test_judged_takes_the_judged_alone_those_without_a_word_last(index: Index) -> None:
    words = ("w30",)
    documents, _ = compute_bm25(index, words, index.place("whole"), Parameters())
    without = sorted(set(range(len(DOCUMENTS))) - set(documents.tolist()))[:2]
    judged = {int(documents[0]): 1, without[1]: 2, without[0]: 0}
    chosen = sample(index, words, judged, Sampling("judged"))
    assert chosen.documents.tolist() == [int(documents[0]), *without]
    assert chosen.labels.tolist() == [1, 0, 2]


def test_pool_is_both(index: Index) -> None:
    words, far = ("w1",), {59: 1, 58: 1}
    top = sample(index, words, far, Sampling("top", 5))
    pool = sample(index, words, far, Sampling("pool", 5))
    assert set(pool.documents.tolist()) == set(top.documents.tolist()) | {58, 59}
    assert pool.labels.sum() == 2


def test_bad_samplings_are_sentences(index: Index) -> None:
    with pytest.raises(RankwiseError, match="one of top"):
        Sampling("random")
    with pytest.raises(RankwiseError, match="at least 1"):
        Sampling(depth=0)
    with pytest.raises(RankwiseError, match="the index has the streams"):
        sample(index, ("w1",), {}, Sampling(stream="abstract"))


def test_bm25_agrees_with_bm25s_on_cranfield(shared: Path, tmp_path: Path) -> None:
    bm25s = pytest.importorskip("bm25s")
    pytest.importorskip("snowballstemmer")
    corpus = open_corpus(shared / "data/collections/cranfield/cran.all.1400")
    plan = IndexPlan("cranfield", ("title", "abstract"))
    index = build_index(corpus.documents(), tmp_path, plan)
    place = index.place("whole")
    texts = [words_in(index, document, "whole") for document in range(index.n_documents)]
    queries = read_queries(shared / "data/collections/cranfield/cran.qry")
    words = [index.analysis.words(query.text) for query in queries]
    compared = {"lucene": 0, "robertson": 0}
    for method in ("lucene", "robertson"):
        peer = bm25s.BM25(k1=EXACT.k1, b=EXACT.b, method=method, dtype="float64")
        peer.index(texts, show_progress=False)
        for query in words:
            known = [word for word in dict.fromkeys(query) if index.find_term_number(word) >= 0]
            common = max(len(index.postings(place, index.find_term_number(w))[0]) for w in known)
            # bm25s sets a negative idf to 0, which the equation does not.
            if method == "robertson" and common > index.n_documents / 2:
                continue
            documents, scores = compute_bm25(index, known, place, EXACT, idf=method)
            # bm25s leaves out the factor k1 + 1, which is the same for all documents.
            theirs = peer.get_scores(known)[documents] * (EXACT.k1 + 1)
            np.testing.assert_allclose(scores, theirs, rtol=1e-6)
            compared[method] += 1
    assert compared == {"lucene": 225, "robertson": 171}
