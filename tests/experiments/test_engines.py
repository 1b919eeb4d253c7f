"""The registry of engines, and what every one of them declares."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.experiments.running.engine import Engine, EngineOptions
from rankwise.experiments.running.registry import engine_names, find_engine

each_engine = pytest.mark.parametrize("name", engine_names())


@each_engine
def test_an_engine_is_called_as_its_line_says(name: str) -> None:
    assert find_engine(name).name == name


@each_engine
def test_an_engine_has_all_that_the_protocol_names(name: str) -> None:
    engine = find_engine(name).from_options(EngineOptions(3, Path("folder")))
    assert engine.jobs == 3
    assert {type(engine.spreads), type(engine.limits_memory)} == {bool}
    declared = list(inspect.signature(Engine.run).parameters)
    assert list(inspect.signature(type(engine).run).parameters) == declared


def test_an_unknown_engine_suggests_the_nearest() -> None:
    with pytest.raises(RankwiseError, match="there is no engine 'dusk'; did you mean 'dask'"):
        find_engine("dusk")


def test_options_of_a_cluster_are_refused_on_this_machine() -> None:
    local = find_engine("local")
    for options in (
        EngineOptions(1, Path(), scheduler="tcp://head:8786"),
        EngineOptions(1, Path(), send_data=True),
        EngineOptions(1, Path(), wait="10m"),
    ):
        with pytest.raises(
            RankwiseError, match="for an engine with a cluster, found local; choose engine='dask'"
        ):
            local.from_options(options)
