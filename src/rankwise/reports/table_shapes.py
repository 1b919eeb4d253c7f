"""Tables brought into shape for a page: the best marked, columns chosen, broken up, turned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rankwise.errors import RankwiseError
from rankwise.files import did_you_mean
from rankwise.reports.table_formats import Estimate, Place, Table, Value, format_cell

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
        values = {row: _number(cells[column]) for row, cells in enumerate(table.rows)}
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
            table = _take(table, range(1, len(table.keys)))
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
    return _take(table, places)


def break_up(table: Table, most: int) -> list[Table]:
    """Tables of at most `most` columns beside the first, which each repeats."""
    if most < 1:
        raise RankwiseError("a table must have at least one column beside its first, found 0")
    rest = range(1, len(table.keys))
    parts = [list(rest[start : start + most]) for start in range(0, len(rest), most)]
    return [_take(table, [0, *part]) for part in parts] or [table]


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


def _take(table: Table, places: Sequence[int]) -> Table:
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


def _number(value: Value) -> float | None:
    if isinstance(value, Estimate):
        value = value.value
    return None if isinstance(value, str | bool | None) else round(float(value), DECIMALS)


def _value_key(value: Value) -> str:
    return "" if value is None else str(value.value if isinstance(value, Estimate) else value)
