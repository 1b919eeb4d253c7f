"""Exports: an independent small reader of each layout gives the scores of the model."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.formats.format import EXPORTS, export, exports_of
from rankwise.models.formats.solr import before_slack
from rankwise.models.formats.tree_nodes import single_above, single_at_most
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import scorer_kinds
from rankwise.models.scorers.trees import Trees
from rankwise.rankers.registry import find_ranker
from tests.models.evaluators import (
    ranklib_linear_scores,
    ranklib_scores,
    solr_scores,
    xgboost_scores,
)
from tests.models.made import made_models, model_file, random_trees

NAMES = ["title", 'body "quoted" <&>', "ü", "4"]
SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)


def single_precision_rows(scorer: Trees | object, count: int = 200) -> np.ndarray:
    """Random rows, and rows on and beside the thresholds, all single precision numbers."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(count, 4)).astype(np.float32)
    thresholds = getattr(scorer, "thresholds", np.zeros(1))
    beside = rng.choice(thresholds, (count, 4)).astype(np.float32)
    steps = rng.integers(-1, 2, beside.shape)
    beside = np.where(steps < 0, np.nextafter(beside, np.float32(-9)), beside)
    beside = np.where(steps > 0, np.nextafter(beside, np.float32(9)), beside)
    return np.vstack([rows, beside]).astype(np.float64)


def test_what_can_be_exported_to_what() -> None:
    whole = ("onnx", "onnx-float32", "pmml", "c", "python")
    engines = ("solr", "elasticsearch", "opensearch", "vespa")
    assert set(exports_of("linear")) == {"ranklib", "linear-json", "lightgbm", *engines, *whole}
    trees = {"ranklib", "xgboost-json", "lightgbm", "treelite", *engines, *whole}
    assert set(exports_of("trees")) == set(exports_of("stumps")) == trees
    assert set(exports_of("network")) == {"solr", "vespa", *whole}
    assert set(exports_of("expected-label")) == {"vespa", *whole}
    assert set(exports_of("expression")) == {"c", "python"}
    scorer = made_models()["network"]
    assert exports_of(Model("ranknet", {}, scorer)) == exports_of("network")
    for wrong in ("lambdamart", "model.json"):
        with pytest.raises(RankwiseError, match="a Model or the kind of one is needed, linear, "):
            exports_of(wrong)
    assert {kind for layout in EXPORTS for kind in layout.writers} <= set(scorer_kinds())


def test_every_target_holds_every_kind_or_says_why() -> None:
    for target in EXPORTS:
        assert set(target.writers) | set(target.refusals) == set(scorer_kinds())
        assert not set(target.writers) & set(target.refusals)


@pytest.mark.parametrize("kind", ["trees", "stumps"])
def test_trees_score_the_same_in_ranklib(kind: str) -> None:
    scorer = made_models()[kind]
    rows = single_precision_rows(scorer)
    text = export(model_file(scorer), "ranklib").text
    assert text.startswith("## LambdaMART\n")
    assert all(line == line.strip() for line in text.splitlines())
    np.testing.assert_allclose(ranklib_scores(text, rows), scorer.score(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["trees", "stumps"])
def test_trees_score_the_same_in_an_xgboost_dump(kind: str) -> None:
    scorer = made_models()[kind]
    rows = single_precision_rows(scorer)
    rows[::3, 1] = np.nan
    text = export(model_file(scorer, tuple(NAMES)), "xgboost-json").text
    found = xgboost_scores(text, rows, NAMES)
    np.testing.assert_allclose(found, scorer.score(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["linear", "trees", "stumps"])
def test_scores_are_the_same_in_solr(kind: str) -> None:
    scorer = made_models()[kind]
    rows = single_precision_rows(scorer)
    exported = export(model_file(scorer, tuple(NAMES)), "solr")
    expected = scorer.score(rows) - getattr(scorer, "intercept", 0.0)
    found = np.array(solr_scores(exported.text, rows))
    between = np.zeros(len(rows), dtype=bool)
    if any("Solr adds" in remark for remark in exported.remarks):
        # Negative thresholds just above a power of two cannot be met: rows stand between.
        wanted = [single_at_most(one) for one in scorer.thresholds.tolist()]
        met = [float(np.float32(before_slack(one)) + np.float32(1e-6)) for one in wanted]
        for low, high in zip(met, wanted, strict=True):
            between |= np.any((low < rows) & (rows <= high), axis=1)
        assert np.count_nonzero(between) < 0.2 * len(rows)
    np.testing.assert_allclose(found[~between], expected[~between], rtol=1e-12, atol=1e-12)
    # Those go right where they were meant to go left, as of a model with the thresholds met.
    if between.any():
        reached = replace(scorer, thresholds=np.array(met)).score(rows)
        np.testing.assert_allclose(found, reached, rtol=1e-12, atol=1e-12)


def test_leaves_to_the_bit_in_ranklib_and_xgboost() -> None:
    """Sums of the same doubles in the same order: no tolerance at all."""
    scorer = random_trees(np.random.default_rng(11))
    rows = single_precision_rows(scorer)
    expected = scorer.score(rows).tolist()
    assert ranklib_scores(export(model_file(scorer), "ranklib").text, rows) == expected
    text = export(model_file(scorer), "xgboost-json").text
    assert xgboost_scores(text, rows, ["1", "2", "3", "4"]) == expected


def test_averages_are_written_as_sums() -> None:
    scorer = random_trees(np.random.default_rng(5), divisor=5.0)
    rows = single_precision_rows(scorer)
    found = ranklib_scores(export(model_file(scorer), "ranklib").text, rows)
    np.testing.assert_allclose(found, scorer.score(rows), rtol=0, atol=1e-14)


def test_linear_models() -> None:
    scorer = made_models()["linear"]
    assert isinstance(scorer, Linear)
    rows = single_precision_rows(scorer)
    expected = scorer.score(rows) - scorer.intercept
    ranklib = export(model_file(scorer), "ranklib")
    np.testing.assert_allclose(
        ranklib_linear_scores(ranklib.text, rows), expected, rtol=1e-9, atol=1e-9
    )
    weights = json.loads(export(model_file(scorer, tuple(NAMES)), "linear-json").text)
    assert weights == dict(zip(NAMES, scorer.weights.tolist(), strict=True))
    assert any("the intercept 0.1 is left out" in remark for remark in ranklib.remarks)


def test_a_trained_lambdamart_scores_the_same_everywhere() -> None:
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 4)).astype(np.float32).astype(np.float64)
    labels = np.digitize(rows[:, 0] - rows[:, 2], (0.5, 1.5)).astype(np.float64)
    data = Dataset.from_arrays(rows, labels, group=[20] * 20)
    model = find_ranker("lambdamart")(rounds=30).fit(data)
    expected = model.score(data)
    file = model_file(model.scorer)
    assert len(np.unique(expected)) > 5
    found = xgboost_scores(export(file, "xgboost-json").text, rows, ["1", "2", "3", "4"])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    found = ranklib_scores(export(file, "ranklib").text, rows)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@given(st.floats(allow_nan=False, allow_infinity=False), SINGLES)
def test_moved_thresholds_split_single_precision_numbers_alike(theta: float, x: float) -> None:
    if abs(x) < 3.4e38:
        assert (x <= theta) == (x <= single_at_most(theta)) == (x < single_above(theta))


@given(SINGLES)
def test_solr_never_ends_above_the_threshold_that_is_meant(wanted: float) -> None:
    written, slack = np.float32(before_slack(wanted)), np.float32(1e-6)
    assert written + slack <= np.float32(wanted)
    if written + slack < np.float32(wanted):
        assert np.nextafter(written, np.float32(np.inf)) + slack > np.float32(wanted)


def test_what_cannot_be_exported_says_why() -> None:
    linear = model_file(Linear(np.ones(2)), ("a", "a"))
    with pytest.raises(RankwiseError, match="there is no export layout 'h5'; known are ranklib"):
        export(linear, "h5")
    with pytest.raises(RankwiseError, match="kind 'linear' cannot be written as xgboost-json"):
        export(linear, "xgboost-json")
    with pytest.raises(RankwiseError, match="must have different names"):
        export(linear, "linear-json")
    trees = random_trees(np.random.default_rng(0))
    zero_is_missing = Trees.from_json(trees.as_json() | {"missing": [1] * len(trees.columns)})
    with pytest.raises(RankwiseError, match="take 0 for missing cannot be exported exactly"):
        export(model_file(zero_is_missing), "ranklib")


def test_trees_that_are_no_trees_are_refused_rather_than_unfolded() -> None:
    """Sixty levels whose two children are the same node would be 2^60 nodes when written out."""
    levels = 60
    values = {
        "features": 1,
        "roots": [0],
        "columns": [0] * levels,
        "missing": [0] * levels,
        "missing_left": [0] * levels,
        "left": [*range(1, levels), -1],
        "right": [*range(1, levels), -1],
        "thresholds": [0.0] * levels,
        "gains": [0.0] * levels,
        "values": [1.0],
    }
    with pytest.raises(RankwiseError, match="two parents"):
        export(model_file(Trees.from_json(values)), "ranklib")


def test_trees_that_are_too_deep_are_refused() -> None:
    levels = 2000
    values = {
        "features": 1,
        "roots": [0],
        "columns": [0] * levels,
        "missing": [0] * levels,
        "missing_left": [0] * levels,
        "left": [*range(1, levels), -1],
        "right": [-1] * levels,
        "thresholds": [0.0] * levels,
        "gains": [0.0] * levels,
        "values": [1.0],
    }
    with pytest.raises(RankwiseError, match="must not be deeper than 200 splits, found 2000"):
        export(model_file(Trees.from_json(values)), "solr")
