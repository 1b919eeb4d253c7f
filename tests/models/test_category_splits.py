"""Splits by categories: walked, saved, exported and explained as LightGBM takes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models import load_model, save_model
from rankwise.models.explanations.shapley import tree_contributions
from rankwise.models.formats import tree_nodes
from rankwise.models.formats.format import EXPORTS, export
from rankwise.models.formats.tree_nodes import additive_trees, splits_of
from rankwise.models.scorers.trees import Trees, interval_ends, join_trees
from tests.models.made import model_file, random_trees, with_categories
from tests.models.test_export_runtimes import EXACT, agreement, is_equal

ODD = (np.nan, -1.0, -0.5, -2.0, 0.0, 0.5, 2.99, 8.0, 9.0, 100.0, 2.0**31, 1e300, -1e300)


def made(seed: int = 0, **sizes: int) -> Trees:
    rng = np.random.default_rng(seed)
    return with_categories(random_trees(rng, **sizes), rng)


def rows(count: int = 300) -> np.ndarray:
    rng = np.random.default_rng(9)
    found = rng.normal(size=(count, 4))
    found[:, ::2] = rng.integers(-1, 10, (count, 2))
    found[::3, ::2] = rng.choice(ODD, (len(found[::3]), 2))
    found[rng.random(found.shape) < 0.05] = np.nan
    return found


def literal_scores(trees: Trees, features: np.ndarray) -> np.ndarray:
    """The docstring of `Trees`, node by node."""
    sets = trees.node_categories()

    def leaf(x: np.ndarray, node: int) -> float:
        while node >= 0:
            value = float(x[trees.columns[node]])
            if sets[node]:
                left = value == value and int(value) in sets[node] and value > -1.0
            elif value != value and trees.missing[node] == 2:
                left = bool(trees.missing_left[node])
            else:
                left = (0.0 if value != value else value) <= trees.thresholds[node]
            node = int((trees.left if left else trees.right)[node])
        return float(trees.values[-1 - node])

    totals = np.zeros(len(features))
    for root in trees.roots.tolist():
        totals += [leaf(x, root) for x in features]
    return totals / trees.divisor


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_docstring(seed: int) -> None:
    trees = made(seed)
    assert trees.score(rows()).tobytes() == literal_scores(trees, rows()).tobytes()
    plain = replace(trees, categories=trees.categories[:0], category_counts=trees.columns[:0])
    assert not np.array_equal(trees.score(rows()), plain.score(rows()))


def test_intervals_of_neighbouring_categories_are_one() -> None:
    def before(number: float) -> float:
        return float(np.nextafter(number, -np.inf))

    assert interval_ends([2, 3, 7]) == [before(2), before(4), before(7), before(8)]
    assert interval_ends([0, 1]) == [-1.0, before(2)]
    assert interval_ends([5]) == [before(5), before(6)]


def test_models_are_saved_and_read(tmp_path: Path) -> None:
    file = model_file(made())
    save_model(file.model, tmp_path / "model.json")
    found = load_model(tmp_path / "model.json").scorer
    assert found.as_json() == file.model.scorer.as_json()
    assert found.score(rows()).tobytes() == file.model.scorer.score(rows()).tobytes()
    assert "categories" not in random_trees(np.random.default_rng(0)).as_json()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"categories": [3, 2]}, "must ascend"),
        ({"categories": [2, 2]}, "must ascend"),
        ({"categories": [-1, 2]}, "must lie between 0 and"),
        ({"categories": [1, 2**31]}, "must lie between 0 and"),
        ({"category_counts": [1]}, "which add up to the number of categories, 2, found 1 that"),
        ({"category_counts": [1, 0, 0]}, "found 3 that add up to 1"),
        ({"category_counts": [3, -1, 0]}, "must lie between 0 and 2"),
        ({"category_counts": None}, "a list of whole numbers under 'category_counts'"),
    ],
)
def test_hostile_categories_are_refused(changes: dict[str, object], said: str) -> None:
    values = random_trees(np.random.default_rng(0), trees=1, inner=3).as_json()
    values |= {"category_counts": [2, 0, 0], "categories": [1, 2]}
    assert Trees.from_json(values).has_categories
    with pytest.raises(RankwiseError, match=said):
        Trees.from_json(values | changes)


def test_forests_with_and_without_categories_are_joined() -> None:
    first, second = made(0), random_trees(np.random.default_rng(1))
    for forests in ((first, second), (second, first), (first, made(2))):
        joined = join_trees(forests)
        parts = [one.score(rows()) for one in forests]
        assert np.allclose(joined.score(rows()), sum(parts), atol=1e-12)


@pytest.mark.parametrize("target", (*EXACT, "pmml"))
def test_exports_are_the_same_to_the_bit(target: str, tmp_path: Path) -> None:
    assert is_equal(agreement(made(), target, tmp_path))


@pytest.mark.parametrize("target", ["ranklib", "solr", "elasticsearch", "onnx-float32"])
def test_single_precision_is_exact_between_categories(target: str, tmp_path: Path) -> None:
    found = agreement(made(), target, tmp_path)["between"]
    assert found.greatest_difference < 1e-5


def test_lightgbm_gets_the_categories_themselves(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    trees = made(3)
    text = export(model_file(trees), "lightgbm").content.decode()
    booster = lightgbm.Booster(model_str=text)
    assert booster.predict(rows()).tobytes() == trees.score(rows()).tobytes()
    assert text.count("cat_threshold=") == trees.n_trees


def test_unfolded_trees_leave_out_what_no_document_reaches() -> None:
    """One column of m categories: a split more than its 2m intervals would need is never made."""
    trees = made(1, width=1, trees=1, inner=30)
    assert set(trees.columns.tolist()) == {0}
    unfolded = additive_trees(trees)
    assert len(splits_of(unfolded)) <= len(interval_ends(list(range(0, 18, 2)))) + 1
    shared = additive_trees(trees, categories="shared")
    assert len({id(one) for one in splits_of(shared)}) <= len(trees.threshold_form.columns)


def test_what_unfolds_too_far_is_refused_where_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_nodes, "MOST_UNFOLDED", 20)
    file = model_file(made())
    for target in (one.name for one in EXPORTS if "trees" in one.writers):
        if target in ("lightgbm", "c", "python"):
            export(file, target)
        else:
            pytest.importorskip("onnx")
            pytest.importorskip("treelite")
            with pytest.raises(RankwiseError, match=r"not make more than 20 nodes.*take lightgbm"):
                export(file, target)


def test_contributions_add_up_and_leave_idle_features_out() -> None:
    trees, found = made(4), rows(20)
    references = rows(60)[40:]
    parts = tree_contributions(trees, found, references)
    wanted = trees.score(found) - trees.score(references).mean()
    assert np.allclose(parts.sum(axis=1), wanted, atol=1e-9)
    same = np.repeat(found[:1], 3, axis=0)
    same[:, 0] = (4.0, 4.9, 4.2)
    assert np.allclose(tree_contributions(trees, same[:1], same[1:]), 0.0, atol=1e-12)
