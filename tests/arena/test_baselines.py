"""Baselines: trained on the package as anybody could, the same again from a store."""

from __future__ import annotations

import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

import rankwise as rw
from rankwise.arena.arena import Arena
from rankwise.arena.baselines import BASELINE_RANKERS, enter_baselines
from rankwise.arena.participation import BASELINES, BadRequest
from rankwise.errors import RankwiseError
from rankwise.rankers.registry import ranker_names
from tests.arena.conftest import MakeArena
from tests.experiments.running import tasks_here

QUICK = ("best-feature", "linear-regression")


@pytest.fixture(scope="module")
def arena(make_arena: MakeArena) -> Arena:
    return make_arena(daily_limit=1)


@pytest.fixture(scope="module")
def package(arena: Arena, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("package")
    with zipfile.ZipFile(arena.package("made")) as archive:
        archive.extractall(home)
    return home / "made"


def test_ten_methods_are_run_unless_others_are_named() -> None:
    assert len(BASELINE_RANKERS) == 10 and set(BASELINE_RANKERS) <= set(ranker_names())


def test_baselines_are_on_the_board_and_the_same_from_a_store(
    arena: Arena, package: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    with tasks_here():
        entries = enter_baselines(arena, "made", rankers=QUICK, jobs=1, say=said.append)
    assert [entry.declaration.title for entry in entries] == list(QUICK)
    assert {entry.kind for entry in entries} == {"baseline"} and len(said) == 2
    assert all(entry.team == BASELINES and entry.shown for entry in entries)
    assert all(entry.declaration.cost.training_seconds is not None for entry in entries)
    rows = {row.entry: row for row in arena.board("made").rows}
    assert {rows[entry.id].kind for entry in entries} == {"baseline"}
    assert [rows[entry.id].value for entry in entries] == [entry.value for entry in entries]
    store = tmp_path / "own.sqlite"
    rw.bench(data=package, rankers=list(QUICK), measures=["MAP"], store=store, jobs=1)
    again = enter_baselines(arena, "made", store)
    assert [entry.id for entry in again] == [entry.id for entry in entries]
    assert not any(entry.new for entry in again)
    assert arena.audit().problems == ()


def test_a_store_of_other_data_is_refused(
    arena: Arena, package: Path, folds: Path, tmp_path: Path
) -> None:
    other, empty = tmp_path / "other.sqlite", tmp_path / "empty.sqlite"
    with tasks_here():
        for fold, store in ((1, other), (2, empty)):
            rw.bench(
                data=folds, rankers=["best-feature"], folds=[fold], measures=["MAP"], store=store
            )
    with pytest.raises(RankwiseError, match="again, found"):
        enter_baselines(arena, "made", other)
    with pytest.raises(BadRequest, match="at least one method that is done"):
        enter_baselines(arena, "made", empty)
    with closing(sqlite3.connect(arena.settings.folder / "arena.sqlite")) as connection:
        titles = connection.execute("SELECT count(*) FROM entries WHERE kind = 'baseline'")
        assert titles.fetchone()[0] == len(QUICK)
