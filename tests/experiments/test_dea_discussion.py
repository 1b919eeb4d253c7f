from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.experiments import dea_discussion as discussion
from rankwise.experiments.dea_discussion import (
    VariantFacts,
    compare_roles,
    measure_features,
    measure_pool,
    train_variants,
)
from rankwise.rankers.dea.pool import candidates
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.test_dea_pool import made


@pytest.mark.parametrize("model", ["ccr-i", "ccr-o"])
def test_pool_facts_are_those_of_a_plain_loop(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discussion, "_CANDIDATES_IN_A_BLOCK", 7)
    train = made(6)
    measure = TrainingMeasure.of(train, "MAP")
    found = candidates(train, model)
    # Efficient documents tie at 1 but for rounding, so scores must be summed as models sum them.
    scores = [Linear(weights).score(train.features) for weights in found.weights]
    values = [measure.per_query(one) for one in scores]
    home = [value[query] for value, query in zip(values, found.homes, strict=True)]
    better = [at_home > value.mean() for at_home, value in zip(home, values, strict=True)]
    pairs = [np.corrcoef(1 - one, 1 - other)[0, 1] for one, other in combinations(values, 2)]
    facts = measure_pool(train, model)
    assert facts.candidates == len(found) > 7
    assert facts.biased == pytest.approx(np.mean(better))
    assert facts.at_home == pytest.approx(np.mean(home))
    assert facts.everywhere == pytest.approx(np.mean(values))
    assert facts.correlation == pytest.approx(np.mean(pairs))
    assert facts.spread == pytest.approx(np.std(values, axis=0).mean())


def test_one_candidate_has_no_correlation() -> None:
    train = Dataset.from_arrays([[0.0], [1.0], [0.5]], [0, 1, 0], [1, 1, 1])
    assert measure_pool(train, "ccr-i").correlation is None


def test_feature_spread_leaves_constant_features_out() -> None:
    train = made(6)
    measure = TrainingMeasure.of(train, "NDCG@10")
    values = [measure.per_query(train.features[:, k]).mean() for k in range(5)]
    widened = train.with_features(np.column_stack([train.features, np.ones(len(train.labels))]))
    spread = measure_features(widened)
    assert spread.features == 5
    assert spread.mean == pytest.approx(np.mean(values))
    assert spread.deviation == pytest.approx(np.std(values))


def test_variants_come_in_pairs_of_weightings_and_match_a_fit() -> None:
    from rankwise.evaluation import evaluate
    from rankwise.rankers.registry import find_ranker

    train, validation, test = made(8, 1), made(4, 2), made(4, 3)
    facts = list(train_variants(train, validation, test))
    assert [one.weighting for one in facts] == ["program", "feature"] * 4
    assert [one.variant for one in facts[::2]] == list(discussion.VARIANTS)
    for one in facts:
        model = find_ranker(one.variant)(weighting=one.weighting).fit(train, validation)
        names = [*(f"NDCG@{cut}" for cut in range(1, 11)), "MAP"]
        judged = evaluate(test, model.score(test), names)
        assert one.map == pytest.approx(judged["MAP"].mean)
        assert one.ndcg_at_10 == pytest.approx(judged["NDCG@10"].mean)
        assert one.figure_1 == pytest.approx(np.mean([judged[name].mean for name in names]))


def test_figure_1_averages_the_two_variants_of_a_model() -> None:
    def fact(model: str, weighting: str, value: float) -> VariantFacts:
        return VariantFacts("any", model, weighting, 0.0, 0.0, value)

    facts = [
        fact("ccr-i", "program", 0.4),
        fact("ccr-i", "feature", 0.9),
        fact("ccr-i", "program", 0.6),
        fact("ccr-o", "program", 0.3),
    ]
    assert compare_roles(facts) == pytest.approx((0.5, 0.3))
    with pytest.raises(RankwiseError, match="variants over ccr-o, found none"):
        compare_roles(facts[:3])
