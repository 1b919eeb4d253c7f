"""Signs of components, and queries that have a figure on one side of a comparison only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.feature_selection import compare_on_folds, fit_reduction


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_entry_of_every_principal_component_is_positive(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))
    dataset = Dataset.from_arrays(features, rng.integers(0, 3, 40), np.repeat(range(4), 10))
    components = fit_reduction(dataset, "pca", 6).components
    assert components.shape == (6, 6)
    for component in components.T:
        assert component[np.argmax(np.abs(component))] > 0


def test_a_query_with_a_figure_on_one_side_only_is_left_out_of_both() -> None:
    """gdeval has no figure for a query without a relevant document."""
    judged = Dataset.from_arrays(
        [[2.0, 1.0], [1.0, 2.0]] * 3, [1, 0, 2, 0, 0, 1], np.repeat([1, 2, 3], 2)
    )
    fewer = replace(judged, labels=np.array([1.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    for before, after in ((judged, fewer), (fewer, judged)):
        (effect,) = compare_on_folds(
            [Fold(1, before, None, before)],
            lambda fold, test=after: Fold(1, test, None, test.with_features(-test.features)),
            lambda train, validation: lambda dataset: dataset.features[:, 0],
            ["NDCG@5"],
            "gdeval",
        )
        second = 1 / np.log2(3)
        assert effect.before == pytest.approx([1.0, second])
        assert effect.after == pytest.approx([second, 1.0])
        assert effect.difference == pytest.approx(0.0)
