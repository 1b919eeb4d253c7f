"""`rankwise arena` and `rankwise submit` as people use them: what is printed, and where."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankwise as rw
from rankwise.arena import OPERATOR, Arena, Declaration, Submission, make_application
from rankwise.cli.main import main
from rankwise.data import score_lines
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena made by command, with a shown and a hidden entry."""
    folder = tmp_path_factory.mktemp("arena")
    rw.write_folds(rw.split_folds(make_dataset(40, seed=3)), folder / "folds")
    words = ("--data", folder / "folds", "--name", "made", "--board-measures", "MAP,P@5")
    made = run("arena", "new", folder / "ours", *words)
    assert made.stdout == "made: 10 public and 10 private queries\n"
    assert "your invitation as an organiser: rwi_" in made.stderr
    assert f"next: rankwise serve {folder / 'ours'}" in made.stderr
    token = run("arena", "invite", folder / "ours", "--team", "[b]One[/b]").stdout.strip()
    with Arena.open(folder / "ours") as arena:
        account = arena.authenticate(arena.accept(token, "somebody"))
        scores = np.random.default_rng(1).standard_normal(arena.task("made").documents)
        for factor in (1.0, 2.0):
            files = {"a": score_lines(factor * scores).encode()}
            arena.submit(account, "made", Submission(files, Declaration("\x1b[31mred")))
    return folder / "ours"


WITHOUT = """
import sys
for name in ("sqlalchemy", "cryptography", "psycopg", "starlette", "uvicorn", "jinja2"):
    sys.modules[name] = None
from click.testing import CliRunner
from rankwise.cli.arena.organise_commands import ARENA_COMMANDS as HOMES
from rankwise.cli.main import main
for words in (["arena"], *(["arena", name] for name in HOMES), ["serve"], ["submit"]):
    result = CliRunner().invoke(main, [*words, "--help"])
    print(*words, result.exit_code, result.output.startswith("Usage:"))
for words in (["arena", "board", "here", "made"], ["serve", "here"], ["serve", "--store", "x"]):
    print(type(CliRunner().invoke(main, words).exception).__name__)
"""


def test_every_help_is_there_without_the_extra() -> None:
    """Who reads what a command does need not have installed what it takes."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 12 + 3
    assert [line for line in lines[:12] if not line.endswith(" 0 True")] == []
    assert lines[12:] == ["MissingExtra"] * 3


def test_an_invitation_leads_to_its_page(home: Path) -> None:
    """What the command prints, and the path of its help, are pages of the server."""
    pytest.importorskip("starlette", reason="starlette is not installed")
    from starlette.testclient import TestClient

    made = run("arena", "invite", home, "--team", "Guests")
    (path,) = re.findall(r"ADDRESS(/\S+)", made.stderr)
    (told,) = re.findall(r"ADDRESS(/\S+)", run("arena", "invite", "--help").stdout.replace(",", ""))
    with Arena.open(home) as arena, TestClient(make_application(arena)) as client:
        for address in (path, told.replace("INVITATION", made.stdout.strip())):
            page = client.get(address)
            assert page.status_code == 200 and "Guests" in page.text


def test_commands_to_copy_quote_their_paths(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "my arena"
    made = run("arena", "new", place, "--data", home.parent / "folds", "--name", "made")
    assert f"next: rankwise serve '{place}'" in made.stderr
    closed = run("arena", "reveal", place, "made")
    assert f"rankwise arena board '{place}' made" in closed.stderr
    (place / "labels.key").chmod(0o644)
    with pytest.raises(RankwiseError, match=rf"run: chmod 600 '{place}/labels.key'"):
        run("arena", "board", place, "made")


def test_a_second_task_needs_no_second_invitation(home: Path) -> None:
    folds = home.parent / "folds"
    made = run("arena", "new", home, "--data", folds, "--name", "more", "--no-ladder")
    assert "invitation" not in made.stderr
    with pytest.raises(RankwiseError, match="name of its own"):
        run("arena", "new", home, "--data", folds, "--name", "more")


def test_a_board_is_a_table_that_obeys_nobody(home: Path) -> None:
    shown = run("arena", "board", home, "made", "-m", "MAP")
    assert "MAP" in shown.stdout and "made-1" in shown.stdout and "[b]One[/b]" in shown.stdout
    assert "\x1b[31m" not in shown.stdout
    assert "1 entry is not shown" in shown.stderr
    text = run("arena", "board", home, "made", "--format", "csv").stdout
    assert text.startswith("task,measure,tool,half,entry,name,team,kind,value,")


def test_an_open_board_has_no_other_measure(home: Path) -> None:
    for words in (("-m", "DCG(gain=2=1000)@3"), ("-m", "Relevant"), ("--tool", "letor4")):
        with pytest.raises(RankwiseError, match=r"its board shows NDCG@10, MAP, P@5 as definition"):
            run("arena", "board", home, "made", *words)


def test_duplicates_and_audits_are_told_in_lines(home: Path) -> None:
    found = run("arena", "duplicates", home, "made")
    assert found.stdout == "1.0000  made-1  made-2  one team\n"
    audit = run("arena", "audit", home)
    assert audit.stdout == "" and "2 entries evaluated again: nothing differs" in audit.stderr
    wrong = run("arena", "audit", home, "--receipt", "1:00", code=1)
    assert "the log must have the line of the receipt 1:00" in wrong.stdout
    head = audit.stderr.strip().splitlines()[-1].removeprefix("head: ")
    run("arena", "audit", home, "--receipt", head)


def test_a_reveal_closes_the_task(home: Path) -> None:
    run("arena", "new", home, "--data", home.parent / "folds", "--name", "closing")
    assert "closing was closed at" in run("arena", "reveal", home, "closing").stdout
    with pytest.raises(RankwiseError, match="revealed already"):
        run("arena", "reveal", home, "closing")
    with Arena.open(home) as arena:
        assert not arena.task("closing").open
        assert arena.events(OPERATOR, limit=1000)[-1].kind == "revealed"


def test_a_token_is_asked_for(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scores = tmp_path / "my.scores"
    scores.write_text("1\n")
    words = ("submit", "http://127.0.0.1:9", "made", scores, "--title", "Mine")
    monkeypatch.delenv("RANKWISE_TOKEN", raising=False)
    with pytest.raises(RankwiseError, match="RANKWISE_TOKEN, or name its file with --token-file"):
        run(*words)
    token = tmp_path / "token"
    token.write_text("rwt_x\n")
    with pytest.raises(RankwiseError, match="must answer"):
        run(*words, "--token-file", token)
    with pytest.raises(RankwiseError, match="NAME=VALUE"):
        run(*words, "--token-file", token, "--parameter", "depth")


def test_an_arena_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="there is no such file"):
        run("arena", "board", tmp_path, "made")
