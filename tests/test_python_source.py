"""Where two threads parsed at once, Python 3.11 might raise SystemError in one of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rankwise import python_source
from rankwise.collection import demo_collection
from rankwise.experiments import digests


def test_one_thread_parses_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []

    def parse(source: bytes) -> ast.Module:
        held.append(python_source._PARSING.locked())
        return ast.Module([], [])

    monkeypatch.setattr("rankwise.python_source.ast.parse", parse)
    file = tmp_path / "mine.py"
    file.write_bytes(b"import numpy\n")
    digests._parse_python(file.read_bytes())
    demo_collection._parse_file(file)
    assert held == [True, True]
    assert not python_source._PARSING.locked()


def test_a_source_that_is_no_python_leaves_it_to_the_next() -> None:
    with pytest.raises(SyntaxError):
        python_source.parse_source(b"this is no Python")
    assert not python_source._PARSING.locked()
