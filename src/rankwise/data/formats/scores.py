"""Score files: one score a line, in the order of the rows that it belongs to.

| reading | what it takes |
|---|---|
| strict | one number a line, as many as rows; the default |
| surplus | as strict, but lines after the last row's are ignored (and counted) |
| prefix | as surplus, and a line is the longest number it begins with, else 0: so Perl reads |

A NaN is an error unless `missing` says where its document goes: `last`, `first`, or `zero`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import read_bytes
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import write_text

Reading = Literal["strict", "surplus", "prefix"]
Missing = Literal["error", "last", "first", "zero"]

LARGEST_EXACT = 2.0**53
_PREFIX = re.compile(
    rb"\s*([+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf(?:inity)?|nan))", re.I
)
_NUMBER = re.compile(rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)",
                     re.I)  # fmt: skip
_WHOLE = re.compile(rb"\s*([+-]?[0-9]+)(?![0-9.eE])")
_REPLACEMENTS = {"last": -np.inf, "first": np.inf, "zero": 0.0}


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
    missing: Missing = "error",
) -> Scores:
    """Read a score file, plain or compressed, for data with `rows` rows (None: any number)."""
    lines = _lines(read_bytes(path))
    surplus = _check_count(path, len(lines), rows, reading)
    lines = lines[: len(lines) - surplus]
    values = _prefixes(lines) if reading == "prefix" else _numbers(path, lines)
    wrong = np.flatnonzero(np.isnan(values))
    if len(wrong):
        if missing == "error":
            raise FormatError(
                f"scores must be numbers, found {lines[wrong[0]].decode(errors='replace')!r}; "
                f"{len(wrong)} of {len(values)} scores are NaN; choose a rule for them "
                "(last, first or zero) or correct the file",
                path,
                int(wrong[0]) + 1,
            )
        values[wrong] = _REPLACEMENTS[missing]
    return Scores(values, _large_integers(lines, values), surplus, len(wrong))


def write_scores(scores: NDArray[np.float64], path: str | Path) -> None:
    """Write one score a line, all digits of it, whole or not at all."""
    write_text(path, score_lines(scores))


def score_lines(scores: NDArray[np.float64]) -> str:
    """One score a line with all its digits, so that reading gives the same numbers."""
    return "".join(f"{value!r}\n" for value in scores.tolist())


def _lines(content: bytes) -> list[bytes]:
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _check_count(path: str | Path, found: int, rows: int | None, reading: Reading) -> int:
    """How many lines are too many, where that is allowed."""
    if rows is None or found == rows:
        return 0
    if found > rows and reading != "strict":
        return found - rows
    more = " (reading=surplus ignores the rest)" if found > rows else ""
    raise RankwiseError(
        f"{path}: there must be one score per row, found {found} scores for {rows} rows{more}"
    )


def _numbers(path: str | Path, lines: Sequence[bytes]) -> NDArray[np.float64]:
    try:
        if any(b"_" in line for line in lines):
            raise ValueError
        return np.array([float(line) for line in lines], dtype=np.float64)
    except ValueError:
        number, line = next(
            (number, line)
            for number, line in enumerate(lines, 1)
            if not _NUMBER.fullmatch(line.strip())
        )
        found = line.decode(errors="replace")
        raise FormatError(f"expected one score, a number, found {found!r}", path, number) from None


def _prefixes(lines: Sequence[bytes]) -> NDArray[np.float64]:
    found = (_PREFIX.match(line) for line in lines)
    return np.array([float(match[1]) if match else 0.0 for match in found], dtype=np.float64)


def _large_integers(lines: Sequence[bytes], values: NDArray[np.float64]) -> dict[int, int]:
    large = np.flatnonzero((np.abs(values) >= LARGEST_EXACT) & (np.abs(values) < 2.0**64))
    whole = {row: _WHOLE.match(lines[row]) for row in large.tolist()}
    return {row: int(match[1]) for row, match in whole.items() if match is not None}
