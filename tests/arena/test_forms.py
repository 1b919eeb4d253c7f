"""Declarations, JSON and CSV: nothing that strangers write becomes more than text."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict
from pathlib import Path

import pytest

from rankwise.arena.arena import Arena
from rankwise.arena.json_records import board_csv, parse_declaration, to_json
from rankwise.arena.participation import BadRequest, Cost, Declaration
from rankwise.arena.storage.event_log import LogEvent, find_breaks
from rankwise.arena.views import Board, BoardRow
from tests.arena.conftest import MakeArena
from tests.arena.playing import join, noise, submit


def test_a_declaration_survives_json() -> None:
    said = Declaration(
        "T",
        "two\nlines",
        "paper",
        "https://code",
        "none",
        {"depth": "3"},
        Cost(1.5, 2.0, 10, "cpu"),
    )
    assert parse_declaration(json.loads(json.dumps(asdict(said)))) == said
    assert Declaration.from_facts(asdict(said)) == said


@pytest.mark.parametrize(
    "content",
    [
        None, [], "text", {}, {"title": ""}, {"title": "  "}, {"title": 3}, {"title": "x" * 201},
        {"title": "t", "rank": 1}, {"title": "t", "description": "x" * 4001},
        {"title": "t", "parameters": [1]}, {"title": "t", "parameters": {"a": "x" * 201}},
        {"title": "t", "parameters": {str(n): n for n in range(101)}},
        {"title": "t", "cost": {"euros": 1}}, {"title": "t", "cost": {"training_seconds": -1}},
        {"title": "t", "cost": {"training_seconds": "1"}},
        {"title": "t", "cost": {"training_seconds": math.nan}},
        {"title": "t", "cost": {"model_bytes": True}}, {"title": "t", "cost": [1]},
    ],
)  # fmt: skip
def test_wrong_declarations_are_refused(content: object) -> None:
    with pytest.raises(BadRequest):
        parse_declaration(content)


def test_texts_are_kept_as_texts() -> None:
    said = parse_declaration(
        {"title": " a\n b\x00 ", "description": "<script>\x1b[2J\u202e", "parameters": {"a": 1.5}}
    )
    assert said.title == "a b"
    assert said.description.startswith("<script>") and "\x1b" not in said.description
    assert "\u202e" not in said.description
    assert said.parameters == {"a": "1.5"}


def test_numbers_that_json_lacks_are_null() -> None:
    nothing = float("nan")
    row = BoardRow("e", "n", "t", "entry", 0.5, nothing, math.inf, ("a",), True, Cost(), False, "")
    text = json.dumps(to_json(row), allow_nan=False)
    assert json.loads(text)["low"] is None and json.loads(text)["groups"] == ["a"]


def test_cells_of_csv_run_nothing() -> None:
    names = ("=1+1", "+1", "-1", "@SUM(A1)", 'quote " and, comma', "line\nfeed", "\tTab")
    rows = tuple(
        BoardRow(
            "e", name, "t", "entry", 0.25, math.nan, 0.5, ("a", "b"), True, Cost(2.0), False, ""
        )
        for name in names
    )
    board = Board("t", "MAP", "definition", "public", 10, False, rows, 0, 1)
    found = list(csv.DictReader(io.StringIO(board_csv(board))))
    assert [row["name"] for row in found[4:6]] == list(names[4:6])
    assert [row["name"][0] for row in (*found[:4], found[6])] == ["'"] * 5
    assert found[0]["groups"] == "a b" and found[0]["low"] == "" and found[0]["value"] == "0.25"


def test_an_export_is_what_strangers_see(make_arena: MakeArena, tmp_path: Path) -> None:
    arena: Arena = make_arena()
    entry = submit(arena, join(arena, "Exporters"), noise(arena, 1), title="exported")
    written = arena.export(tmp_path / "out")
    assert all(path.is_file() for path in written)
    board = json.loads((tmp_path / "out" / "made" / "board-public.json").read_text())
    assert board == to_json(arena.board("made"))
    assert not (tmp_path / "out" / "made" / "board-private.json").exists()
    lines = (tmp_path / "out" / "log.jsonl").read_text().splitlines()
    events = [LogEvent(**json.loads(line)) for line in lines]
    assert find_breaks(events) == [] and events[-1].receipt == entry.receipt
    assert all(event.payload == "" for event in events)
