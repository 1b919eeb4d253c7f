"""The same seed gives the same model to the bit: again, elsewhere, with other thread counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models.model_file import ModelFile, as_text
from rankwise.rankers.registry import find_ranker, ranker_names
from tests.conformance.discovery import every_ranker, skip_without_extra
from tests.conformance.in_another_process import digest
from tests.conformance.made import planted, quick

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["1", "3"])
def elsewhere(request: pytest.FixtureRequest) -> dict[str, str]:
    """Digests of all rankers from one other process with so many threads."""
    threads = {
        f"{library}_NUM_THREADS": request.param
        for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR")
    }
    program = [sys.executable, "-m", "tests.conformance.in_another_process"]
    command = [*program, request.param, *ranker_names()]
    # Another hash seed too: no model may depend on the order of a set.
    environment = os.environ | threads | {"PYTHONHASHSEED": request.param}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@every_ranker
def test_another_process_and_number_of_threads(name: str, elsewhere: dict[str, str]) -> None:
    try:
        here = digest(name)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    assert elsewhere[name] == here


@every_ranker
def test_trained_twice(name: str) -> None:
    try:
        first, second = (
            as_text(ModelFile(quick(name).fit(planted(), seed=5), "")) for _ in range(2)
        )
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    assert first == second


@every_ranker
def test_training_changes_no_data_and_no_global_state(name: str) -> None:
    train, validation = planted(8), planted(4, seed=1)
    before = train.features.tobytes() + validation.features.tobytes() + train.labels.tobytes()
    state = np.random.get_state()[1].tobytes()
    try:
        quick(name).fit(train, validation)
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    after = train.features.tobytes() + validation.features.tobytes() + train.labels.tobytes()
    assert after == before
    assert np.random.get_state()[1].tobytes() == state


@every_ranker
def test_only_rankers_that_say_so_draw_random_numbers(name: str) -> None:
    if find_ranker(name).random:
        pytest.skip("draws random numbers, as it says")
    try:
        models = [quick(name).fit(planted(), seed=seed) for seed in (1, 2)]
    except RankwiseError as error:
        skip_without_extra(error)
        raise
    first, second = (as_text(ModelFile(model, "")) for model in models)
    assert first == second
