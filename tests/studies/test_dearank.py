"""The study of DEARank: its facts by plain loops, its figures, and what it prints."""

from __future__ import annotations

from itertools import combinations, product
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from studies.dearank import (
    DEARankAnalysis,
    FeatureSpread,
    PoolFacts,
    VariantFacts,
    analyse_dearank,
    compare_roles,
    main,
    make_dataset_figures,
    measure_changes,
    measure_diversity,
    measure_features,
    measure_pool,
    train_variants,
)

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import write_letor
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.boosting.weak_rankers import Pool
from rankwise.rankers.dea.dearank import DEARankOMAP, candidates
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.results.published.published_tables import read_shipped, read_shipped_rows
from studies import dearank
from tests.rankers.test_dea_pool import made


@pytest.mark.parametrize("model", ["ccr-i", "ccr-o"])
def test_pool_facts_are_those_of_a_plain_loop(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dearank, "_CANDIDATES_IN_A_BLOCK", 7)
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
    train, validation, test = made(8, 1), made(4, 2), made(4, 3)
    facts = list(train_variants(train, validation, test))
    assert [one.weighting for one in facts] == ["program", "feature"] * 4
    assert [one.variant for one in facts[::2]] == list(dearank.VARIANTS)
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
    train, validation, test = made(8, 1), made(4, 2), made(4, 3)
    facts = list(train_variants(train, validation, test, best=4))
    assert [(one.weighting, one.best) for one in facts[:3]] == [
        ("program", 0), ("feature", 0), ("program", 4),
    ]  # fmt: skip
    names = dearank.FIGURE_1_MEASURES
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


def outcomes(dataset: Dataset, weights: np.ndarray) -> list[list[list[bool]]]:
    """Of every query with pairs, of every pair: which members are right."""
    found = []
    for query in dataset.queries():
        scores = query.features @ weights.T
        pairs = [
            [bool(scores[i, member] > scores[j, member]) for member in range(len(weights))]
            for i in range(len(scores))
            for j in range(len(scores))
            if query.labels[i] > query.labels[j]
        ]
        if pairs:
            found.append(pairs)
    return found


def share(queries: list[list[list[bool]]], a: int, b: int, of_a: bool, of_b: bool) -> float:
    return float(
        np.mean([np.mean([(p[a], p[b]) == (of_a, of_b) for p in pairs]) for pairs in queries])
    )


@pytest.mark.parametrize("members", [2, 3, 6])
def test_every_measure_is_that_of_a_plain_loop(members: int) -> None:
    dataset = made(6, seed=members)
    weights = np.random.default_rng(members).random((members, 5))
    queries = outcomes(dataset, weights)
    disagreement, fault, q = [], [], []
    for a, b in combinations(range(members), 2):
        p11, p00 = share(queries, a, b, True, True), share(queries, a, b, False, False)
        p10, p01 = share(queries, a, b, True, False), share(queries, a, b, False, True)
        assert p11 + p10 + p01 + p00 == pytest.approx(1.0)
        disagreement.append(p10 + p01)
        fault.append(p00)
        q.append((p11 * p00 - p10 * p01) / (p11 * p00 + p10 * p01))
    half = members - ceil(members / 2)
    entropy = np.mean(
        [np.mean([min(sum(p), members - sum(p)) / half for p in pairs]) for pairs in queries]
    )
    found = measure_diversity(weights, dataset)
    assert found.members == members
    assert found.right == pytest.approx(
        np.mean([np.mean([np.mean(p) for p in pairs]) for pairs in queries])
    )
    assert found.disagreement == pytest.approx(np.mean(disagreement))
    assert found.double_fault == pytest.approx(np.mean(fault))
    assert found.q == pytest.approx(np.mean(q))
    assert found.entropy == pytest.approx(entropy)


def test_equal_members_agree_and_opposite_ones_never_do() -> None:
    dataset = made(4)
    weights = np.random.default_rng(0).random(5)
    same = measure_diversity(np.array([weights, 3.0 * weights]), dataset)
    assert (same.disagreement, same.entropy) == (pytest.approx(0.0), pytest.approx(0.0))
    assert same.q == pytest.approx(1.0)
    opposite = measure_diversity(np.array([weights, -weights]), dataset)
    # No two documents of these data have equal scores.
    assert opposite.disagreement == pytest.approx(1.0)
    assert opposite.entropy == pytest.approx(1.0)
    assert opposite.double_fault == pytest.approx(0.0)
    assert opposite.q == pytest.approx(-1.0)


def test_a_tie_is_wrong() -> None:
    dataset = Dataset.from_arrays([[1.0, 0.0], [1.0, 1.0]], [1, 0], [1, 1])
    found = measure_diversity(np.array([[1.0, 0.0], [0.0, -1.0]]), dataset)
    assert found.right == pytest.approx(1 / 2)
    assert found.disagreement == pytest.approx(1.0)


def test_one_member_and_no_pairs_have_no_diversity() -> None:
    alone = measure_diversity(np.ones((1, 5)), made(2))
    assert alone.members == 1
    assert alone.right is not None
    assert alone.disagreement is alone.double_fault is alone.q is alone.entropy is None
    flat = Dataset.from_arrays([[1.0], [2.0]], [1, 1], [1, 1])
    assert measure_diversity(np.ones((2, 1)), flat).right is None


def test_queries_without_pairs_and_pairs_of_other_queries_count_nowhere() -> None:
    features, labels = [[1.0], [2.0], [5.0], [4.0]], [1, 0, 1, 1]
    with_flat = Dataset.from_arrays(features, labels, [1, 1, 2, 2])
    alone = Dataset.from_arrays(features[:2], labels[:2], [1, 1])
    weights = np.array([[1.0], [-1.0]])
    assert measure_diversity(weights, with_flat) == measure_diversity(weights, alone)


def analyse(share: float, value: float | None) -> DEARankAnalysis:
    pools = tuple(
        PoolFacts(model, 10, 5, share + shift, 0.4, 0.4, 0.9, 0.05)
        for model, shift in (("ccr-i", 0.0), ("ccr-o", 0.1))
    )
    variants = [
        VariantFacts(f"dearank-{role}-{measure}", f"ccr-{role}", weighting, 0.4, 0.4, value)
        for role, measure, weighting in product("io", ("map", "ndcg"), ("program", "feature"))
    ] if value is not None else []  # fmt: skip
    return DEARankAnalysis(pools, FeatureSpread(9, 0.3, 0.1), tuple(variants), "test")


def test_dearank_s_figures_stand_beside_what_the_paper_prints() -> None:
    found = {"OHSUMED": analyse(0.4, 0.46), "MQ2007": analyse(0.5, 0.47), "mine": analyse(0.3, 0.5)}
    one, two = make_dataset_figures(found)
    assert (one.name, two.name) == ("dearank-figure-1", "dearank-figure-2")
    assert one.groups == two.groups == ("OHSUMED", "MQ2007", "mine")
    printed = read_shipped().where(dataset="OHSUMED", method=("DEARank-I-MAP", "DEARank-I-NDCG"))
    assert one.series[0].published[0] == pytest.approx(printed.value.mean())
    assert one.series[0].published[2] is None
    assert two.series[1].published == (None, 0.643, None)
    assert two.series[1].values == pytest.approx((0.5, 0.6, 0.4))


def test_without_variants_there_is_only_figure_2() -> None:
    (figure,) = make_dataset_figures({"OHSUMED": analyse(0.4, None)})
    assert figure.name == "dearank-figure-2"


def written(path: Path, dataset: Dataset) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_letor(dataset, path)
    return str(path)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("folds")
    for number in (1, 2):
        for seed, part in enumerate(("train", "vali", "test")):
            written(home / f"Fold{number}" / f"{part}.txt", made(5, 10 * number + seed))
    return home


def test_a_file_is_judged_on_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([written(tmp_path / "train.txt", made(5))])
    shown = capsys.readouterr().out
    assert "Local overfitting and error diversity (section 5.1)" in shown
    assert "5 raw features as rankers" in shown
    assert "on the training data: DEARank-I" in shown
    for word in ("ccr-i", "ccr-o", "bcc", "additive", "dearank-o-ndcg", "Eq. 15"):
        assert word in shown


def test_facts_are_means_over_folds(folds: Path) -> None:
    found = analyse_dearank(folds)
    each = [measure_pool(made(5, seed), "ccr-o").biased for seed in (10, 20)]
    pools = {pool.model: pool for pool in found.pools}
    assert pools["ccr-o"].biased == pytest.approx(sum(each) / 2)
    assert len(found.variants) == 8
    assert found.judged_on == "test"
    figure = found.figure_1()
    assert figure is not None
    assert figure["difference"] == pytest.approx(figure["DEARank-I"] - figure["DEARank-O"])


def test_one_fold_and_pools_only(folds: Path) -> None:
    found = analyse_dearank(folds, fold=2, pools_only=True)
    assert found.pools[0].biased == pytest.approx(measure_pool(made(5, 20), "ccr-i").biased)
    assert found.variants == ()
    assert found.figure_1() is None


def test_figures_are_drawn(folds: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    main([str(folds), "--fold", "1", "-o", str(tmp_path / "figures")])
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    kinds = ("local-overfitting", "error-diversity", "ensemble-diversity", "variants")
    assert names == {f"dearank-{kind}.{end}" for kind in kinds for end in ("png", "svg")}


def test_a_reduced_pool_prints_the_row_of_table_8(
    folds: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(folds), "--fold", "1", "--best", "3", "--phi", "linear"])
    shown = capsys.readouterr().out
    assert "Change by the reduced pool in percent" in shown
    assert "dearank-o-map, best 3" in shown
    found = analyse_dearank(folds, fold=1, best=3, phi="linear")
    changes = found.changes()
    assert changes is not None
    assert list(changes) == [*(f"NDCG@{cut}" for cut in range(1, 11)), "MAP"]
    assert len(found.variants) == 12
    pools = {pool.model: pool for pool in found.pools}
    expected = measure_pool(made(5, 10), "ccr-o", phi="linear")
    assert pools["ccr-o"].biased == pytest.approx(expected.biased)


def test_refusals(folds: Path, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"together with pools only.*leave out best"):
        analyse_dearank(folds, pools_only=True, best=3)
    with pytest.raises(RankwiseError, match="has no fold 7"):
        analyse_dearank(folds, fold=7)
    file = written(tmp_path / "train.txt", made(2))
    with pytest.raises(RankwiseError, match=r"one fold can be chosen of a folder.*leave out fold"):
        analyse_dearank(file, fold=1)
    with pytest.raises(RankwiseError, match="no such file"):
        analyse_dearank(str(tmp_path / "absent.txt"))
    null = tmp_path / "null.txt"
    null.write_text("1 qid:1 1:NULL 2:0.5\n0 qid:1 1:0.1 2:0.2\n")
    with pytest.raises(RankwiseError, match="cannot take NULL features, found some in the train"):
        analyse_dearank(str(null))
