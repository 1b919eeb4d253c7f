"""Every kind of model in every target, scored by the real runtime where there is one.

The rows are the golden ones: at, beside and between thresholds, NULL, zeros and huge values.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.models.formats.format import (
    EXPORTS,
    ExportFormat,
    OpenedExport,
    export,
    find_export,
    open_export,
)
from rankwise.models.formats.ranklib_model import CLASS_PATH, read_ranklib
from rankwise.models.golden_rows import ScoreAgreement, compare_scores, make_golden_rows
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import Scorer
from rankwise.models.scorers.trees import Trees
from tests.models.made import made_models, model_file, random_trees

NAMES = ("title", 'body "quoted" <&>', "*/ ü", "4")
NEEDED = {"onnx": "onnxruntime", "onnx-float32": "onnxruntime", "treelite": "treelite",
          "lightgbm": "lightgbm", "pmml": "jpmml_evaluator"}  # fmt: skip
RUN_HERE = ("lightgbm", "onnx", "onnx-float32", "treelite", "c", "python")
EXACT = ("lightgbm", "onnx", "treelite", "c", "python", "vespa")
"""Trees and stumps have the same bits there; with `pmml`, which is slow to start."""


def written(scorer: Scorer, target: ExportFormat, folder: Path) -> OpenedExport:
    if target.name in NEEDED:
        pytest.importorskip(NEEDED[target.name])
    if target.name == "c" and not shutil.which("cc"):
        pytest.skip("no C compiler here")
    file = model_file(scorer, NAMES)
    path = folder / f"model{target.suffix}"
    path.write_bytes(export(file, target.name).content)
    return open_export(target, path, file.names)


def agreement(scorer: Scorer, target: str, folder: Path) -> dict[str, ScoreAgreement]:
    golden = make_golden_rows(scorer)
    assert len(golden.scores) == 50
    opened = written(scorer, find_export(target), folder)
    left_out = export(model_file(scorer), target).left_out
    found = opened.score(golden.features) + left_out
    return {
        group: compare_scores(golden.scores[own], found[own])
        for group in dict.fromkeys(golden.groups)
        if (own := golden.of_group(group)).any()
    }


def is_equal(found: dict[str, ScoreAgreement]) -> bool:
    return all(one.equal == one.rows for one in found.values())


def test_real_runtimes_and_readings_say_which_they_are(tmp_path: Path) -> None:
    scorer = made_models()["trees"]
    for target in EXPORTS:
        if "trees" not in target.writers or target.name == "pmml":
            continue
        opened = written(scorer, target, tmp_path)
        assert opened.ran == (target.name in RUN_HERE)
        said = "run in " if opened.ran else "format checked, not run in "
        assert opened.how.startswith(said)


@pytest.mark.parametrize(("target", "number"), [("onnx", "DOUBLE"), ("onnx-float32", "FLOAT")])
@pytest.mark.parametrize("kind", ["linear", "network", "trees"])
def test_an_onnx_graph_says_what_it_takes_and_gives(kind: str, target: str, number: str) -> None:
    """Rows of as many features as the model has, and one score a row, of any number of rows."""
    onnx = pytest.importorskip("onnx")
    graph = onnx.load_from_string(export(model_file(made_models()[kind]), target).content).graph
    for (value,), width in ((graph.input, 4), (graph.output, 1)):
        assert value.type.tensor_type.elem_type == getattr(onnx.TensorProto, number)
        rows, columns = value.type.tensor_type.shape.dim
        assert (rows.dim_param, columns.dim_value) == ("documents", width)


def test_every_tree_of_lightgbms_text_is_whole() -> None:
    """What LightGBM writes into each tree: constant leaves that are not to be shrunk again."""
    scorer = made_models()["trees"]
    trees = export(model_file(scorer), "lightgbm").text.split("\nTree=")[1:]
    assert len(trees) == 5
    for number, tree in enumerate(trees):
        first, _, rest = tree.partition("\n")
        lines = dict(line.split("=", 1) for line in rest.split("\n\n")[0].splitlines())
        assert (first, lines["is_linear"], lines["shrinkage"]) == (str(number), "0", "1")
        assert lines["num_leaves"] == "8"
        assert len(lines["leaf_value"].split()) == 8
        for name in ("split_feature", "threshold", "decision_type", "left_child", "right_child"):
            assert len(lines[name].split()) == 7


@pytest.mark.parametrize("target", EXACT)
@pytest.mark.parametrize("kind", ["trees", "stumps"])
def test_trees_are_the_same_to_the_bit(kind: str, target: str, tmp_path: Path) -> None:
    assert is_equal(agreement(made_models()[kind], target, tmp_path))


@pytest.mark.parametrize("target", ["onnx", "c", "python", "vespa"])
def test_averages_are_the_same_to_the_bit(target: str, tmp_path: Path) -> None:
    forest = random_trees(np.random.default_rng(5), divisor=5.0)
    assert is_equal(agreement(forest, target, tmp_path))


@pytest.mark.parametrize("target", ["lightgbm", "treelite"])
def test_averages_where_leaves_are_divided_instead(target: str, tmp_path: Path) -> None:
    forest = random_trees(np.random.default_rng(5), divisor=5.0)
    found = agreement(forest, target, tmp_path)
    assert max(one.greatest_difference for one in found.values()) <= 1e-15


@pytest.mark.parametrize("target", ["c", "python", "vespa"])
@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_networks(activation: str, target: str, tmp_path: Path) -> None:
    network = replace(made_models()["network"], activation=activation)
    for group, one in agreement(network, target, tmp_path).items():
        if group == "huge":
            assert one.unlike == 0
        else:
            assert one.greatest_difference <= 1e-14
            assert one.unlike == 0


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_networks_in_onnxruntime(activation: str, tmp_path: Path) -> None:
    network = replace(made_models()["network"], activation=activation)
    for group, one in agreement(network, "onnx", tmp_path).items():
        if group != "huge":
            assert (one.greatest_difference <= 1e-14, one.unlike) == (True, 0)


@pytest.mark.parametrize("target", ["onnx", "c", "python", "vespa"])
def test_expected_labels(target: str, tmp_path: Path) -> None:
    for one in agreement(made_models()["expected-label"], target, tmp_path).values():
        assert (one.greatest_difference <= 1e-15, one.unlike) == (True, 0)


@pytest.mark.parametrize("target", ["c", "python", "vespa"])
def test_linear_models_are_the_same_to_the_bit(target: str, tmp_path: Path) -> None:
    assert is_equal(agreement(made_models()["linear"], target, tmp_path))


def test_linear_models_in_lightgbm_differ_by_null_alone(tmp_path: Path) -> None:
    found = agreement(made_models()["linear"], "lightgbm", tmp_path)
    assert found.pop("NULL").unlike > 0
    assert is_equal(found)


def test_linear_models_in_onnxruntime(tmp_path: Path) -> None:
    scorer = made_models()["linear"]
    golden = make_golden_rows(scorer)
    for group, one in agreement(scorer, "onnx", tmp_path).items():
        scale = np.nan_to_num(np.abs(golden.scores[golden.of_group(group)])).max()
        assert one.greatest_difference <= 1e-12 * max(scale, 1e-300)
        assert one.unlike == 0


def test_a_feature_without_weight_may_be_null_everywhere(tmp_path: Path) -> None:
    scorer = Linear(np.array([1.5, 0.0, -2.0, 0.0]), 0.25)
    rows = np.array([[1.0, np.nan, 3.0, np.nan]])
    for target in ("onnx", "lightgbm", "c", "python", "vespa"):
        opened = written(scorer, find_export(target), tmp_path)
        assert opened.score(rows).tolist() == [0.25 + 1.5 - 6.0]


@pytest.mark.parametrize("target", ["lightgbm", "c", "python"])
def test_zeros_that_are_missing(target: str, tmp_path: Path) -> None:
    trees = random_trees(np.random.default_rng(3))
    trees = replace(trees, missing=np.ones_like(trees.missing))
    assert is_equal(agreement(trees, target, tmp_path))


@pytest.mark.parametrize(
    "target", ["solr", "elasticsearch", "opensearch", "ranklib", "xgboost-json", "onnx-float32"]
)
@pytest.mark.parametrize("kind", ["trees", "stumps"])
def test_single_precision_is_exact_between_thresholds(
    kind: str, target: str, tmp_path: Path
) -> None:
    found = agreement(made_models()[kind], target, tmp_path)
    assert found["between"].greatest_difference < 1e-5
    assert found["huge"].greatest_difference < 1e-5
    knows_null = target in ("opensearch", "onnx-float32")
    assert (found["NULL"].greatest_difference < 1e-5) == knows_null


@pytest.mark.parametrize("target", ["c", "python"])
def test_formulas_are_the_same_to_the_bit(target: str, tmp_path: Path) -> None:
    assert is_equal(agreement(made_models()["expression"], target, tmp_path))


@pytest.mark.parametrize("target", ["solr", "onnx-float32"])
def test_networks_in_single_precision(target: str, tmp_path: Path) -> None:
    found = agreement(made_models()["network"], target, tmp_path)
    assert max(found[one].greatest_difference for one in ("at", "beside", "between")) < 1e-5


@pytest.mark.parametrize("target", [one.name for one in EXPORTS if one.name != "pmml"])
def test_models_without_a_split_and_without_a_tree(target: str, tmp_path: Path) -> None:
    empty, nodes = np.zeros(0), np.zeros(0, np.int64)
    for roots, expected in (([-1], 2.5), ([], 0.0)):
        trees = Trees(nodes, empty, nodes, nodes, nodes, nodes, empty,
                      np.array(roots, np.int64), np.array([2.5]), 4)  # fmt: skip
        if "trees" in find_export(target).writers:
            opened = written(trees, find_export(target), tmp_path)
            assert opened.score(np.zeros((3, 4))).tolist() == [expected] * 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["linear", "trees", "stumps", "network", "expected-label"])
def test_pmml_in_jpmml(kind: str, tmp_path: Path) -> None:
    if not shutil.which("java"):
        pytest.skip("no Java here")
    scorer = made_models()[kind]
    golden = make_golden_rows(scorer)
    for group, one in agreement(scorer, "pmml", tmp_path).items():
        scale = np.nan_to_num(np.abs(golden.scores[golden.of_group(group)])).max()
        assert one.unlike == 0
        if kind in ("trees", "stumps"):
            assert one.equal == one.rows
        else:
            assert one.greatest_difference <= 1e-12 * max(1.0, scale)


@pytest.mark.parametrize("kind", ["linear", "trees", "stumps"])
def test_ranklib_itself_scores_as_we_read_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, commons = os.environ.get("RANKWISE_SHARED"), Path("/usr/share/java/commons-math3.jar")
    if not shared:
        pytest.skip("RANKWISE_SHARED is not set")
    jar = Path(shared, "tools", "ranklib", "ranklib.jar")
    if not (jar.exists() and commons.exists() and shutil.which("java")):
        pytest.skip("needs Java, RankLib in the shared folder and commons-math3")
    monkeypatch.setenv(CLASS_PATH, f"{jar}:{commons}")
    scorer = made_models()[kind]
    opened = written(scorer, find_export("ranklib"), tmp_path)
    assert (opened.how, opened.ran) == ("run in RankLib", True)
    rows = make_golden_rows(scorer).features
    ours = read_ranklib(tmp_path / "model.txt")(rows)
    assert compare_scores(ours, opened.score(rows)).equal == len(rows)
