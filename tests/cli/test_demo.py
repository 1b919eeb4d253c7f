"""The demo runs as a newcomer runs it, and writes the same bytes every time."""

from __future__ import annotations

from tests.cli.test_data_files import rankwise


def test_the_demo_tells_its_story_and_leaves_files(tmp_path):
    first = rankwise("demo", "--out", "one", "--queries", "30", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "ranked by" in first.stdout
    assert "ranksvm-primal" in first.stdout
    assert "rankwise explain" in first.stdout
    again = rankwise("demo", "--out", "two", "--queries", "30", cwd=tmp_path)
    assert again.stdout == first.stdout.replace("one/", "two/")
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*"))
    # The store holds times and the machine; everything else is the same to the byte.
    files = [path for path in files if ".sqlite" not in path.name]
    assert len(files) == 18 + 7
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_demo_does_not_touch_a_foreign_folder(tmp_path):
    (tmp_path / "mine" / "folds").mkdir(parents=True)
    done = rankwise("demo", "--out", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert "is not of this demo" in done.stderr
