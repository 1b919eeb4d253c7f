"""φ of the labels: the four functions, the programs with each, and the ranker's parameter."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from rankwise.errors import RankwiseError
from rankwise.rankers.dea.dearank import DEARankOMAP, DEARankONDCG
from rankwise.rankers.dea.programs import (
    LABEL_MODELS,
    MODELS,
    NO_PROGRAM,
    PHIS,
    label_outputs,
    optimal_weights,
)
from tests.rankers.test_dea_pool import made
from tests.rankers.test_dea_programs import random_query

LABELS = np.array([0.0, 1.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("phi", "expected"),
    [
        ("logarithmic", [0.0, np.log(2), np.log(3), np.log(5)]),
        ("linear", [0.0, 1.0, 2.0, 4.0]),
        ("square-root", [0.0, 1.0, np.sqrt(2), 2.0]),
        ("exponential", [0.0, 1.0, 3.0, 15.0]),
    ],
)
def test_each_function_as_written(phi: str, expected: list[float]) -> None:
    assert label_outputs(LABELS, phi) == pytest.approx(expected)


@pytest.mark.parametrize("phi", PHIS)
@pytest.mark.parametrize("model", LABEL_MODELS)
def test_programs_with_each_function_are_those_of_scipy(model: str, phi: str) -> None:
    rng = np.random.default_rng(4)
    compared = 0
    for _ in range(6):
        features, labels = random_query(rng)
        found = optimal_weights(features, labels, model, phi=phi)
        outputs = label_outputs(labels, phi)
        rows, kept = features, features.any(axis=1)
        bounds: list[tuple[float | None, None]] = [(0, None)] * features.shape[1]
        if model == "bcc":
            rows, kept = np.column_stack([features, np.ones(len(features))]), np.ones_like(kept)
            bounds.append((None, None))
        for k in np.flatnonzero(found.homes != NO_PROGRAM):
            solved = linprog(rows[k], -rows[kept], -outputs[kept], bounds=bounds)
            assert found.values[k] == pytest.approx(solved.fun, abs=1e-8)
            compared += 1
    assert compared > 15


def test_with_one_positive_label_all_functions_give_the_same_weights_but_for_a_factor() -> None:
    features = np.random.default_rng(5).random((9, 3))
    labels = np.array([0.0, 3.0] * 4 + [0.0])
    plain = optimal_weights(features, labels, "ccr-o")
    for phi in PHIS:
        factor = label_outputs(np.array([3.0]), phi)[0] / np.log(4.0)
        found = optimal_weights(features, labels, "ccr-o", phi=phi)
        assert found.values == pytest.approx(factor * plain.values)


def test_the_parameter_reaches_the_programs() -> None:
    train = made(8)
    weights = {
        phi: DEARankOMAP(phi=phi, rounds=4, domination="none").fit(train).scorer.importance()
        for phi in PHIS
    }
    assert len({one.tobytes() for one in weights.values()}) > 1
    assert DEARankONDCG(phi="linear").label_output() == "linear"


def test_phi_without_a_model_that_looks_at_labels_is_refused() -> None:
    for model in set(MODELS) - set(LABEL_MODELS):
        assert DEARankOMAP(model=model).phi == "logarithmic"
        with pytest.raises(RankwiseError, match=f"phi=linear with model={model}.*leave out phi"):
            DEARankOMAP(model=model, phi="linear")


def test_unknown_functions_and_endless_outputs_are_refused() -> None:
    with pytest.raises(RankwiseError, match="phi must be one of logarithmic, linear"):
        label_outputs(LABELS, "cubic")
    with pytest.raises(RankwiseError, match="found inf for the label 5000"):
        label_outputs(np.array([0.0, 5000.0]), "exponential")
