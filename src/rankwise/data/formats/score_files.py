"""Score files: one score a line, in the order of the rows that it belongs to.

| reading | what it takes |
|---|---|
| strict | one number a line, as many as rows; the default |
| surplus | as strict, but lines after the last row's are ignored (and counted) |
| prefix | as surplus, and a line is the longest number it begins with, else 0: so Perl reads |

A NaN is an error unless `nan` says where its document goes: `last`, `first`, or `zero`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_choice
from rankwise.data.formats.compression import LONGEST_SHOWN, ROOM_AFTER, open_source, shown
from rankwise.errors import Advice, FormatError, RankwiseError
from rankwise.files import write_text
from rankwise.native import DOUBLES_OUT, INT64, INT64S_OUT, UINT8S, function

Reading = Literal["strict", "surplus", "prefix"]
Missing = Literal["error", "last", "first", "zero"]

LARGEST_EXACT = 2.0**53
_FINE = 0
_REPLACEMENTS = {"last": -np.inf, "first": np.inf, "zero": 0.0}
_PLACES = tuple(_REPLACEMENTS)

_count_scores = function("rankwise_count_scores", UINT8S, INT64, returns=INT64)
_parse_scores = function(
    "rankwise_parse_scores",
    *(UINT8S, INT64, INT64, INT64, INT64),  # text, its bytes, its end, lines, whether prefixes
    *(DOUBLES_OUT, INT64S_OUT, INT64S_OUT),  # values, whole numbers, what was found
    returns=INT64,
)


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of a file.

    Attributes:
        values: one per row.
        large_integers: rows whose score is a whole number of up to 64 bits that a double cannot
            tell from its neighbours.
        surplus: how many lines followed that of the last row.
        replaced: how many NaN were replaced by the rule for them.
    """

    values: NDArray[np.float64]
    large_integers: dict[int, int] = field(default_factory=dict)
    surplus: int = 0
    replaced: int = 0


def read_scores(
    path: str | Path,
    rows: int | None = None,
    *,
    reading: Reading = "strict",
    nan: Missing = "error",
) -> Scores:
    """Read a score file, plain or compressed, for data with `rows` rows (None: any number)."""
    check_choice("reading", reading, get_args(Reading))
    check_choice("nan", nan, get_args(Missing))
    with open_source(path) as source:
        text = source.read(0, source.size - 1)
    found = _count_scores(text, len(text) - ROOM_AFTER)
    surplus = 0 if rows is None else _check_count(path, text, found, rows, reading)
    values, large_integers = _parse(path, text, found - surplus, reading)
    wrong = np.flatnonzero(np.isnan(values))
    if len(wrong):
        if nan == "error":
            line = int(wrong[0])
            raise FormatError(
                f"scores must be numbers, found {_shown(text, _line_begin(text, line))}; "
                f"{len(wrong)} of {len(values)} scores are NaN",
                path,
                line + 1,
                advice=(
                    Advice("correct the file"),
                    Advice("say where their documents go: {}", "nan", _PLACES),
                ),
            )
        values[wrong] = _REPLACEMENTS[nan]
    return Scores(values, large_integers, surplus, len(wrong))


def find_large_integers(values: NDArray[np.float64], given: Sequence[Any]) -> dict[int, int]:
    """By row the whole numbers among scores as they were given that doubles no longer hold."""
    kept = {row: given[row] for row in np.flatnonzero(np.abs(values) >= LARGEST_EXACT).tolist()}
    return {row: int(number) for row, number in kept.items() if isinstance(number, Integral)}


def write_scores(scores: NDArray[np.float64], path: str | Path) -> None:
    """Write one score a line, all digits of it, whole or not at all."""
    write_text(path, score_lines(scores))


def score_lines(scores: NDArray[np.float64]) -> str:
    """One score a line with all its digits, so that reading gives the same numbers."""
    return "".join(f"{value!r}\n" for value in scores.tolist())


def _check_count(
    path: str | Path, text: NDArray[np.uint8], found: int, rows: int, reading: Reading
) -> int:
    """How many lines are too many, where that is allowed."""
    if found == rows or (found > rows and reading != "strict"):
        return found - rows
    # More numbers are the scores of other rows, and no reading makes them belong to these.
    scores = found > 0 and is_number(_line(text, 0))
    trailing = scores and found > rows and not is_number(_line(text, _line_begin(text, rows)))
    advice = (Advice("{} ignores what follows", "reading", "surplus"),) if trailing else ()
    whose = "; are they the scores of another file or fold?" if scores and not trailing else ""
    raise RankwiseError(
        f"{path}: there must be one score per row, found {found} scores for {rows} rows{whose}",
        *advice,
    )


def _parse(
    path: str | Path, text: NDArray[np.uint8], lines: int, reading: Reading
) -> tuple[NDArray[np.float64], dict[int, int]]:
    """The scores of the first lines, and the whole numbers too large for a double by their line."""
    values, whole, found = np.empty(lines), np.empty((lines, 2), np.int64), np.empty(3, np.int64)
    end = len(text) - ROOM_AFTER
    prefix = reading == "prefix"
    outcome = _parse_scores(text, len(text), end, lines, prefix, values, whole, found)
    line, begin, large = found.tolist()
    if outcome != _FINE:
        raise FormatError(
            f"expected one score, a number, found {_shown(text, begin)}", path, line + 1
        )
    sizes = whole[:large, 1].view(np.uint64).tolist()
    return values, {
        row: -size if values[row] < 0 else size
        for row, size in zip(whole[:large, 0].tolist(), sizes, strict=True)
    }


def _line_begin(text: NDArray[np.uint8], line: int) -> int:
    """Where line `line`, counted from 0, begins."""
    return int(np.flatnonzero(text == 10)[line - 1]) + 1 if line else 0


def _shown(text: NDArray[np.uint8], begin: int) -> str:
    """The line at `begin`, shortened and safe to print."""
    return shown(_line(text, begin))


def _line(text: NDArray[np.uint8], begin: int) -> bytes:
    """The line at `begin`, as much of it as messages show."""
    line = text[begin : begin + 4 * LONGEST_SHOWN].tobytes().split(b"\n")[0]
    return line.removesuffix(b"\r")


def is_number(line: bytes) -> bool:
    """Whether a line, or a word of one, is a number and nothing else."""
    try:
        float(line)
    except ValueError:
        return False
    return True
