"""How wide output is, and whether titles are marked: by terminal, pipe and environment."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rankwise.cli import output


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch) -> Terminal:
    """From here on, since pytest takes standard output back when a test begins."""
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "57")
    return screen


def test_a_pipe_is_100_columns_wide(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "57")
    assert output.terminal_width() == 100


def test_a_terminal_is_as_wide_as_it_says(monkeypatch) -> None:
    terminal(monkeypatch)
    assert output.terminal_width() == 57


def test_a_terminal_that_says_nothing_is_80_columns_wide(monkeypatch) -> None:
    terminal(monkeypatch)
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("os.get_terminal_size", lambda descriptor: 1 / 0)
    for name in ("__stdin__", "__stdout__", "__stderr__"):
        monkeypatch.setattr(f"sys.{name}", None)
    assert output.terminal_width() == 80


def test_a_terminal_has_marked_titles(monkeypatch) -> None:
    screen = terminal(monkeypatch)
    output.print_table(["a"], [["b"]], title="T")
    assert screen.getvalue().splitlines()[0].startswith("\x1b[3mT")
    assert "\x1b[1m  a  \x1b[0m" in screen.getvalue()


def test_a_dumb_terminal_has_none(monkeypatch) -> None:
    screen = terminal(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    output.print_table(["a"], [["b"]], title="T")
    assert "\x1b" not in screen.getvalue()


def test_a_pipe_has_none_unless_asked_for(capsys, monkeypatch) -> None:
    output.print_table(["a"], [["b"]], title="T")
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    output.print_table(["a"], [["b"]], title="T")
    assert "\x1b[3mT" in capsys.readouterr().out


def test_progress_shows_names_that_a_terminal_does_not_obey(monkeypatch) -> None:
    shown: list[str] = []

    @contextlib.contextmanager
    def bar(description: str, total: float | None) -> Iterator[object]:
        shown.append(description)
        yield lambda done: None

    monkeypatch.setattr("rankwise.cli.progress_bar.terminal_progress", bar)
    monkeypatch.setattr("sys.stderr", terminal(monkeypatch))
    with output.progress("reading a\x1b[2J\x9bb"):
        pass
    assert shown == ["reading a\\x1b[2J\\x9bb"]


def test_everything_that_is_printed_leaves_in_one_place() -> None:
    """Another way out would let names from files reach the terminal as they are."""
    folder = Path(output.__file__).parent
    others = {"output.py", "completion.py", "main.py"}
    found = [
        str(path)
        for path in folder.rglob("*.py")
        if path.name not in others
        and re.search(r"click\.(echo|secho)\(|(?<![.\w])print\(", path.read_text())
    ]
    assert not found


def test_json_tells_infinity_from_what_is_not_known(capsys) -> None:
    values = [math.inf, -math.inf, math.nan, 1.5, np.float64(np.inf)]
    output.print_json([{"statistic": value, "more": (value,)} for value in values])
    found = json.loads(capsys.readouterr().out)
    assert [one["statistic"] for one in found] == ["inf", "-inf", None, 1.5, "inf"]
    assert [one["more"] for one in found] == [["inf"], ["-inf"], [None], [1.5], ["inf"]]
    assert [float(one["statistic"]) for one in found[:2]] == values[:2]
