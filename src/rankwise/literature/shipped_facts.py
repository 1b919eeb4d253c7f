"""What is shipped of the literature: the tables with their sizes, and rows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.literature.shipped import SHIPPED, find_shipped, read_shipped, read_shipped_rows
from rankwise.measures.names import result_name


@dataclass(frozen=True)
class ShippedFacts:
    """A shipped table: what it holds, from which paper, how much, and what is wrong in it."""

    name: str
    title: str
    source: str
    kind: str
    rows: int
    methods: int
    remarks: tuple[str, ...]


def describe_shipped() -> list[ShippedFacts]:
    """All shipped tables, in their order."""
    found = []
    for table in SHIPPED:
        rows = read_shipped_rows(table.name)
        methods = len({row["method"] for row in rows})
        found.append(
            ShippedFacts(
                table.name, table.title, table.citation, table.kind, len(rows), methods,
                table.remarks,
            )
        )  # fmt: skip
    return found


def choose_rows(
    table: str,
    *,
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
    measures: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The rows of a shipped table that have what is asked for; all where nothing is."""
    known = find_shipped(table)
    asked = {
        "method": tuple(methods),
        "dataset": tuple(datasets),
        "measure": tuple(map(result_name, measures)),
    }
    conditions = {column: wanted for column, wanted in asked.items() if wanted}
    if known.kind == "results":
        rows = read_shipped(known.name).where(**conditions).rows()
    else:
        rows = read_shipped_rows(known.name)
        unknown = next((column for column in conditions if column not in rows[0]), None)
        if unknown is not None:
            raise RankwiseError(f"{table} has no column {unknown}; it has {', '.join(rows[0])}")
        rows = [row for row in rows if all(row[c] in wanted for c, wanted in conditions.items())]
    if not rows:
        raise RankwiseError(f"no row of {table} has what was asked for; see it without filters")
    return rows
