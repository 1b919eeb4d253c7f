"""The live view of a store: what the store says, in pages; nothing is written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import rankwise as rw
from rankwise.arena import make_store_application
from rankwise.arena.web.store_view import find_standing
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.results import Store, TaskName, TaskOutcome
from tests.experiments.running import tasks_here

RANKERS = ("linear-regression", "ridge-regression")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rankers on two folds, one that failed on the first and has not come to the second."""
    home = tmp_path_factory.mktemp("store")
    dataset = rw.normalize(make_dataset(25, seed=3), "query-level")
    rw.write_folds(rw.split_folds(dataset), home / "folds")
    path = home / "results.sqlite"
    with tasks_here():
        rw.bench(
            data=home / "folds", rankers=RANKERS, folds=[1, 2], measures=["MAP", "NDCG@5"],
            tools=["own", "letor4"], store=path, jobs=1,
        )  # fmt: skip
    with Store.open(path) as opened:
        first = next(task for task in opened.tasks() if task.name.fold == 1)
        known, inputs = first.name, opened.origin(first.number)["inputs"]
        name = TaskName(
            known.collection, known.dataset, known.version, 1, "<b>slow</b>", "x", 0, known.tool
        )
        opened.add("f" * 64, name, inputs, TaskOutcome.failure("time", "<i>took too long</i>"))
    return path


@pytest.fixture
def client(store: Path) -> Iterator[TestClient]:
    with TestClient(make_store_application(store)) as opened:
        yield opened


def test_progress_counts_what_ended_and_what_is_to_come(client: TestClient, store: Path) -> None:
    with Store.read(store) as opened:
        standing = find_standing(opened)
    assert (standing.done, standing.failed, standing.to_come) == (4, 1, 1)
    page = client.get("/").text
    assert "4 of 6 known tasks done, 1 failed, 1 to come" in page
    assert "&lt;b&gt;slow" in page and "<b>slow" not in page and "<i>took" not in page
    assert client.get("/api/standing").json()["to_come"] == 1
    assert 'data-refresh="5"' in page


def test_tables_are_those_of_the_command(client: TestClient, store: Path) -> None:
    with Store.read(store) as opened:
        (found,) = rw.experiments.summarize(opened.values())
    page = client.get("/tables").text
    assert found.rows and all(row.figures for row in found.rows)
    for row in found.rows:
        for value in row.figures:
            assert value is not None and f"{value:.4f}" in page
    assert "letor4" in client.get("/tables?tools=all").text
    assert "NDCG@5</th>" not in client.get("/tables?measure=MAP").text
    assert client.get("/tables?measure=wrong").status_code == 400


def test_queries_are_compared_as_by_the_significance_command(
    client: TestClient, store: Path
) -> None:
    page = client.get(f"/queries?measure=MAP&first={RANKERS[0]}&second={RANKERS[1]}").text
    with Store.read(store) as opened:
        values = opened.paired("MAP", opened.find_subject()[1]).values
    (compared,) = rw.comparison.compare_systems({"MAP": {name: values[name] for name in RANKERS}})
    assert f"{compared.difference:+.4f}" in page
    assert "How many queries have which value" in client.get(f"/queries?first={RANKERS[0]}").text
    wrong = client.get("/queries?first=nobody")
    assert wrong.status_code == 400 and "must be one of" in wrong.text


def test_a_task_in_full(client: TestClient, store: Path) -> None:
    with Store.read(store) as opened:
        key = opened.tasks()[0].key
    assert key in client.get(f"/tasks/{key[:12]}").text
    assert client.get("/tasks/zzz").status_code == 400


def test_a_store_that_grows_is_seen(tmp_path: Path, store: Path) -> None:
    path = tmp_path / "growing.sqlite"
    path.write_bytes(store.read_bytes())
    with TestClient(make_store_application(path)) as client:
        assert client.get("/api/standing").json()["done"] == 4
        with Store.open(path) as opened:
            opened.remove(["f" * 64])
    with TestClient(make_store_application(path)) as client:
        assert client.get("/api/standing").json()["failed"] == 0


def test_nothing_is_written_and_nothing_but_a_store_is_read(store: Path, tmp_path: Path) -> None:
    before = hashlib.sha256(store.read_bytes()).hexdigest()
    with TestClient(make_store_application(store)) as client:
        for path in ("/", "/tables", "/queries", "/nothing"):
            assert client.post(path).status_code in (404, 405)
            client.get(path)
    assert hashlib.sha256(store.read_bytes()).hexdigest() == before
    other = tmp_path / "other.sqlite"
    other.write_text("no store")
    with pytest.raises(RankwiseError):
        make_store_application(other)
