"""Where two threads parsed at once, Python 3.11 might raise SystemError in one of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rankwise import processes
from rankwise.collection import demo_collection
from rankwise.experiments import digests


def test_one_thread_parses_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []

    def parse(source: bytes) -> ast.Module:
        held.append(processes._PARSING.locked())
        return ast.Module([], [])

    monkeypatch.setattr("rankwise.processes.ast.parse", parse)
    file = tmp_path / "mine.py"
    file.write_bytes(b"import numpy\n")
    digests._parse_python(file.read_bytes())
    demo_collection._parse_file(file)
    assert held == [True, True]
    assert not processes._PARSING.locked()


def test_a_source_that_is_no_python_leaves_it_to_the_next() -> None:
    with pytest.raises(SyntaxError):
        processes.parse_source(b"this is no Python")
    assert not processes._PARSING.locked()
