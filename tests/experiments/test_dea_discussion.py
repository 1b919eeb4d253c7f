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
    measure_changes,
    measure_features,
    measure_pool,
    train_variants,
)
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.dea.dearank import candidates
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
    from rankwise.measures.evaluation import evaluate
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


def test_facts_of_an_ensemble_are_those_of_its_members() -> None:
    from rankwise.experiments.ensemble_diversity import measure_diversity
    from rankwise.rankers.boosting.weak_rankers import Pool
    from rankwise.rankers.dea.dearank import DEARankOMAP

    train, validation, test = made(8, 1), made(4, 2), made(4, 3)
    found = candidates(train, "ccr-o").distinct()
    measure = TrainingMeasure.of(train, "MAP")
    pool = Pool.of(found.weights, train, measure)
    ensemble = DEARankOMAP().combine(pool, train, validation, measure)
    members = sorted(set(ensemble.chosen))
    facts = next(one for one in train_variants(train, validation, test) if one.model == "ccr-o")
    on_test = TrainingMeasure.of(test, "MAP")
    each = [on_test.mean(Linear(pool.weights[one]).score(test.features)) for one in members]
    home = found.homes[pool.numbers]
    biased = [pool.performance[one, home[one]] > pool.performance[one].mean() for one in members]
    assert facts.members_map == pytest.approx(np.mean(each))
    assert facts.biased == pytest.approx(np.mean(biased))
    assert facts.diversity == measure_diversity(pool.weights[members], test)


def test_phi_reaches_the_pools_and_variants_that_look_at_labels() -> None:
    train = made(8, 1)
    assert measure_pool(train, "ccr-i", phi="exponential") == measure_pool(train, "ccr-i")
    assert measure_pool(train, "ccr-o", phi="exponential") != measure_pool(train, "ccr-o")


def test_a_reduced_pool_is_a_third_training_like_that_of_the_ranker() -> None:
    from rankwise.rankers.registry import find_ranker

    train, validation, test = made(8, 1), made(4, 2), made(4, 3)
    facts = list(train_variants(train, validation, test, best=4))
    assert [(one.weighting, one.best) for one in facts[:3]] == [
        ("program", 0), ("feature", 0), ("program", 4),
    ]  # fmt: skip
    names = discussion.FIGURE_1_MEASURES
    for one in facts[2::3]:
        model = find_ranker(one.variant)(best=4).fit(train, validation)
        expected = [TrainingMeasure.of(test, name).mean(model.score(test)) for name in names]
        assert one.figures == pytest.approx(expected)
    whole = np.array([one.figures for one in facts[0::3]])
    reduced = np.array([one.figures for one in facts[2::3]])
    changes = measure_changes(facts)
    assert changes is not None
    for place, name in enumerate(names):
        before, after = whole[:, place].mean(), reduced[:, place].mean()
        assert changes[name] == pytest.approx(100 * (after - before) / before)
    assert measure_changes(facts[:2]) is None


def test_the_printed_rows_of_table_8_are_changes_of_the_mean() -> None:
    """Of 55 printed changes, each within what three digits of eight figures leave open."""
    from rankwise.results.published.published_tables import read_shipped, read_shipped_rows

    methods = ("DEARank-I-MAP", "DEARank-I-NDCG", "DEARank-O-MAP", "DEARank-O-NDCG")
    rows = read_shipped_rows("dearank_table_8_changes")
    assert len(rows) == 5 * 11
    for row in rows:
        cell = {"dataset": row["dataset"], "measure": row["measure"], "method": methods}
        before = read_shipped("dearank_tables_2_to_5").where(**cell).value
        after = read_shipped("dearank_table_8").where(**cell).value
        facts = [
            VariantFacts("any", "ccr-i", "program", 0.0, 0.0, 0.0, best, (float(value),) * 11)
            for best, values in ((0, before), (100, after))
            for value in values
        ]
        changes = measure_changes(facts)
        assert changes is not None
        open_by_rounding = 100 * 2 * 4 * 0.0005 / before.sum() * 1.02 + 0.005
        assert changes["MAP"] == pytest.approx(row["printed_change"], abs=open_by_rounding)
