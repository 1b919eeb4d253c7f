"""Feature selection, reduction and importance on data whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.errors import RankwiseError
from rankwise.feature_selection import (
    choose_features,
    compare_on_folds,
    feature_similarity,
    fit_reduction,
    permutation_importance,
    single_feature_quality,
)
from rankwise.measures.evaluation import evaluate

# Columns of `made`: the label itself, its negative, its cube, noise, a constant of the query.
LABEL, NEGATIVE, CUBE, NOISE, QUERY_ONLY = range(5)


def made(seed: int = 0, n_queries: int = 12, n_documents: int = 10) -> Dataset:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), n_documents)
    hidden = rng.normal(size=len(qid))
    labels = (hidden > 0.5).astype(float) + (hidden > 1.2)
    noise = rng.normal(size=len(qid))
    X = np.column_stack([hidden, -hidden + 0.3 * noise, hidden**3, noise, qid.astype(float)])
    return Dataset.from_arrays(X, labels, qid)


def random_data(seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    qid = np.repeat([1, 2, 3], [2, 5, 6])
    return Dataset.from_arrays(rng.integers(0, 4, (13, 4)).astype(float), qid * 0, qid)


@given(seed=st.integers(0, 10**6))
def test_similarity_is_the_mean_kendall_tau_over_queries(seed: int) -> None:
    from scipy.stats import kendalltau

    dataset = random_data(seed)
    found = feature_similarity(dataset)
    for f in range(4):
        for g in range(4):
            if f != g:
                taus = [
                    kendalltau(query.features[:, f], query.features[:, g]).statistic
                    for query in dataset.queries()
                    if np.ptp(query.features[:, f]) > 0 and np.ptp(query.features[:, g]) > 0
                ]
                assert found[f, g] == pytest.approx(np.mean(taus) if taus else 0.0, abs=1e-12)
    assert np.all(np.diag(found) == 1)


def test_quality_is_the_measure_of_ranking_by_the_feature_in_the_better_direction() -> None:
    dataset = made()
    quality = single_feature_quality(dataset, "NDCG@5")
    for number in range(5):
        column = dataset.features[:, number]
        both = [
            evaluate(dataset, sign * column, "NDCG@5", ties="expected")["NDCG@5"].mean
            for sign in (1, -1)
        ]
        assert quality.values[number] == max(both)
        assert quality.ascending[number] == (both[1] > both[0])
    assert quality.ascending[NEGATIVE] and not quality.ascending[LABEL]
    assert quality.values[LABEL] == 1.0 == quality.values[CUBE]


def test_a_constant_feature_gains_nothing_from_the_order_of_the_file() -> None:
    best_first = Dataset.from_arrays(np.zeros((6, 1)), [1, 0, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2])
    # One relevant document among three in random order: P@1 = 1/3.
    assert single_feature_quality(best_first, "P@1").values == pytest.approx([1 / 3])


def test_best_takes_the_best_alone() -> None:
    choice = choose_features(made(), "best", 2)
    assert set(choice.features) == {LABEL, CUBE}
    assert choice.worth == (1.0, 1.0)


def test_gas_avoids_features_that_say_the_same() -> None:
    dataset = made()
    choice = choose_features(dataset, "gas", 4, similarity_weight=1.0)
    assert choice.features[:2] == (LABEL, NOISE)
    alike = np.abs(feature_similarity(dataset))
    alone = single_feature_quality(dataset).values
    assert choice.worth[1] == pytest.approx(alone[NOISE] - 2 * 1.0 * alike[LABEL, NOISE])


def test_features_that_order_nothing_come_last() -> None:
    for method, weight in (("best", None), ("gas", 1.0)):
        choice = choose_features(made(), method, 5, similarity_weight=weight)
        assert choice.features[-1] == QUERY_ONLY
        assert sorted(choice.features) == list(range(5))


def test_gas_takes_the_weight_that_does_best_in_trial() -> None:
    dataset = made()
    wanted = {LABEL, NOISE}
    choice = choose_features(dataset, "gas", 2, trial=lambda chosen: float(set(chosen) == wanted))
    assert set(choice.features) == wanted
    other = {LABEL, CUBE}
    choice = choose_features(dataset, "gas", 2, trial=lambda chosen: float(set(chosen) == other))
    assert set(choice.features) == other


def test_forward_adds_what_helps_most() -> None:
    worth = {0: 1.0, 1: 5.0, 2: 3.0, 3: 4.0, 4: 0.0}
    choice = choose_features(
        made(), "forward", 3, trial=lambda chosen: sum(worth[number] for number in chosen)
    )
    assert choice.features == (1, 3, 2)
    assert choice.worth == (5.0, 9.0, 12.0)


def test_a_choice_keeps_columns_and_names_in_their_own_order() -> None:
    dataset = Dataset.from_arrays(
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0, 1], [1, 1], feature_names=["a", "b", "c"]
    )
    kept = choose_features(dataset, "forward", 2, trial=lambda chosen: chosen[-1]).apply(dataset)
    assert kept.features.tolist() == [[2, 3], [5, 6]]
    assert kept.feature_names == ("b", "c")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("lasso", 1), "a selection is one of gas, best, forward"),
        (("best", 0), "1 to 5 can be kept, found 0"),
        (("best", 6), "1 to 5 can be kept, found 6"),
        (("forward", 1), "forward selection needs a trial"),
        (("gas", 1), "gas without a similarity weight needs a trial"),
    ],
)
def test_choices_that_cannot_be_made(arguments: tuple[str, int], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        choose_features(made(), *arguments)


def test_permuting_hurts_only_what_the_model_uses() -> None:
    dataset = made()
    losses = permutation_importance(lambda d: d.features[:, LABEL], dataset, seed=3)
    assert losses[LABEL] > 0.1
    assert np.all(losses[1:] == 0)
    again = permutation_importance(lambda d: d.features[:, LABEL], dataset, seed=3)
    assert np.array_equal(losses, again)


def test_permuting_within_queries_leaves_query_features_alone() -> None:
    dataset = made()
    losses = permutation_importance(lambda d: d.features.sum(axis=1), dataset)
    assert losses[QUERY_ONLY] == 0


def centred(dataset: Dataset, values: np.ndarray) -> np.ndarray:
    means = [values[dataset.query_of_rows == q].mean(axis=0) for q in range(dataset.n_queries)]
    return values - np.array(means)[dataset.query_of_rows]


def test_pca_is_the_singular_value_decomposition_within_queries() -> None:
    dataset = made()
    reduction = fit_reduction(dataset, "pca", 3)
    X = centred(dataset, dataset.features)
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    _, sizes, directions = np.linalg.svd(X / scale, full_matrices=False)
    assert np.abs(reduction.components.T @ directions[:3].T) == pytest.approx(np.eye(3), abs=1e-9)
    assert reduction.explained == pytest.approx(sizes[:3] ** 2 / (sizes**2).sum())
    expected = (dataset.features / scale) @ reduction.components
    assert reduction.apply(dataset).features == pytest.approx(expected)


def test_pca_to_all_features_keeps_distances() -> None:
    dataset = made(n_queries=2)
    found = fit_reduction(dataset, "pca", 5).apply(dataset).features
    scaled = dataset.features / fit_reduction(dataset, "pca", 5).scale
    assert np.linalg.norm(found[0] - found[1]) == pytest.approx(
        np.linalg.norm(scaled[0] - scaled[1])
    )


def test_the_first_direction_of_pls_is_the_covariance_with_the_labels() -> None:
    dataset = made()
    reduction = fit_reduction(dataset, "pls", 1)
    X = centred(dataset, dataset.features) / reduction.scale
    covariance = X.T @ centred(dataset, dataset.labels[:, None])[:, 0]
    assert reduction.components[:, 0] == pytest.approx(covariance / np.linalg.norm(covariance))


def test_the_scores_of_pls_are_uncorrelated_and_end_in_least_squares() -> None:
    dataset = made()
    reduction = fit_reduction(dataset, "pls", 4)
    X = centred(dataset, dataset.features) / reduction.scale
    y = centred(dataset, dataset.labels[:, None])[:, 0]
    scores = X @ reduction.components
    products = scores.T @ scores
    assert products - np.diag(np.diag(products)) == pytest.approx(0, abs=1e-8)
    # With as many directions as features vary, the fit is that of least squares.
    fitted = scores @ np.linalg.lstsq(scores, y, rcond=None)[0]
    expected = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    assert fitted == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("tsne", 1), "a reduction is one of pca, pls"),
        (("pca", 6), "5 features can be reduced to 1 to 5, found 6"),
        (("pca", 0), "found 0"),
    ],
)
def test_reductions_that_cannot_be_made(arguments: tuple[str, int], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        fit_reduction(made(), *arguments)


def test_pls_without_anything_to_learn() -> None:
    dataset = Dataset.from_arrays(np.ones((4, 2)), [0, 1, 0, 1], [1, 1, 2, 2])
    with pytest.raises(RankwiseError, match="pls needs features that vary"):
        fit_reduction(dataset, "pls", 1)


def test_a_reduction_refuses_other_widths() -> None:
    reduction = fit_reduction(made(), "pca", 2)
    with pytest.raises(RankwiseError, match="fitted on 5 features, found 1"):
        reduction.apply(Dataset.from_arrays([[1.0]], [0], [1]))


def test_the_effect_is_measured_on_the_test_parts() -> None:
    folds = [Fold(number, made(number), None, made(number + 10)) for number in (1, 2)]
    told: list[int] = []
    effects = compare_on_folds(
        folds,
        lambda fold: Fold(fold.number, *(d and d.with_features(d.features[:, [NOISE]])
                                         for d in (fold.train, fold.validation, fold.test))),
        lambda train, validation: lambda dataset: dataset.features[:, 0],
        ["MAP", "NDCG@10"],
        told=told.append,
    )  # fmt: skip
    assert told == [1, 2]
    for effect in effects:
        by_hand = [
            [
                evaluate(fold.test, fold.test.features[:, column], effect.measure)[effect.measure]
                for fold in folds
            ]
            for column in (LABEL, NOISE)
        ]
        before, after = (np.concatenate([r.values for r in results]) for results in by_hand)
        assert np.array_equal(effect.before, before)
        assert np.array_equal(effect.after, after)
        assert effect.difference == pytest.approx(after.mean() - before.mean())


def test_a_measure_that_the_tool_refuses_is_a_sentence() -> None:
    fold = Fold(1, made(1), None, made(2))
    with pytest.raises(RankwiseError):
        compare_on_folds(
            [fold],
            lambda fold: fold,
            lambda train, validation: lambda dataset: dataset.features[:, 0],
            ["no such measure", "MAP"],
        )


@pytest.mark.parametrize("method", ["pca", "pls"])
def test_the_first_components_are_those_of_a_smaller_reduction(method: str) -> None:
    dataset = made(3)
    whole, two = fit_reduction(dataset, method, 4), fit_reduction(dataset, method, 2)
    np.testing.assert_allclose(whole.first(2).components, two.components, atol=1e-9)
    np.testing.assert_allclose(whole.first(2).explained, two.explained, atol=1e-9)


def test_features_are_not_chosen_by_what_falls_as_rankings_get_better() -> None:
    """The feature with the largest error would be taken for the best."""
    data = planted(6)
    for act in (
        lambda: choose_features(data, "best", 1, measure="RMSE"),
        lambda: choose_features(data, "forward", 1, measure="RMSE", trial=lambda numbers: 1.0),
        lambda: single_feature_quality(data, "RMSE"),
        lambda: permutation_importance(lambda one: one.features[:, 0], data, "RMSE"),
    ):
        with pytest.raises(RankwiseError, match="found RMSE, which falls; give another measure"):
            act()
    for weight in (np.inf, np.nan, -1.0):
        with pytest.raises(RankwiseError, match="the similarity weight must be a number from 0"):
            choose_features(data, "gas", 2, similarity_weight=weight)


@pytest.mark.parametrize("method", ["pca", "pls"])
@pytest.mark.parametrize("noise", [0.0, 1e-16])
def test_features_of_the_query_alone_stay_out_of_reductions(method: str, noise: float) -> None:
    """Their deviations are rounding, which must not be scaled to a variance of 1."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 40, 60)
    telling = rng.normal(size=(sizes.sum(), 4))
    of_query = np.repeat(rng.normal(size=(60, 3)) * [1.0, 1e3, 1e-3] + 0.1, sizes, axis=0)
    of_query = of_query * (1.0 + noise * rng.normal(size=of_query.shape))
    labels = (telling[:, 0] > 0.5).astype(float)
    with_them = Dataset.from_arrays(np.hstack([telling, of_query]), labels, group=sizes)
    found = fit_reduction(with_them, method, 3)
    alone = fit_reduction(with_them.with_features(telling), method, 3)
    assert found.scale[4:].tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(found.explained, alone.explained, rtol=1e-9)
    assert found.explained.sum() <= 1.0
    np.testing.assert_allclose(np.abs(found.components[:4]), np.abs(alone.components), atol=1e-9)
    assert np.abs(found.components[4:]).max() < 1e-9


def test_reductions_need_documents() -> None:
    none = Dataset(np.zeros((0, 4)), np.zeros(0), np.zeros(1, np.int64), ())  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="fitted on documents, found none"):
        fit_reduction(none, "pca", 2)
