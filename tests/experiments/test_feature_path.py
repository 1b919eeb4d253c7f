"""`trace_path`: features kept and weights along a parameter, judged on validation parts alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.folds import Fold
from rankwise.errors import RankwiseError
from rankwise.rankers.registry import find_ranker, ranker_names
from tests.rankers.svm_data import made

VALUES = (1e-4, 1e-2, 1e2)


def fold(number: int = 1, *, validation: bool = True) -> Fold:
    train, judged, test = (made(3 * number + part, n_features=6) for part in range(3))
    return Fold(number, train, judged if validation else None, test)


@pytest.fixture(scope="module")
def found() -> rw.FeaturePath:
    return rw.trace_path([fold(1), fold(2)], "sparserank", values=VALUES)


def test_every_point_is_the_model_of_its_value(found: rw.FeaturePath) -> None:
    assert [(point.fold, point.value) for point in found.points] == [
        (number, value) for number in (1, 2) for value in VALUES
    ]
    for point in found.points:
        part = fold(point.fold)
        model = rw.make_ranker("sparserank", regularization=point.value).fit(part.train)
        assert list(point.weights) == model.scorer.weights.tolist()
        assert point.features_kept == model.facts["features_kept"]
        scores = model.score(part.validation)
        figure = rw.evaluate(part.validation, scores, "MAP", ties="expected")["MAP"].mean
        assert point.validation == figure


def test_the_best_value_is_chosen_fold_by_fold(found: rw.FeaturePath) -> None:
    for number, value in found.chosen.items():
        figures = {one.value: one.validation for one in found.points if one.fold == number}
        assert figures[value] == max(figures.values())
    assert found.values == VALUES
    assert found.folds == (1, 2)


def test_records_hold_every_feature_that_ever_has_a_weight(found: rw.FeaturePath) -> None:
    rows = found.records()
    assert len(rows) == len(found.points) * len(found.features)
    first = rows[0]
    assert list(first) == [
        "fold", "regularization", "features_kept", "validation", "feature", "name", "weight",
    ]  # fmt: skip
    kept = sum(row["weight"] != 0 for row in rows)
    assert kept == sum(point.features_kept for point in found.points)
    assert list(found.to_frame().columns) == list(first)
    assert "sparserank along 3 values of regularization, 2 folds" in repr(found)


def test_the_dictionary_holds_the_weights_that_are_not_0(found: rw.FeaturePath) -> None:
    points = found.as_dict()["points"]
    assert points[-1]["weights"] == {}
    assert len(points[0]["weights"]) == points[0]["features_kept"] > 0


def test_without_validation_nothing_is_chosen() -> None:
    found = rw.trace_path([fold(validation=False)], "sparserank", values=[1e-3])
    assert found.points[0].validation is None
    assert found.chosen == {}


def test_a_path_where_nothing_is_kept_has_rows_all_the_same() -> None:
    found = rw.trace_path([fold()], "sparserank", values=[1e3])
    assert found.features == ()
    assert [row["weight"] for row in found.records()] == [0.0]


def test_names_and_values_come_from_the_ranker_by_default(tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text("".join(f"feature {letter}\n" for letter in "abcdef"))
    ranker = rw.make_ranker("gas-e", regularization=0.1)
    found = rw.trace_path([fold()], ranker, names=names)
    assert found.parameter == "keep"
    assert found.values == find_ranker("gas-e").declared_parameters()[0].grid
    assert [point.features_kept for point in found.points] == [5, 6, 6, 6]
    assert found.name_feature(1) == "feature a"


def test_any_number_of_any_ranker_can_be_followed() -> None:
    found = rw.trace_path([fold()], "ranksvm-primal", parameter="regularization", values=[0.1, 1.0])
    assert [point.features_kept for point in found.points] == [6, 6]
    sizes = [np.abs(point.weights).sum() for point in found.points]
    assert sizes[0] > sizes[1]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"ranker": "ranksvm"}, "ranksvm keeps all features, .*parameter.*fenchelrank"),
        ({"parameter": "regularisation"}, "did you mean 'regularization'"),
        ({"parameter": "scale_large", "values": [1]}, "a parameter that is a number"),
        ({"parameter": "rounds"}, "names no values of rounds to try; give values"),
        ({"values": [-1.0]}, "regularization must be at least"),
    ],
)
def test_what_cannot_be_followed_is_one_sentence(how: dict, message: str) -> None:
    with pytest.raises(RankwiseError, match=message):
        rw.trace_path([fold()], how.pop("ranker", "sparserank"), **how)


def test_every_sparse_ranker_names_one_of_its_numbers() -> None:
    sparse = [find_ranker(name) for name in ranker_names() if find_ranker(name).sparsity]
    assert {"fenchelrank", "fsmrank", "sparserank", "mcp", "fsm-svm", "gas-e", "tgrank"} <= {
        ranker.name for ranker in sparse
    }
    for ranker in sparse:
        [followed] = [one for one in ranker.declared_parameters() if one.name == ranker.sparsity]
        assert len(followed.grid) > 1
