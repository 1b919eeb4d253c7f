"""Records as JSON and CSV, and declarations read from JSON."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from rankwise.arena.participation import BadRequest, Cost, Declaration
from rankwise.arena.views import Board
from rankwise.sanitize import cut, visible, without_formula

LONGEST_TEXT = 4000
LONGEST_LINE = 200
MOST_PARAMETERS = 100
_LINES = ("title", "paper", "code")
_TEXTS = ("description", "training_data")


def to_json(value: Any) -> Any:
    """A record of the arena, or a list of them, as JSON holds it; NaN and infinity are null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


_CSV_COLUMNS = (
    "entry", "name", "team", "kind", "value", "low", "high", "groups", "best", "front",
    "training_seconds", "submitted", "paper", "code", "training_data", "note",
)  # fmt: skip


def board_csv(board: Board) -> str:
    """The rows of a board as CSV; texts that a spreadsheet would run begin with an apostrophe."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("task", "measure", "tool", "half", *_CSV_COLUMNS))
    for row in board.rows:
        facts = asdict(row) | {
            "groups": " ".join(row.groups),
            "training_seconds": row.cost.training_seconds,
        }
        cells = [facts[name] for name in _CSV_COLUMNS]
        writer.writerow(
            [_cell(cell) for cell in (board.task, board.measure, board.tool, board.half, *cells)]
        )
    return stream.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, str):
        return without_formula(value)
    return "" if value is None else value


def parse_declaration(content: Any) -> Declaration:
    """A declaration from what JSON gave: texts of bounded length, numbers that are finite."""
    if not isinstance(content, Mapping):
        raise BadRequest("a declaration must be a JSON object with at least a title")
    known = {one.name for one in fields(Declaration)}
    other = next((str(name) for name in content if name not in known), None)
    if other is not None:
        raise BadRequest(f"a declaration has no field {cut(other)!r}; it has {_listed(known)}")
    texts = {name: _check_text(content, name, LONGEST_LINE) for name in _LINES}
    texts |= {name: _check_text(content, name, LONGEST_TEXT) for name in _TEXTS}
    if not texts["title"].strip():
        raise BadRequest("a declaration must have a title, found none")
    return Declaration(
        **texts,
        parameters=_check_parameters(content.get("parameters") or {}),
        cost=_read_cost(content.get("cost") or {}),
    )


def check_declaration(declaration: Declaration) -> Declaration:
    """The same declaration, looked at as if it had come as JSON."""
    return parse_declaration(asdict(declaration))


def _check_text(content: Mapping[str, Any], name: str, longest: int) -> str:
    text = content.get(name) or ""
    if not isinstance(text, str) or len(text) > longest:
        found = f"{len(text)}" if isinstance(text, str) else type(text).__name__
        raise BadRequest(f"{name} must be a text of at most {longest} characters, found {found}")
    # Nothing that turns the direction of a page's text or moves a terminal's cursor is kept.
    tidy = visible(text.replace("\r\n", "\n").replace("\x00", ""))
    return " ".join(tidy.split()) if name in _LINES else tidy.strip()


def _check_parameters(content: Any) -> dict[str, str]:
    if not isinstance(content, Mapping) or len(content) > MOST_PARAMETERS:
        raise BadRequest(
            f"parameters must be a JSON object of at most {MOST_PARAMETERS} names with values"
        )
    return {
        _check_text({"name": str(name)}, "name", LONGEST_LINE): _check_text(
            {"value": str(value)}, "value", LONGEST_LINE
        )
        for name, value in content.items()
    }


def _read_cost(content: Any) -> Cost:
    known = {one.name for one in fields(Cost)}
    if not isinstance(content, Mapping) or not set(content) <= known:
        raise BadRequest(f"the cost must be a JSON object with some of {_listed(known)}")
    size = _check_number(content, "model_bytes")
    return Cost(
        _check_number(content, "training_seconds"),
        _check_number(content, "scoring_seconds"),
        None if size is None else int(size),
        _check_text(content, "hardware", LONGEST_LINE),
    )


def _check_number(content: Mapping[str, Any], name: str) -> float | None:
    value = content.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= 1e18:
        raise BadRequest(f"{name} must be a number from 0, found {cut(repr(value))}")
    return float(value)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
