"""The program behind the table of attacks on a board: that it runs, and what it finds."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import rankwise as rw
from rankwise.arena.task_creation import prepare
from rankwise.data.synthetic import make_dataset

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "ladder_attack.py"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    found = importlib.util.spec_from_file_location("ladder_attack", PROGRAM)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("attack", ["climbing", "averaging"])
def test_a_bare_board_is_climbed_and_a_ladder_is_not(program: ModuleType, attack: str) -> None:
    prepared = prepare(rw.split_folds(make_dataset(480, seed=3)), np.random.default_rng(1))
    start = np.nan_to_num(prepared.folds[0].test.features[:, 4])
    start = (start - start.mean()) / start.std()
    bare, again, ladder = (
        program.attack(attack, prepared.hidden, start, errors, 60, seed=1)
        for errors in (None, None, 3.0)
    )
    assert bare == again
    assert bare.shown == 60 and ladder.shown < 10
    assert bare.public > max(ladder.public, bare.private)
    assert len(bare.course) > 10
