"""LETOR's 64 Gov features: their order, propagation by dense linear algebra, link columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.features.definition import (
    NO_EVIDENCE,
    Evidence,
    Links,
    Parameters,
    StreamView,
    find_feature,
    make_stream_view,
)
from rankwise.collection.features.feature_sets import (
    GOV_PARAMETERS,
    compute_features,
    make_feature_set,
)
from rankwise.collection.features.text_features import bm25_of_counts
from rankwise.collection.features.web_features import WEB_COLUMNS, WEB_FEATURES, propagate
from rankwise.errors import RankwiseError

from .made import GOV_STREAMS, made_collection, made_query

COLLECTION = made_collection(GOV_STREAMS)
N_DOCUMENTS = 7
WHOLE = 4


def made_evidence(seed: int) -> Evidence:
    rng = np.random.default_rng(seed)
    n_links = int(rng.integers(0, 20))
    parents = np.array([int(rng.integers(-1, d)) if d else -1 for d in range(N_DOCUMENTS)])
    return Evidence(
        columns={name: rng.random(N_DOCUMENTS) for name in WEB_COLUMNS},
        hyperlinks=Links(*rng.integers(0, N_DOCUMENTS, (2, n_links))),
        parents=parents.astype(np.int64),
    )


def whole(seed: int) -> StreamView:
    query = made_query(seed, COLLECTION, N_DOCUMENTS)
    return make_stream_view(COLLECTION, query, WHOLE, made_evidence(seed))


def solved(values: np.ndarray, weights: np.ndarray, rate: float) -> np.ndarray:
    """h = α x + (1 − α) W h solved outright; W[p, n] is what p takes from n."""
    system = np.eye(len(weights)) - (1 - rate) * weights
    return np.asarray(np.linalg.solve(system, rate * values))


def weights_of(view: StreamView, kind: str) -> np.ndarray:
    """W by the sentences of the module, link by link."""
    n = len(view.lengths)
    scores = np.maximum(bm25_of_counts(view, GOV_PARAMETERS, view.counts), 0)
    W = np.zeros((n, n))
    if kind == "sitemap":
        parents = view.evidence.parents
        for child, parent in enumerate(parents):
            if parent >= 0:
                W[parent, child] = 1 / np.count_nonzero(parents == parent)
        return W
    links = list(
        zip(view.evidence.hyperlinks.sources, view.evidence.hyperlinks.targets, strict=True)
    )
    for s, t in links:
        if kind == "weighted-in-link":
            total = sum(scores[t2] for s2, t2 in links if s2 == s)
            W[t, s] += scores[t] / total if total > 0 else 0
        elif kind == "weighted-out-link":
            total = sum(scores[s2] for s2, t2 in links if t2 == t)
            W[s, t] += scores[s] / total if total > 0 else 0
        else:
            W[s, t] += 1 / sum(s2 == s for s2, _ in links)
    return W


KINDS = ("weighted-in-link", "weighted-out-link", "uniform-out-link")
PROPAGATIONS = [
    ("sitemap-score-propagation", "sitemap", 0.9),
    *((f"score-propagation-{kind}", kind, 0.85) for kind in KINDS),
]


@pytest.mark.parametrize(("name", "kind", "rate"), PROPAGATIONS)
@given(seed=st.integers(0, 10**6))
def test_score_propagation_solves_its_equation(
    name: str, kind: str, rate: float, seed: int
) -> None:
    view = whole(seed)
    scores = bm25_of_counts(view, GOV_PARAMETERS, view.counts)
    expected = solved(scores, weights_of(view, kind), rate)
    found = find_feature(name).values(view, GOV_PARAMETERS)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


TERM_PROPAGATIONS = [
    ("sitemap-term-propagation", "sitemap", 0.9),
    *((f"term-propagation-{kind}", kind, 0.85) for kind in KINDS),
]


@pytest.mark.parametrize(("name", "kind", "rate"), TERM_PROPAGATIONS)
@given(seed=st.integers(0, 10**6))
def test_term_propagation_is_bm25_of_propagated_counts(
    name: str, kind: str, rate: float, seed: int
) -> None:
    view = whole(seed)
    W = weights_of(view, kind)
    counts = np.array([solved(row, W, rate) for row in view.counts])
    expected = bm25_of_counts(view, GOV_PARAMETERS, counts)
    found = find_feature(name).values(view, GOV_PARAMETERS)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_chain_by_hand() -> None:
    # 0 → 1 → 2 with α = 1/2 and all weights 1.
    links = Links(np.array([0, 1]), np.array([1, 2]))
    h = propagate(np.array([1.0, 0.0, 0.0]), links, np.ones(2), 0.5)
    assert h == pytest.approx([1 / 2, 1 / 4, 1 / 8])


def test_without_links_and_parents_only_the_own_part_is_left() -> None:
    view = whole(3)
    alone = Evidence(
        hyperlinks=Links(np.zeros(0, np.int64), np.zeros(0, np.int64)),
        parents=np.full(N_DOCUMENTS, -1, np.int64),
    )
    query = made_query(3, COLLECTION, N_DOCUMENTS)
    bare = make_stream_view(COLLECTION, query, WHOLE, alone)
    scores = bm25_of_counts(view, GOV_PARAMETERS, view.counts)
    for name, _, rate in PROPAGATIONS:
        assert find_feature(name).values(bare, GOV_PARAMETERS) == pytest.approx(rate * scores)


def test_the_64_features_in_the_order_of_the_table() -> None:
    features = make_feature_set("gov", COLLECTION, web=True)
    names = features.column_names
    assert len(names) == 64
    streams = GOV_STREAMS[:5]
    of_streams = ("tf", "robertson-idf", "tf-robertson-idf", "length", "bm25", "lmir-abs",
                  "lmir-dir", "lmir-jm")  # fmt: skip
    assert names[:40] == tuple(f"{f} of {s}" for f in of_streams for s in streams)
    assert tuple(name.removesuffix(" of whole document") for name in names[40:60]) == WEB_FEATURES
    assert names[50:60] == ("pagerank", "hostrank", "topical-pagerank", "topical-hits-authority",
                            "topical-hits-hub", "in-links", "out-links", "url-slashes",
                            "url-length", "children")  # fmt: skip
    assert names[60:] == tuple(
        f"{f} of extracted title" for f in ("bm25", "lmir-abs", "lmir-dir", "lmir-jm")
    )
    categories = [column.feature.category for column in features.columns]
    q, d = range(6, 11), {*range(16, 21), 51, 52, *range(56, 61)}
    assert [number for number, c in enumerate(categories, 1) if c == "Q"] == list(q)
    assert {number for number, c in enumerate(categories, 1) if c == "D"} == d


def test_the_extended_set_propagates_the_whole_document_too() -> None:
    names = make_feature_set("extended", COLLECTION, web=True).column_names
    web = names[-len(WEB_FEATURES) :]
    assert [name for name in web if " of " in name] == [
        f"{name} of whole document" for name in WEB_FEATURES[:8]
    ]
    assert tuple(name.removesuffix(" of whole document") for name in web) == WEB_FEATURES


def test_the_parameters_of_gov() -> None:
    assert (
        Parameters(
            k1=2.5,
            k3=0,
            b=0.8,
            delta=0.7,
            mu=2000,
            lambda_=0.1,
            sitemap_rate=0.9,
            hyperlink_rate=0.85,
        )
        == GOV_PARAMETERS
    )


def test_what_adds_up_to_one_has_a_scale_that_six_decimals_can_hold() -> None:
    evidence = made_evidence(9)
    query = made_query(9, COLLECTION, N_DOCUMENTS)
    features = make_feature_set("gov", COLLECTION, web=True)
    values = compute_features(COLLECTION, query, features, evidence)
    for name in WEB_COLUMNS:
        shared = name == "pagerank" or "hits" in name or name == "topical-pagerank"
        scale = 1e5 if shared else 1e3 if name == "hostrank" else 1
        found = values[:, features.column_names.index(name)]
        assert np.array_equal(found, scale * evidence.columns[name])
        said = find_feature(name).formula.partition(" · ")[0]
        assert said == {1e5: "10⁵", 1e3: "10³"}.get(scale, said)


def test_without_links_the_set_has_the_44_features_of_counts() -> None:
    features = make_feature_set("gov", COLLECTION)
    assert len(features.columns) == 44
    values = compute_features(COLLECTION, made_query(2, COLLECTION), features)
    assert values.shape == (N_DOCUMENTS, 44)


@pytest.mark.parametrize("name", ["pagerank", "sitemap-term-propagation",
                                  "score-propagation-weighted-in-link"])  # fmt: skip
def test_missing_evidence_is_a_sentence(name: str) -> None:
    query = made_query(2, COLLECTION)
    view = make_stream_view(COLLECTION, query, WHOLE, NO_EVIDENCE)
    with pytest.raises(RankwiseError, match=r"needs .* found none"):
        find_feature(name).values(view, GOV_PARAMETERS)


def test_links_to_documents_outside_are_refused() -> None:
    links = Links(np.array([0]), np.array([9]))
    with pytest.raises(RankwiseError, match="must be among the 3 pages"):
        propagate(np.ones(3), links, np.ones(1), 0.5)
    with pytest.raises(RankwiseError, match="as many sources as targets"):
        Links(np.array([0]), np.array([1, 2]))
