"""Messages that can be followed: what they advise exists, and helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.whole_program import Ended, rankwise

ROWS = "2 qid:1 1:1 2:3\n0 qid:1 1:2 2:1\n1 qid:2 1:3 2:2\n"
FILES = {
    "data.txt": ROWS,
    "scores": "1\n2\n3\n",
    "longer.txt": ROWS * 2,
    "store.sqlite": "",
    "qrels": "1 0 a 1\n1 0 b 0\n",
    "run": "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n",
    "zero.txt": "1 qid:1 0:1 1:2\n",
    "back.txt": "1 qid:1 1:1\n1 qid:2 1:1\n0 qid:1 1:4\n",
    "nan": "1\nnan\n3\n",
    "more": "1\n2\n3\n4\n5\n",
    "summary": "1\n2\n3\nMAP 0.5\n",
    "results.csv": "collection,dataset,method,measure,value\nL,D,A,MAP,0.5\nL,D,B,MAP,0.4\n",
    "others.csv": "collection,dataset,method,measure,value\nL,D,A,MAP,0.25\n",
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)


def refused(*arguments: str) -> str:
    """The one sentence of a command that ends in one."""
    ended: Ended = rankwise(*arguments)
    assert ended.code == 2 and ended.out == ""
    assert ended.err.startswith("rankwise: ") and ended.err.count("\n") == 1
    return ended.err.removeprefix("rankwise: ").rstrip("\n")


def test_indices_from_zero() -> None:
    assert "; --zero-based if its indices begin at 0" in refused("data", "describe", "zero.txt")
    assert rankwise("data", "describe", "zero.txt", "--zero-based").code == 0
    # This command has no such flag, and says which one helps.
    said = refused("evaluate", "zero.txt", "scores")
    assert "'rankwise data convert IN OUT --zero-based'" in said and "; --zero-based" not in said
    assert rankwise("data", "convert", "zero.txt", "o.txt", "--zero-based").code == 0
    assert rankwise("data", "describe", "o.txt").code == 0


def test_a_query_that_comes_back() -> None:
    said = refused("data", "convert", "back.txt", "o.txt")
    assert said.endswith("sort the file by query, or --repeated-queries merge joins its rows")
    said = refused("data", "describe", "back.txt")
    assert "'rankwise data convert IN OUT --repeated-queries merge'" in said
    assert rankwise("data", "convert", "back.txt", "o.txt", "--repeated-queries", "merge").code == 0


def test_scores_that_are_nan() -> None:
    said = refused("evaluate", "data.txt", "nan")
    assert "--nan last, first or zero" in said
    assert rankwise("evaluate", "data.txt", "nan", "--nan", "last").code == 0


def test_surplus_lines_are_ignored_where_they_are_no_scores() -> None:
    assert "--reading surplus" in refused("evaluate", "data.txt", "summary")
    assert rankwise("evaluate", "data.txt", "summary", "--reading", "surplus").code == 0


def test_scores_of_another_fold_are_not_to_be_cut_off() -> None:
    said = refused("evaluate", "data.txt", "more")
    assert said.endswith("are they the scores of another file or fold?")


def test_rows_where_scores_are_wanted() -> None:
    said = refused("evaluate", "data.txt", "longer.txt")
    assert said.endswith("longer.txt seems to hold LETOR rows: name a file of scores")
    assert "surplus" not in said


def test_a_misspelt_store() -> None:
    for words in (("results", "show"), ("results", "verify"), ("results", "export")):
        more = ("o.csv",) if words[1] == "export" else ()
        assert "did you mean 'store.sqlite'?" in refused(*words, "stor.sqlite", *more)


def test_tables_that_disagree() -> None:
    said = refused("results", "merge", "results.csv", "others.csv", "-o", "o.csv")
    assert "--conflicts first, last or mean" in said
    merged = rankwise(
        "results", "merge", "results.csv", "others.csv", "-o", "o.csv", "--conflicts", "mean"
    )
    assert merged.code == 0


@pytest.mark.parametrize(
    "arguments",
    [("scores", "data.txt"), ("--trec", "run", "qrels")],
)
def test_files_in_the_wrong_order(arguments: tuple[str, ...]) -> None:
    assert "name them the other way round" in refused("evaluate", *arguments)
    assert rankwise("evaluate", *arguments[:-2], *reversed(arguments[-2:])).code == 0


def test_qrels_without_their_flag_and_rows_with_it() -> None:
    assert refused("evaluate", "qrels", "run").endswith("; --trec reads qrels and runs")
    assert rankwise("evaluate", "qrels", "run", "--trec").code == 0
    assert "without --trec LETOR rows" in refused("evaluate", "data.txt", "scores", "--trec")


@pytest.mark.parametrize("command", ["evaluate", "significance"])
def test_measures_with_commas(command: str) -> None:
    ended = rankwise(command, "data.txt", "scores", "scores", "-m", "NDCG@5,MAP")
    assert (ended.code, ended.err.count("did you mean")) in ((0, 0), (2, 0))


@pytest.mark.parametrize(
    "name",
    ["NDCG@ten", "NDCG@", "NDCG(gain=linear@10", "NDCG@10@5", "ndcg_cut_ten", "NDCG @ x", "MAP@",
     "NDCG@99999999999999999999", "NDCG@" + "9" * 5000],
)  # fmt: skip
def test_no_measure_is_said_to_be_meant_that_was_written(name: str) -> None:
    said = refused("evaluate", "data.txt", "scores", "-m", name)
    assert f"did you mean {name!r}" not in said
    assert len(said) < 400


@pytest.mark.parametrize("written", ["result.csv", "results.cvs", "resluts.csv"])
def test_a_misspelt_table(written: str) -> None:
    assert "did you mean 'results.csv'?" in refused("compare", written)


def test_a_misspelt_table_that_is_shipped() -> None:
    assert "did you mean 'tax2015_results'?" in refused("compare", "tax2015_result")


def test_every_line_that_cannot_be_read_is_listed(tmp_path: Path) -> None:
    lines = [f"1 qid:{n} 1:{'x' if n % 3 == 0 else n}" for n in range(30)]
    (tmp_path / "bad.txt").write_text("# head\n\n" + "\n".join(lines) + "\nlast one\n")
    found = rankwise("data", "check", "bad.txt")
    assert found.code == 1
    wrong = [f"bad.txt:{n + 3}:" for n in range(30) if n % 3 == 0] + ["bad.txt:33:"]
    assert [place for place in wrong if place in found.out] == wrong
    assert found.out.count("bad.txt:") == len(wrong)


def test_of_many_lines_that_cannot_be_read_the_first_are_listed(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("1 qid:1 1:x\n" * 500 + ROWS)
    found = rankwise("data", "check", "data.txt", "bad.txt")
    assert found.code == 1 and found.out.count("bad.txt:") == 20
    assert "there are more lines that cannot be read" in found.out


def test_a_full_device() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    import subprocess
    import sys

    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rankwise", "evaluate", "data.txt", "scores"],
            stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("rankwise: cannot write the output: No space left on device")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content",
    ["x = " + "[" * 1000, "seeds = " + "1" * 4301, "seeds = 0x" + "f" * 5000, "name = \xff",
     "[limits]\nseconds = 0x" + "f" * 5000, "name = 0x" + "f" * 5000,
     "measures = [" + "'a'," * 999 + "]",
     "[[data]]\npath = '" + "a" * 5000 + "'\n[[rankers]]\nname = 'listnet'"],
)  # fmt: skip
def test_a_configuration_that_is_hard_to_take(content: str, tmp_path: Path) -> None:
    (tmp_path / "hard.toml").write_text(content, "latin-1")
    assert len(refused("bench", "hard.toml")) < 500


def test_what_is_too_large_to_be_a_configuration_is_not_read(tmp_path: Path) -> None:
    """Somebody's data, or a device that never ends."""
    with (tmp_path / "large.toml").open("wb") as stream:
        stream.truncate((1 << 24) + 1)
    for path in ("large.toml", *(["/dev/zero"] if Path("/dev/zero").exists() else [])):
        assert "it is no description of an experiment" in refused("bench", path)


def test_what_is_no_store_is_told_as_what_it_is(tmp_path: Path) -> None:
    assert "it is a directory, a file was expected" in refused("results", "show", str(tmp_path))
    if Path("/dev/null").exists():
        said = refused("results", "show", "/dev/null")
        assert said == "/dev/null must be a store, found no file on a disk"


def test_an_own_feature_that_fails_is_named(tmp_path: Path) -> None:
    from rankwise.collection.features.feature_files import read_feature_files
    from rankwise.collection.features.feature_sets import compute_features, make_feature_set
    from rankwise.errors import RankwiseError
    from tests.collection.made import made_collection, made_query

    (tmp_path / "mine.py").write_text(
        "from rankwise.collection import feature\n\n"
        "@feature('mine', 'nothing', 'Q-D')\ndef mine(view, parameters):\n    return 1 / 0\n"
    )
    (file,) = read_feature_files([tmp_path / "mine.py"])
    collection = made_collection()
    features = make_feature_set("ohsumed", collection).with_feature_file(file, ["title"])
    with pytest.raises(RankwiseError, match=r"mine fails with ZeroDivisionError: .*\(mine.py:5\)"):
        compute_features(collection, made_query(0, collection), features)


def test_a_configuration_that_runs_code_says_so_before_it_does(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('[[rankers]]\nname = "listnet,nosuch:Ranker"\n')
    ended = rankwise("bench", "c.toml", "--data", tmp_path)
    first, last = ended.err.splitlines()
    assert first == "c.toml names nosuch:Ranker, whose code is run with all your rights"
    assert last.startswith("rankwise: ") and ended.code == 2


def test_what_runs_code_says_so() -> None:
    said = " ".join(rankwise("bench", "--help").out.split())
    assert "module:Name is code of your own, which is run with all your rights" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("evaluate", "data.txt", "scores", "--complete"), "add --trec or leave it out"),
        (("evaluate", "qrels", "run", "--trec", "--nan", "last"), "leave them out with --trec"),
        (("evaluate", "qrels", "run", "--trec", "--reading", "prefix"), "out with --trec"),
        (("compare", "results.csv", "--interval", "percentile"), "--interval is of --bootstrap N"),
        (("reconcile", "--value", "1.5", "--from", "letor4", "--queries", "9", "--empty", "1",
          "-m", "MAP"), "MAP must lie from 0 to 1, found 1.5; if it is in percent, write so"),
    ],
)  # fmt: skip
def test_what_would_be_left_aside_is_refused(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused(*words)


@pytest.mark.parametrize("more", [("-m", "nosuch"), ("--tool", "nosuch"), ("-m", "NDCG@ten")])
def test_what_cannot_be_reported_is_told_before_training(more: tuple[str, ...]) -> None:
    refused("train", "data.txt", "--ranker", "ridge-regression", *more, "-o", "model.json")
    assert not Path("model.json").exists()
