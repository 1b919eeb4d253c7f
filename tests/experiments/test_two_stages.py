"""Retrieval and ranking over a whole corpus: lost documents count as never found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import RankwiseError
from tests.collection.built import make_build


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_build(tmp_path_factory.mktemp("made"))


def average_precision(relevant: np.ndarray, judged: int) -> float:
    """1/R Σ_i rel_i P@i, over all R that were judged relevant."""
    places = np.flatnonzero(relevant) + 1
    return float(np.sum(np.arange(1, len(places) + 1) / places)) / max(judged, 1)


def test_figures_of_retrieval_are_the_equations_over_all_judged(build: Path) -> None:
    found = rw.evaluate_stages(build, "ridge-regression")
    (path,) = (build / "Feature-null" / "ALL").glob("*.txt")
    rows = rw.read(path)
    qrels = [line.split() for line in (build.parent / "qrels").read_text().splitlines()]
    judged = {q: sum(one[0] == q and int(one[3]) > 0 for one in qrels) for q in rows.query_ids}
    # Rows stand in the order of BM25.
    of_queries = [average_precision(query.labels > 0, judged[query.id]) for query in rows.queries()]
    recalls = [(query.labels > 0).sum() for query in rows.queries()]
    figures = {one.measure: one for one in found.figures}
    assert figures["MAP"].retrieved == pytest.approx(np.mean(of_queries), abs=1e-12)
    assert found.recall == pytest.approx(sum(recalls) / sum(judged.values()))
    share = [found / max(judged[q], 1) for found, q in zip(recalls, rows.query_ids, strict=True)]
    assert figures["MAP"].best == pytest.approx(np.mean(share))


def test_nothing_beats_a_perfect_second_stage(build: Path) -> None:
    found = rw.evaluate_stages(build, measures="MAP,P@3,RR,Recall@5")
    assert (found.depth, found.queries) == (8, 15)
    for one in found.figures:
        assert 0 <= one.retrieved <= one.best <= 1
        assert 0 <= one.ranked <= one.best


def test_the_ranker_is_the_one_of_the_depths(build: Path) -> None:
    (depth,) = rw.compare_depths(build, [8]).figures
    (figure,) = rw.evaluate_stages(build, measures=["MAP"]).figures
    assert figure.ranked == pytest.approx(depth.learnt_of_all, abs=1e-12)
    assert figure.retrieved == pytest.approx(depth.baseline_of_all, abs=1e-12)


def test_measures_of_labels_are_refused(build: Path) -> None:
    with pytest.raises(RankwiseError, match="the labels of lost documents are not kept"):
        rw.evaluate_stages(build, measures="NDCG@10")
