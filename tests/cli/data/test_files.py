"""The commands on files, run as a user runs them: output, exit codes, one sentence per error."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from rankwise import read
from rankwise.cli.main import run

ROWS = (
    "1 qid:1 1:0.5 2:1 #docid = a\n0 qid:1 1:0.25 2:1 #docid = b\n2 qid:2 1:NULL 2:3 #docid = c\n"
)


def rankwise(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command line in this process, from its entry point to its exit code."""
    words = ["rankwise", *map(str, arguments)]
    stdout, stderr = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(stdout), redirect_stderr(stderr):
        patch.setattr(sys, "argv", words)
        patch.setenv("COLUMNS", "80")
        patch.chdir(cwd or Path.cwd())
        with pytest.raises(SystemExit) as ended:
            run()
    code = ended.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(words, code, stdout.getvalue(), stderr.getvalue())


def in_a_process(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rankwise", *map(str, arguments)]
    environment = os.environ | {"COLUMNS": "80"}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


def test_a_process_says_the_same(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("1 qid:1 x\n")
    for words in ((rows, "--format", "json"), ("bad.txt",), ("missing.txt",)):
        ways = (rankwise, in_a_process)
        here, there = (way("data", "describe", *words, cwd=tmp_path) for way in ways)
        assert (here.returncode, here.stdout, here.stderr) == (
            there.returncode, there.stdout, there.stderr
        )  # fmt: skip


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text(ROWS)
    return path


def test_describe(rows):
    done = rankwise("data", "describe", rows, "--format", "json")
    facts = json.loads(done.stdout)
    assert (facts["rows"], facts["queries"], facts["features"]) == (3, 2, 2)
    assert facts["labels"] == {"0": 1, "1": 1, "2": 1}
    table = rankwise("data", "describe", rows)
    assert "labels" in table.stdout
    assert table.returncode == 0


def test_describe_several_files_as_one(rows, tmp_path):
    (tmp_path / "more.txt").write_text("1 qid:3 1:1\n")
    done = rankwise("data", "describe", rows, tmp_path / "more.txt", "--format", "json")
    assert json.loads(done.stdout)["queries"] == 3


def test_check(rows, tmp_path):
    fine = rankwise("data", "check", rows, "--cutoff", 1)
    assert (fine.returncode, fine.stdout) == (0, "nothing wrong in 1 files\n")
    (tmp_path / "test.txt").write_text("1 qid:2 1:1 2:1\n0 qid:2 1:0\n")
    wrong = rankwise("data", "check", rows, tmp_path / "test.txt", "--format", "json")
    assert wrong.returncode == 1
    assert json.loads(wrong.stdout)["findings"][0]["kind"] == "shared query"


def test_check_takes_a_folder_of_folds(shared):
    done = rankwise("data", "check", shared / "data/letor4/MQ2008")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "nothing wrong in 15 files")


def test_check_names_empty_and_short_queries_and_what_tools_make_of_them(tmp_path):
    whole = "".join(f"{int(row == 0)} qid:1 1:{row}\n" for row in range(10))
    path = tmp_path / "rows.txt"
    path.write_text(whole + "0 qid:nothing 1:1\n1 qid:short 1:1\n")
    done = rankwise("data", "check", path, "--format", "markdown")
    assert done.returncode == 0
    assert r"| 1 \(nothing\) | 2 \(nothing, short\) |" in done.stdout
    assert f"| letor4, mslr | 0 | 0 | {1 / 3:.4f} |" in done.stdout


def test_filter_writes_folds_under_their_own_names(tmp_path):
    for part in ("trainingset", "testset"):
        (tmp_path / "in" / "Fold1").mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / "Fold1" / f"{part}.txt").write_text(ROWS + "0 qid:9 1:1\n")
    done = rankwise("data", "filter", tmp_path / "in", tmp_path / "out", "--drop", "empty")
    assert done.returncode == 0, done.stderr
    kept = read(tmp_path / "out" / "Fold1" / "testset.txt")
    assert list(kept.query_ids) == ["1", "2"]
    again = rankwise("data", "filter", tmp_path / "in", tmp_path / "out", "--drop", "empty")
    assert (again.returncode, again.stdout) == (2, "")


@pytest.mark.parametrize("name", ["out.txt.gz", "out.txt.zst", "out.parquet"])
def test_convert(rows, tmp_path, name):
    done = rankwise("data", "convert", rows, tmp_path / name)
    assert (done.returncode, done.stdout) == (0, "")
    assert read(tmp_path / name).equals(read(rows))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["describe", "none.txt"], "rankwise: cannot read none.txt: there is no such file\n"),
        (
            ["convert", ".", "out.txt"],
            "rankwise: cannot read .: it is a directory, a file was expected\n",
        ),
        (
            ["describe", "bad.txt"],
            "rankwise: bad.txt:1:9: a feature must be written index:value, found 'x'\n",
        ),
        (
            ["convert", "rows.txt", "no/out.txt"],
            "rankwise: cannot write no/out.txt: the folder no does not exist\n",
        ),
    ],
)
def test_errors_are_one_sentence_and_exit_2(rows, arguments, sentence):
    (rows.parent / "bad.txt").write_text("1 qid:1 x\n")
    done = rankwise("data", *arguments, cwd=rows.parent)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_nothing_is_left_of_a_conversion_to_a_full_disk(rows):
    done = rankwise("data", "convert", rows, "/dev/full/out.txt")
    assert done.returncode == 2
    assert done.stderr.startswith("rankwise: cannot write /dev/full/out.txt: ")


def test_misspelt_commands_suggest_the_nearest():
    done = rankwise("dta")
    assert done.returncode == 2
    assert "there is no command 'dta'; did you mean 'data'?" in done.stderr


def test_the_first_screen_groups_every_command():
    from rankwise.cli.main import COMMANDS

    done = rankwise("--help")
    assert done.returncode == 0
    for entry in COMMANDS:
        assert f"{entry.group}:" in done.stdout
        assert f"  {entry.name} " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_every_command_has_help_with_an_example():
    import click

    from rankwise.cli.main import main

    def leaves(command: click.Command, path: str):
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                yield from leaves(command.get_command(context, name), f"{path} {name}")
        else:
            yield path, command

    missing = [path for path, command in leaves(main, "") if "rankwise" not in (command.help or "")]
    assert missing == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell):
    done = rankwise("completion", shell)
    assert "_RANKWISE_COMPLETE" in done.stdout


def test_heavy_libraries_are_imported_where_they_are_used():
    program = (
        "import sys, rankwise, rankwise.cli.main\n"
        "heavy = {'numba', 'scipy', 'pandas', 'polars', 'pyarrow', 'matplotlib', 'torch'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n"
