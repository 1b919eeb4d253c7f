"""The demo runs as a newcomer runs it, and writes the same bytes every time."""

from __future__ import annotations

import pytest

from tests.cli.data.test_files import rankwise


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return folder, rankwise("demo", "--output", "one", "--queries", "10", cwd=folder)


@pytest.fixture
def demo_folder(demo_run):
    return demo_run[0] / "one"


def test_the_demo_tells_its_story_and_leaves_files(demo_run, monkeypatch):
    tmp_path, first = demo_run
    assert first.returncode == 0, first.stderr
    assert "bm25 of whole" in first.stdout
    assert "against BM25" in first.stdout
    assert "rankwise explain" in first.stdout
    # With one processor too, where all processors that there are were at work before.
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0}, raising=False)
    again = rankwise("demo", "--output", "two", "--queries", "10", cwd=tmp_path)
    assert again.stdout == first.stdout.replace("one/", "two/")
    assert _files(tmp_path / "one") == _files(tmp_path / "two")
    web = {path for path in _files(tmp_path / "one") if path.startswith("web/")}
    assert {"web/data-card.json", "web/QueryLevelNorm/Fold5/test.txt"} <= web


def test_what_the_demo_says_next_works(demo_folder):
    store = demo_folder / "results.sqlite"
    tested = rankwise("significance", store, "BM25", "-m", "MAP", cwd=demo_folder)
    assert tested.returncode == 0, tested.stderr
    assert "against BM25" in tested.stdout and "listnet" in tested.stdout
    evaluated = rankwise(
        "evaluate", "all.txt", "bm25.scores", "--tool", "all", "-m", "NDCG@10", cwd=demo_folder
    )
    assert evaluated.returncode == 0, evaluated.stderr


def test_the_demo_does_not_touch_a_foreign_folder(tmp_path):
    (tmp_path / "mine" / "web").mkdir(parents=True)
    (tmp_path / "mine" / "web" / "thesis.txt").write_text("years of work")
    done = rankwise("demo", "--output", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert "it holds other files" in done.stderr
    assert (tmp_path / "mine" / "web" / "thesis.txt").read_text() == "years of work"


def _files(folder):
    """Every file with its bytes; the store holds times and the machine and is left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".sqlite" not in path.name
    }
