"""Tables for papers and programs: what one is, CSV, LaTeX and Markdown of it, and its shape.

Names come from files and are text, never commands or markup. In LaTeX a table needs the package
booktabs and nothing else. A table is brought into shape before it is written: the best values
marked, columns chosen, broken up into several tables, or turned.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.files import did_you_mean
from rankwise.sanitize import plain_cell
from rankwise.tables.displayed_names import shown

LONGEST_NAME = 200


@dataclass(frozen=True)
class Estimate:
    """A value with its margin (±) where that is known, and a mark behind it: + better, - worse."""

    value: float
    margin: float | None = None
    mark: str = ""


Value = str | int | float | bool | Estimate | None
Place = tuple[int, int]


@dataclass(frozen=True)
class Table:
    """Rows of values under headings; texts are left-aligned, numbers right-aligned.

    `keys` are the headings for programs, `titles` those for people. `best` and `second` are the
    fields (row, column) that people see bold and underlined, `notes` sentences under the table,
    `right` the columns that stand to the right where their cells do not tell.
    """

    keys: tuple[str, ...]
    titles: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    title: str = ""
    best: frozenset[Place] = frozenset()
    second: frozenset[Place] = frozenset()
    notes: tuple[str, ...] = ()
    right: frozenset[int] | None = None


def format_csv(table: Table) -> str:
    """The table for programs: numbers in full, nothing where there is no value.

    Texts that a spreadsheet would run as a formula begin with an apostrophe.

    Margins and marks have columns of their own behind that of their values.
    """
    columns = [_with_margins(table, column) for column in range(len(table.keys))]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([plain_cell(key) for keys, _ in columns for key in keys])
    for row in range(len(table.rows)):
        writer.writerow([plain_cell(_plain(value)) for _, rows in columns for value in rows[row]])
    return stream.getvalue()


def format_latex(table: Table) -> str:
    """The table as a LaTeX tabular for booktabs; the best bold, the second underlined."""
    alignment = "".join("r" if right else "l" for right in find_numeric(table))
    rows = [
        [_latex_field(table, row, column) for column in range(len(table.keys))]
        for row in range(len(table.rows))
    ]
    comments = [
        f"% {shown(text, 2 * LONGEST_NAME)}" for text in (table.title, *table.notes) if text
    ]
    lines = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _joined(table.titles, _latex_cell, " & ", r" \\"),
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join([*comments, *lines]) + "\n"


def format_markdown(table: Table) -> str:
    """The table as a Markdown pipe table; the best bold, the second italic: it has no underline."""
    rule = "|".join("---:" if right else ":---" for right in find_numeric(table))
    rows = [
        " | ".join(_markdown_field(table, row, column) for column in range(len(table.keys)))
        for row in range(len(table.rows))
    ]
    head = [f"### {_markdown_cell(table.title)}", ""] if table.title else []
    notes = [line for note in table.notes for line in ("", _markdown_cell(note))]
    lines = [
        *head,
        f"| {_joined(table.titles, _markdown_cell, ' | ', ' |')}",
        f"|{rule}|",
        *(f"| {row} |" for row in rows),
        *notes,
    ]
    return "\n".join(lines) + "\n"


def format_cell(value: Value) -> str:
    """A value for people: four decimals, nothing for no or none."""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, Estimate):
        margin = "" if value.margin is None else f" ± {value.margin:.4f}"
        return f"{value.value:.4f}{margin}{_TERMINAL_MARKS.get(value.mark, value.mark)}"
    return "" if value is None else shown(str(value), LONGEST_NAME)


def find_numeric(table: Table) -> list[bool]:
    """Which columns hold numbers, and therefore stand to the right."""
    if table.right is not None:
        return [column in table.right for column in range(len(table.keys))]
    return [
        all(not isinstance(row[column], str | bool) for row in table.rows)
        for column in range(len(table.keys))
    ]


_TERMINAL_MARKS = {"+": " ▲", "-": " ▼"}


def _with_margins(table: Table, column: int) -> tuple[list[str], list[list[Value]]]:
    """A column with those of its margins and marks, where it has any."""
    cells = [row[column] for row in table.rows]
    found = [cell for cell in cells if isinstance(cell, Estimate)]
    keys, parts = [table.keys[column]], [[_value(cell)] for cell in cells]
    for name, wanted in (
        ("margin", any(one.margin is not None for one in found)),
        ("mark", any(one.mark for one in found)),
    ):
        if wanted:
            keys.append(f"{table.keys[column]} {name}")
            for part, cell in zip(parts, cells, strict=True):
                part.append(getattr(cell, name) if isinstance(cell, Estimate) else None)
    return keys, parts


def _value(cell: Value) -> Value:
    return cell.value if isinstance(cell, Estimate) else cell


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _joined(
    values: Sequence[Value], write: Callable[[Value], str], separator: str, end: str
) -> str:
    return separator.join(write(value) for value in values) + end


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$",
    "–": "--", "…": r"\ldots{}", "−": "$-$",
}  # fmt: skip


def _latex_cell(value: Value) -> str:
    text = "".join(_LATEX.get(character, character) for character in format_cell(value))
    # A hyphen is no minus sign.
    is_number = isinstance(value, int | float)
    return f"$-${text[1:]}" if is_number and text.startswith("-") else text


def _latex_field(table: Table, row: int, column: int) -> str:
    return _mark_up(table, row, column, _LATEX_MARKUP)


def _markdown_cell(value: Value) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&])", r"\\\1", format_cell(value))


def _markdown_field(table: Table, row: int, column: int) -> str:
    return _mark_up(table, row, column, _MARKDOWN_MARKUP)


class _Markup(NamedTuple):
    """How a format writes a cell, the best, the second, a margin and a mark of significance."""

    cell: Callable[[Value], str]
    best: str
    second: str
    margin: str
    mark: str


_LATEX_MARKUP = _Markup(
    _latex_cell,
    r"\textbf{{{}}}",
    r"\underline{{{}}}",
    r" {{\scriptsize$\pm${:.4f}}}",
    "$^{{{}}}$",
)
_MARKDOWN_MARKUP = _Markup(_markdown_cell, "**{}**", "*{}*", " ± {:.4f}", "<sup>{}</sup>")


def _mark_up(table: Table, row: int, column: int, markup: _Markup) -> str:
    value, place = table.rows[row][column], (row, column)
    margin = mark = ""
    if isinstance(value, Estimate):
        margin = "" if value.margin is None else markup.margin.format(value.margin)
        mark = markup.mark.format(value.mark) if value.mark else ""
    text = markup.cell(_value(value))
    if place in table.best:
        text = markup.best.format(text)
    elif place in table.second:
        text = markup.second.format(text)
    return f"{text}{mark}{margin}"


DECIMALS = 4


def mark_best(table: Table, lower: Mapping[str, bool]) -> Table:
    """The best and the second best value of the named columns marked, by the digits shown.

    `lower` says of each column whether less is better. Equal values are marked alike; a column in
    which all are level, or only one row has a value, has no best.
    """
    best: set[Place] = set()
    second: set[Place] = set()
    for key, less in lower.items():
        column = table.keys.index(key)
        values = {row: _rounded_number(cells[column]) for row, cells in enumerate(table.rows)}
        known = sorted({one for one in values.values() if one is not None}, reverse=not less)
        if len(known) < 2:
            continue
        best |= {(row, column) for row, one in values.items() if one == known[0]}
        second |= {(row, column) for row, one in values.items() if one == known[1]}
    return replace(table, best=frozenset(best), second=frozenset(second))


def shape_table(table: Table, columns: str | None = None, transpose: bool = False) -> list[Table]:
    """The table with the columns that are asked for, turned, or broken up into several.

    `columns` are names with commas between, by key or title, in that order; or a number, the most
    columns that a table may have beside its first, which each part repeats.
    """
    if columns is not None and not columns.strip().isdecimal():
        table = choose_columns(table, [one.strip() for one in columns.split(",") if one.strip()])
    if transpose:
        if table.keys[0] == "rank":
            table = _take_columns(table, range(1, len(table.keys)))
        table = turn(table)
    if columns is not None and columns.strip().isdecimal():
        return break_up(table, int(columns))
    return [table]


def choose_columns(table: Table, names: Sequence[str]) -> Table:
    """The named columns in the order named."""
    folded = {key.casefold(): place for place, key in reversed(list(enumerate(table.keys)))}
    titled = {title.casefold(): place for place, title in reversed(list(enumerate(table.titles)))}
    places = []
    for name in names:
        place = folded.get(name.casefold(), titled.get(name.casefold()))
        if place is None:
            raise RankwiseError(
                f"the table has the columns {', '.join(table.keys)}; found "
                f"{name!r}{did_you_mean(name, table.keys)}"
            )
        places.append(place)
    if not places:
        raise RankwiseError(f"name at least one of the columns {', '.join(table.keys)}")
    return _take_columns(table, places)


def break_up(table: Table, most: int) -> list[Table]:
    """Tables of at most `most` columns beside the first, which each repeats."""
    if most < 1:
        raise RankwiseError("a table must have at least one column beside its first, found 0")
    rest = range(1, len(table.keys))
    parts = [list(rest[start : start + most]) for start in range(0, len(rest), most)]
    return [_take_columns(table, [0, *part]) for part in parts] or [table]


def turn(table: Table) -> Table:
    """Rows become columns: the names in the first column head them."""
    names = [format_cell(row[0]) for row in table.rows]
    keys = [_value_key(row[0]) for row in table.rows]
    rows = [
        (table.titles[column], *(row[column] for row in table.rows))
        for column in range(1, len(table.keys))
    ]
    turned: Callable[[Place], Place] = lambda place: (place[1] - 1, place[0] + 1)  # noqa: E731
    return replace(
        table,
        keys=(table.keys[0], *keys),
        titles=(table.titles[0], *names),
        rows=tuple(rows),
        right=frozenset(range(1, len(table.rows) + 1)),
        best=frozenset(map(turned, table.best)),
        second=frozenset(map(turned, table.second)),
    )


def _take_columns(table: Table, places: Sequence[int]) -> Table:
    moved = {old: new for new, old in enumerate(places)}

    def kept(marked: frozenset[Place]) -> frozenset[Place]:
        return frozenset((row, moved[column]) for row, column in marked if column in moved)

    return replace(
        table,
        keys=tuple(table.keys[place] for place in places),
        titles=tuple(table.titles[place] for place in places),
        rows=tuple(tuple(row[place] for place in places) for row in table.rows),
        best=kept(table.best),
        second=kept(table.second),
        right=None
        if table.right is None
        else frozenset(moved[column] for column in table.right if column in moved),
    )


def _rounded_number(value: Value) -> float | None:
    if isinstance(value, Estimate):
        value = value.value
    return None if isinstance(value, str | bool | None) else round(float(value), DECIMALS)


def _value_key(value: Value) -> str:
    return "" if value is None else str(value.value if isinstance(value, Estimate) else value)


WRITERS = {"csv": format_csv, "latex": format_latex, "markdown": format_markdown}


def format_printed_cells(
    output_format: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str | None,
    numeric: Sequence[int],
    best: Collection[tuple[int, int]] = (),
    second: Collection[tuple[int, int]] = (),
) -> str:
    """The table of cells as they are shown, ended by an empty line, since another may follow."""
    table = Table(
        tuple(columns),
        tuple(columns),
        tuple(tuple(row) for row in rows),
        title or "",
        frozenset(best),
        frozenset(second),
        right=frozenset(numeric),
    )
    return WRITERS[output_format](table) + "\n"
