"""Made-up methods placed among a made-up dense table, 100 of each kind."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.literature.made_dense import DATA, make_dense

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "place_dense.py"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    found = importlib.util.spec_from_file_location("place_dense", PROGRAM)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def test_the_better_one_is_found_better_and_the_equal_one_not(program: ModuleType) -> None:
    table = make_dense(data=DATA[:2])
    assert program.find_best(table, "MAP") == "LambdaMART"
    counts = program.place_made_methods(table, "LambdaMART", "MAP", 0.04, 100, 0.05)
    assert counts["better"].findings["better"] >= 99
    assert counts["equal"].findings["better"] <= program.find_most(100, 0.05)
    assert counts["equal"].findings["not separable"] >= 100 - program.find_most(100, 0.05)


def test_an_equal_method_differs_to_both_sides_alike(program: ModuleType) -> None:
    table = make_dense()
    one = table.queries[0]
    values = one.values["MAP"][one.methods.index("LambdaMART")]
    differences = np.array([
        program.make_method(table, "LambdaMART", "MAP", 0.0, seed)[0].values["MAP"][0] - values
        for seed in range(200)
    ])  # fmt: skip
    assert abs(differences.mean()) < 4 * differences.std() / np.sqrt(differences.size)
    assert 0.48 < (differences > 0).mean() / (differences != 0).mean() < 0.52
