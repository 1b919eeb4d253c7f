"""What a command prints as a table, as CSV, LaTeX or Markdown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.reports import Table, format_csv, format_latex, format_markdown

WRITERS = {"csv": format_csv, "latex": format_latex, "markdown": format_markdown}


def make_text(
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
