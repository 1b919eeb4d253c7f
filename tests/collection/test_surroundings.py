"""Propagation from pages that were not sampled: its equation on small webs, and its metadata."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.collection.corpora.document import Document, Link
from rankwise.collection.features.definition import (
    NO_EVIDENCE,
    Evidence,
    StreamView,
    make_stream_view,
)
from rankwise.collection.features.feature_sets import (
    GOV_PARAMETERS,
    compute_features,
    make_feature_set,
)
from rankwise.collection.features.text_features import bm25_of_counts
from rankwise.collection.index.index import Index
from rankwise.collection.index.indexing import IndexPlan, build_index
from rankwise.collection.link_evidence import Web, gather_evidence
from rankwise.collection.related_documents import (
    NEIGHBOURS_FOLDER,
    find_surroundings,
    read_neighbours,
    write_neighbours,
)
from rankwise.collection.statistics import QueryStatistics
from rankwise.errors import RankwiseError

from .corpus_made import PLAIN, made_corpus

WORDS = ["w1", "w2"]
SITEMAP, LINK = GOV_PARAMETERS.sitemap_rate, GOV_PARAMETERS.hyperlink_rate


def page(name: str, words: str, *links: str) -> Document:
    targets = tuple(Link(f"http://h/{link}") for link in links)
    return Document(name or "home", {"body": words}, f"http://h/{name}", targets)


# `home` and `p` are sampled; everything else is only linked to them or below them.
PAGES = [
    page("", "w1 w3"),
    page("p", "w1 w2 w3", "t", "silent"),
    page("q", "w1 w1 w4"),
    page("s", "w1 w2 w2", "p", "q"),
    page("t", "w1 w5 w5"),
    page("silent", "w6 w6", "far"),
    page("far", "w1 w1 w1 w1"),
    *(page(f"{n}.html", f"w{6 + n} w7") for n in range(20)),
]


def scores_of(index: Index, documents: list[int]) -> list[float]:
    """BM25 of whole documents, as the equation of the builder has it."""
    view = view_of(index, documents)
    return bm25_of_counts(view, GOV_PARAMETERS, view.counts).tolist()


def view_of(index: Index, documents: list[int]) -> StreamView:
    query = statistics_of(index, documents)
    return make_stream_view(index.statistics, query, len(index.view_names) - 1, NO_EVIDENCE)


def statistics_of(index: Index, documents: list[int]) -> QueryStatistics:
    return index.query_statistics("1", WORDS, np.array(documents), np.zeros(len(documents), int))


def propagated(index: Index, documents: list[int]) -> dict[str, list[float]]:
    """The features of these documents by name, with what the index knows around them."""
    return computed(index, documents, evidence_of(index, documents))


def evidence_of(index: Index, documents: list[int]) -> Evidence:
    return gather_evidence(index, WORDS, np.array(documents), Web(index), places=False)


def computed(index: Index, documents: list[int], evidence: Evidence) -> dict[str, list[float]]:
    features = make_feature_set("gov", index.statistics, web=True)
    values = compute_features(index.statistics, statistics_of(index, documents), features, evidence)
    names = [name.partition(" of ")[0] for name in features.column_names]
    return {name: values[:, n].tolist() for n, name in enumerate(names)}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Index:
    plan = IndexPlan("web", ("body",), analysis=PLAIN, source="made")
    return build_index(PAGES, tmp_path_factory.mktemp("web"), plan)


@pytest.fixture(scope="module")
def random_web(tmp_path_factory: pytest.TempPathFactory) -> Index:
    plan = IndexPlan("made", ("title", "body", "anchor"), analysis=PLAIN, source="made")
    return build_index(made_corpus(), tmp_path_factory.mktemp("random"), plan)


def test_a_home_page_takes_the_mean_of_all_its_children(web: Index) -> None:
    # All other pages are its children, and none of them has any; one of 26 is sampled.
    home, *below = scores_of(web, list(range(len(PAGES))))
    expected = SITEMAP * home + (1 - SITEMAP) * np.mean([SITEMAP * score for score in below])
    found = propagated(web, [0, 1])["sitemap-score-propagation"]
    assert found == pytest.approx([expected, SITEMAP * below[0]], rel=1e-12)


def test_scores_come_from_pages_outside_of_the_sample(web: Index) -> None:
    p, q, s, t = scores_of(web, [1, 2, 3, 4])
    found = propagated(web, [1, 2])
    # s gives p and q what their scores are parts of.
    assert found["score-propagation-weighted-in-link"] == pytest.approx(
        [LINK * x + (1 - LINK) * x / (p + q) * LINK * s for x in (p, q)], rel=1e-12
    )
    # p gathers all that t has to give, nothing from a page without a word of the query.
    assert found["score-propagation-weighted-out-link"] == pytest.approx(
        [LINK * p + (1 - LINK) * LINK * t, LINK * q], rel=1e-12
    )
    # It has two links, one of them to that page; `far` is two links away.
    assert found["score-propagation-uniform-out-link"] == pytest.approx(
        [LINK * p + (1 - LINK) * (LINK * t + 0) / 2, LINK * q], rel=1e-12
    )


def test_words_come_from_pages_outside_of_the_sample(web: Index) -> None:
    view = view_of(web, [1])
    (p,), (t,) = view.counts.T, view_of(web, [4]).counts.T
    counts = LINK * p + (1 - LINK) * (LINK * t + 0) / 2
    expected = bm25_of_counts(view, GOV_PARAMETERS, counts[:, None])
    found = propagated(web, [1])["term-propagation-uniform-out-link"]
    assert found == pytest.approx(expected.tolist(), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_surroundings_are_linked_pages_and_children(seed: int, random_web: Index) -> None:
    web = Web(random_web)
    parents = np.random.default_rng(seed).integers(-1, 60, 60)
    documents = np.random.default_rng(seed).permutation(60)[:5]
    chosen = set(documents.tolist())
    links = list(zip(web.graph.sources.tolist(), web.graph.targets.tolist(), strict=True))
    near = {end for link in links if chosen & set(link) for end in link}
    near |= {child for child, parent in enumerate(parents.tolist()) if parent in chosen}
    found = find_surroundings(web.graph, parents, documents)
    pages = found.pages.tolist()
    assert pages == documents.tolist() + sorted(near - chosen)
    among = zip(found.hyperlinks.sources, found.hyperlinks.targets, strict=True)
    assert {(pages[s], pages[t]) for s, t in among} == {
        (s, t) for s, t in links if s in near | chosen and t in near | chosen
    }
    assert found.parents.tolist() == [
        pages.index(parents[page]) if parents[page] in pages else -1 for page in pages
    ]


def test_a_sample_of_everything_is_what_propagates_within_it(random_web: Index) -> None:
    documents = list(range(60))
    evidence = evidence_of(random_web, documents)
    assert evidence.neighbours is not None and evidence.neighbours.n_documents == 0
    alone = computed(random_web, documents, replace(evidence, neighbours=None))
    assert computed(random_web, documents, evidence) == alone


def test_kept_counts_of_neighbours_give_the_same_features(
    random_web: Index, tmp_path: Path
) -> None:
    documents, collection = [3, 8, 11], random_web.statistics
    evidence, query = evidence_of(random_web, documents), statistics_of(random_web, documents)
    beside = evidence.neighbours
    assert beside is not None and beside.term_frequencies.any()
    write_neighbours(tmp_path, "1", beside)
    again = read_neighbours(tmp_path, collection, query, beside.document_ids)
    assert np.array_equal(again.term_frequencies, beside.term_frequencies)
    without_words = computed(random_web, documents, replace(evidence, neighbours=again))
    assert without_words == computed(random_web, documents, evidence)


def test_counts_of_other_neighbours_are_a_sentence(random_web: Index, tmp_path: Path) -> None:
    documents, collection = [3, 8, 11], random_web.statistics
    query, beside = statistics_of(random_web, documents), evidence_of(random_web, documents)
    assert beside.neighbours is not None
    with pytest.raises(RankwiseError, match=r"query-1\.xml: the file must hold the neighbours of"):
        read_neighbours(tmp_path, collection, query, ())
    write_neighbours(tmp_path, "1", beside.neighbours)
    with pytest.raises(RankwiseError, match=r"in the relations, found 'd\d+', which is not"):
        read_neighbours(tmp_path, collection, query, ())
    fewer = replace(query, terms=query.terms[:1], term_frequencies=query.term_frequencies[:, :, :1])
    with pytest.raises(
        RankwiseError, match=f"or remove .*{NEIGHBOURS_FOLDER} to propagate within samples"
    ):
        read_neighbours(tmp_path, collection, fewer, beside.neighbours.document_ids)
