"""Tables in characters: beside the library whose look they have, and where that look ends."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rankwise.tables.terminal import Column, Look, display_width, lay_out

WORDS = ("NDCG@10", "a", "0.4832", "-1.25e-07", "queries", "of", "Reciprocal", "x" * 45, "é")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)


def rich_lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], title: str | None, width: int
) -> list[str]:
    """The same table by rich, with the settings that these tables stand for."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=None if title is None else Text(title),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        show_header=any(column.title for column in columns),
    )
    for place, column in enumerate(columns):
        texts = [*column.title.split(), *(row[place] for row in rows)]
        table.add_column(
            Text(column.title),
            justify="right" if column.is_numeric else "left",
            overflow="ellipsis" if column.is_unbroken else "fold",
            no_wrap=column.is_unbroken,
            min_width=min(max(map(len, texts), default=0), 16) if column.is_numeric else None,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    printed = io.StringIO()
    Console(file=printed, width=width, highlight=False).print(table)
    return printed.getvalue().splitlines()


@st.composite
def tables(draw, texts=TEXTS):
    count = draw(st.integers(1, 6))
    columns = [
        Column(draw(texts), draw(st.booleans()), draw(st.integers(0, 3)) == 0) for _ in range(count)
    ]
    rows = draw(st.lists(st.lists(texts, min_size=count, max_size=count), max_size=5))
    return columns, rows, draw(st.none() | texts)


@given(tables(), st.sampled_from([60, 80, 100, 133, 400]))
@example(([Column("a", True, True)], [["x" * 90]], "x " * 50), 80)
def test_tables_look_as_richs_do(table, width) -> None:
    columns, rows, title = table
    assume(rows or any(column.title for column in columns))
    assert lay_out(columns, rows, title, Look(width)) == rich_lines(columns, rows, title, width)


WIDE = st.lists(st.sampled_from([*WORDS, "排序", "e\u0301"]), max_size=5).map(" ".join)


@given(tables(WIDE))
def test_wide_characters_and_marks_take_their_places(table) -> None:
    columns, rows, title = table
    assume(rows or any(column.title for column in columns))
    assert lay_out(columns, rows, title, Look(1000)) == rich_lines(columns, rows, title, 1000)
    assert display_width("排序e\u0301") == 2 + 2 + 1


def test_a_cell_of_several_lines_is_as_many_lines() -> None:
    columns = [Column("a", False, False), Column("b", True, True)]
    assert [line.rstrip() for line in lay_out(columns, [["x\ny", "1"]], None, Look(80))] == [
        "",
        "  a   b",
        " ───────",
        "  x   1",
        "  y",
        "",
    ]


def test_no_name_from_a_file_can_steer_the_terminal() -> None:
    lines = lay_out([Column("\x1b[31ma", False, False)], [["b\x07\r\x9b2J"]], "\x1b]0;c", Look(80))
    shown = ["\\x1b]0;c", "", "\\x1b[31ma", "─" * 15, "b\\x07\\r\\x9b2J", ""]
    assert [line.strip() for line in lines] == shown


def test_titles_are_marked_and_nothing_else() -> None:
    look = Look(80, mark_title=lambda text: f"<{text}>", mark_heading=lambda text: f"[{text}]")
    lines = lay_out([Column("name", False, False)], [["x"]], "T", look)
    assert lines == ["<T       >", " " * 8, "[  name  ]", " ────── ", "  x     ", " " * 8]


@pytest.mark.parametrize("width", [1, 2, 3, 5, 10])
def test_a_terminal_without_room_still_gets_its_lines(width) -> None:
    columns = [Column("name of it", False, False), Column("0", True, True)]
    lines = lay_out(columns, [["some words", "0.123456789"]], "A title", Look(width))
    assert lines
    assert max(map(display_width, lines)) <= width


def test_a_terminal_of_few_characters_has_a_rule_that_it_can_show() -> None:
    lines = lay_out([Column("a", False, False)], [["b"]], None, Look(80, "-"))
    assert all(line.isascii() for line in lines)
