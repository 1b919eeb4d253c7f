"""Scorers that see whole lists: what every part of Rankwise does with them, or says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.data.shared_queries import QueryPrints
from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.models.explanations.dependence import measure_dependence
from rankwise.models.explanations.explained_scores import explain_order, explain_scores
from rankwise.models.explanations.model_importance import weigh_model
from rankwise.models.model import Model
from rankwise.models.scorers.scorer import ListScorer, find_slopes


@dataclass(frozen=True, eq=False)
class AboveMean(ListScorer):
    """s_i = w · x_i − the mean of it over the list; a place is added to who stands where."""

    kind: ClassVar[str] = "above-mean"
    weights: np.ndarray
    by_place: float = 0.0

    @property
    def n_features(self) -> int:
        return len(self.weights)

    def _score_list(self, rows: np.ndarray) -> np.ndarray:
        assert len(rows)
        values = rows @ self.weights
        return values - values.mean() + self.by_place * np.arange(len(rows))

    def importance(self) -> np.ndarray:
        return find_slopes(self, np.zeros(self.n_features), np.ones(self.n_features))

    def as_json(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> AboveMean:
        raise NotImplementedError


def made_rows(documents: int = 30, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(documents, 4))


WEIGHTS = np.array([3.0, -2.0, 0.0, 0.1])
MODEL = Model("mine", {}, AboveMean(WEIGHTS), paper="Somebody (2001)")
DATA = Dataset.from_arrays(made_rows(), np.arange(30) % 3, group=[12, 1, 17])


def test_rows_are_one_list_and_data_are_lists() -> None:
    values = DATA.features @ WEIGHTS
    assert MODEL.scorer.score(DATA.features) == pytest.approx(values - values.mean())
    means = np.repeat([values[:12].mean(), values[12], values[13:].mean()], [12, 1, 17])
    assert MODEL.score(DATA) == pytest.approx(values - means, abs=1e-12)
    assert len(MODEL.scorer.score(np.zeros((0, 4)))) == 0
    assert len(MODEL.score(DATA.select_queries(slice(0, 0)))) == 0


def test_no_order_changes_a_bit_and_equal_documents_tie() -> None:
    rows = np.vstack([made_rows(40), made_rows(40), made_rows(5)])
    rows[3, 2], rows[43, 2] = 0.0, -0.0
    scorer = AboveMean(WEIGHTS, by_place=0.01)
    scores = scorer.score(rows)
    order = np.random.default_rng(3).permutation(len(rows))
    assert scorer.score(rows[order]).tobytes() == scores[order].tobytes()
    assert scores[:40].tobytes() == scores[40:80].tobytes()


def test_sparse_data_have_the_same_scores() -> None:
    held = SparseFeatures.from_dense(DATA.features)
    sparse = DATA.with_features(held)
    assert sparse.sparse is not None
    assert MODEL.score(sparse).tobytes() == MODEL.score(DATA).tobytes()
    assert MODEL.scorer.score_sparse(held) == pytest.approx(MODEL.scorer.score(DATA.features))


def test_importance_is_the_slope_of_the_score_in_a_made_up_list() -> None:
    assert MODEL.scorer.importance() == pytest.approx(WEIGHTS, abs=0.3)


def test_cost_is_told_by_query_and_not_by_single_document() -> None:
    for data in (None, DATA):
        (found,) = rw.measure_cost(MODEL, data, targets=[], repeats=1).times
        assert min(found.batch, found.query) > 0.0
        assert found.single is None
        assert found.ratio == (1.0, 1.0, None)


def test_permutation_importance_takes_lists_and_contributions_refuse_them() -> None:
    found = weigh_model(MODEL, DATA, by="permutation", repeats=1)
    assert set(found.features) == {"1", "2", "3", "4"}
    for refused in (
        lambda: weigh_model(MODEL, DATA, by="contributions"),
        lambda: explain_order(MODEL, DATA),
        lambda: explain_scores(MODEL, DATA),
        lambda: measure_dependence(MODEL, DATA, 1),
    ):
        with pytest.raises(RankwiseError, match="depend on the whole list; importance by perm"):
            refused()


def test_scikit_learn_asks_for_the_queries() -> None:
    pytest.importorskip("sklearn")
    from rankwise.sklearn_adapter import RankwiseRanker

    ranker = RankwiseRanker()
    other = Dataset.from_arrays(made_rows(3), np.zeros(3), ["elsewhere"] * 3)
    ranker.model_, ranker.n_features_in_, ranker._queries_in = MODEL, 4, QueryPrints.of(other)
    with pytest.raises(RankwiseError, match=r"mine scores whole lists.*pass qid"):
        ranker.predict(DATA.features)
    found = ranker.predict(DATA.features, qid=DATA.query_of_rows)
    assert found.tobytes() == MODEL.score(DATA).tobytes()
