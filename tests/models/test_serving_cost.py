"""What scoring costs: which scorers are timed, on which rows; no times are asserted."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from tests.models.made import made_models

MODEL = Model("lambdamart", {}, made_models()["trees"], paper="Somebody (2001)")


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here")
def test_the_model_comes_first_and_its_ratios_are_one() -> None:
    found = rw.measure_cost(MODEL, targets=["python", "c", "solr", "pmml"], repeats=1)
    assert (found.documents, found.queries) == (2000, 20)
    assert [one.scorer for one in found.times] == ["model", "python", "c"]
    assert found.times[0].ratio == (1.0, 1.0, 1.0)
    assert all(min(one.batch, one.query, one.single) > 0.0 for one in found.times)
    assert found.skipped["solr"] == "format checked, not run in Solr"
    assert "pmml" in found.skipped
    assert list(found.to_frame()["scorer"]) == ["model", "python", "c"]


def test_targets_that_cannot_hold_it_say_why() -> None:
    network = Model("ranknet", {}, made_models()["network"], paper="Somebody (2001)")
    found = rw.measure_cost(network, targets=["lightgbm", "python"], repeats=1)
    assert [one.scorer for one in found.times] == ["model", "python"]
    assert "it holds trees only" in found.skipped["lightgbm"]


def test_data_are_scored_by_whole_queries() -> None:
    rows = np.random.default_rng(0).normal(size=(6000, 4))
    data = Dataset.from_arrays(rows, np.zeros(6000), group=[1500] * 4)
    found = rw.measure_cost(MODEL, data, targets=[], repeats=1)
    assert (found.documents, found.queries) == (4500, 3)
    with pytest.raises(RankwiseError, match="repeats must be at least 1"):
        rw.measure_cost(MODEL, repeats=0)
