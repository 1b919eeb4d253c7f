"""Kernels of rankers in several processes: compiled by one of them, and said once."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core import event

from tests.experiments.running import planned, run

RANKER = """
import os
from dataclasses import dataclass
from typing import ClassVar

from numba.core import event

from rankwise.compiled import compiled
from tests.experiments.trial_rankers import OneFeature


class Count(event.Listener):
    def on_start(self, change):
        kernel = change.data["dispatcher"]
        with open(os.environ["COMPILED"], "a") as file:
            file.write(f"{kernel.__module__}.{kernel.__name__}{change.data['args']}\\n")

    def on_end(self, change):
        pass


COUNT = Count()
event.register("numba:compile", COUNT)


@compiled
def halved(value):
    return value / 2.0


@compiled
def quartered(value):
    return halved(value) / 2.0


@dataclass(frozen=True)
class Quartering(OneFeature):
    name: ClassVar[str] = "quartering"

    def _behave(self, train, watch):
        quartered(train.features[0, 0])
"""


@contextlib.contextmanager
def counting_ends() -> Iterator[None]:
    """A plan imports the ranker here too: what later tests compile is not to be counted."""
    try:
        yield
    finally:
        if module := sys.modules.get("quartering_ranker"):
            event.unregister("numba:compile", module.COUNT)


def test_workers_compile_nothing_twice(
    folds: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "quartering_ranker.py").write_text(RANKER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setenv("COMPILED", str(tmp_path / "compiled.txt"))
    ranker = {"name": "quartering_ranker:Quartering", "set": {"feature": 0}}
    with caplog.at_level(logging.WARNING), counting_ends():
        progress = run(planned(folds, ranker, folds=[1, 2]), tmp_path / "s.sqlite", jobs=2)
    assert (progress.done, progress.failed) == (2, 0)
    compiled = (tmp_path / "compiled.txt").read_text().splitlines()
    assert sorted(compiled) == sorted(set(compiled))
    assert {f"quartering_ranker.{name}(float64,)" for name in ("halved", "quartered")} <= {
        *compiled
    }
    said = [record.getMessage() for record in caplog.records]
    assert sum(text.startswith("compiling quartering, once: about") for text in said) == 1
