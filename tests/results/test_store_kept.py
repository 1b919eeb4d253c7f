"""Kept models and scores in a store: whole or not there, and never more than was stored."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.results.artifacts import extract_kept, list_kept, read_kept_scores
from rankwise.results.mlflow_runs import export_runs
from rankwise.results.store.database_file import DamagedStore
from rankwise.results.store.schema import digest_content, seal_task, write_total
from rankwise.results.store.store import Store, describe_task
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome
from tests.stores import ask, reading

NAME = TaskName("L", "D", "V", 1, "m", "r", 0, "letor4")
MODEL = b'{"format": "rankwise model"}\n'
SCORES = np.array([0.1 + 0.2, -0.0, 1e-300, 7.0])
EVIL = "../../\x1b[2J/etc\udc80"


def outcome(**more: object) -> TaskOutcome:
    kept = {"model": MODEL, "test scores": SCORES.tobytes()}
    return replace(
        TaskOutcome("done", values=(StoredValue("test", "letor4", "MAP", 0.5),), kept=kept),  # type: ignore[arg-type]
        **more,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add("aa", NAME, {}, outcome())
        store.add("bb", replace(NAME, fold=2), {}, outcome(kept={}))
    return tmp_path / "s.sqlite"


def change(path: Path, statement: str, *cells: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, cells)
        connection.commit()


def test_what_is_kept_is_listed_and_read_to_the_bit(path: Path) -> None:
    assert [(k.key, k.what, k.size) for k in list_kept(path)] == [
        ("aa", "model", len(MODEL)),
        ("aa", "test scores", 32),
    ]
    assert reading(path).read_kept("aa", "model") == MODEL
    assert read_kept_scores(path, "a").tobytes() == SCORES.tobytes()
    assert ask(describe_task, path, "aa")["kept"] == {"model": len(MODEL), "test scores": 32}
    assert ask(describe_task, path, "bb")["kept"] == {}


def test_what_is_kept_is_listed_in_the_order_of_the_plan(tmp_path: Path) -> None:
    first, second = NAME, replace(NAME, fold=2)
    with Store.open(tmp_path / "s.sqlite") as store:
        turns = store.claim({"aa": first, "bb": second})
        # The second fold ends first, as it may where two workers run.
        store.add("bb", second, {}, outcome(), turn=turns["bb"])
        store.add("aa", first, {}, outcome(), turn=turns["aa"])
    assert [item.name.fold for item in list_kept(tmp_path / "s.sqlite")] == [1, 1, 2, 2]


def test_files_are_written_that_read_back_to_the_same_bits(path: Path, tmp_path: Path) -> None:
    model, scores = tmp_path / "m.json", tmp_path / "s.txt"
    assert extract_kept(path, "aa", model=model, scores=scores) == [model, scores]
    assert model.read_bytes() == MODEL
    assert np.array(list(map(float, scores.read_text().split()))).tobytes() == SCORES.tobytes()


def test_nothing_is_written_where_a_part_of_it_is_not_kept(path: Path, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="must keep the validation scores of m on D/V, fold 1"):
        extract_kept(path, "aa", model=tmp_path / "m", validation_scores=tmp_path / "v")
    with pytest.raises(RankwiseError, match="found nothing of it"):
        extract_kept(path, "bb", model=tmp_path / "m")
    with pytest.raises(RankwiseError, match="say what to write and where"):
        extract_kept(path, "aa")
    with pytest.raises(RankwiseError, match=r"0 tasks of .* have a key that begins 'c'"):
        extract_kept(path, "c", model=tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_what_is_kept_goes_with_its_task(path: Path) -> None:
    with Store.open(path) as store:
        store.add("aa", NAME, {}, outcome(kept={"model": b"new"}))
        assert [(item.what, item.size) for item in store.kept()] == [("model", 3)]
        store.add("cc", NAME, {"other": 1}, outcome(kept={}))
        assert [item.key for item in store.kept()] == []
        assert [item.key for item in store.kept(superseded=True)] == ["aa"]
        assert store.collect_garbage() == 1
        assert store.kept(superseded=True) == []
        assert store.verify().damages == ()


DAMAGES = {
    "content": "UPDATE kept SET content = x'00' WHERE what = 'model'",
    "size": "UPDATE kept SET size = 1 WHERE what = 'model'",
    "gone": "DELETE FROM kept WHERE what = 'model'",
    "of another": "UPDATE kept SET task = 2 WHERE what = 'model'",
    "digest": "UPDATE kept SET digest = 'x' WHERE what = 'model'",
}


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=DAMAGES)
def test_what_is_damaged_is_refused_named_and_removed(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(DamagedStore):
        reading(path).read_kept("aa", "model")
    damages = reading(path).verify().damages
    assert any("m on D/V, fold 1" in damage.sentence for damage in damages)
    with Store.open(path) as store:
        assert store.remove_damaged() >= 1
        assert store.verify().damages == ()
        assert "aa" not in store.endings()


def test_a_content_that_unpacks_to_more_than_was_stored_is_refused(path: Path) -> None:
    """Whoever makes a store can seal it too: its sizes are believed, and not more than them."""
    packed = zlib.compress(bytes(1 << 20))
    with closing(sqlite3.connect(path)) as connection:
        (number,) = connection.execute("SELECT number FROM kept WHERE what = 'model'").fetchone()
        digest = digest_content("kept", number, packed)
        statement = "UPDATE kept SET content = ?, digest = ? WHERE number = ?"
        connection.execute(statement, (packed, digest, number))
        seal_task(connection, 1)
        write_total(connection)
        connection.commit()
    with pytest.raises(DamagedStore, match=f"is not {len(MODEL)} bytes long"):
        reading(path).read_kept("aa", "model")


def test_runs_of_mlflow_have_their_artifacts_whatever_names_say(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite") as store:
        for fold in (1, 2):
            name = replace(NAME, dataset=EVIL, method=EVIL, fold=fold)
            store.add(f"{EVIL}{fold}".replace("\udc80", ""), name, {}, outcome())
    assert export_runs(tmp_path / "s.sqlite", tmp_path / "mlruns") == 2
    artifacts = [one for one in (tmp_path / "mlruns").rglob("artifacts") if one.is_dir()]
    assert len(artifacts) == 2
    for folder in artifacts:
        assert sorted(file.name for file in folder.iterdir()) == ["model.json", "test.scores"]
        assert (folder / "model.json").read_bytes() == MODEL
        assert len((folder / "test.scores").read_text().splitlines()) == len(SCORES)
    assert sorted(one.name for one in tmp_path.iterdir() if not one.name.startswith(".")) == [
        "mlruns",
        "s.sqlite",
    ]
