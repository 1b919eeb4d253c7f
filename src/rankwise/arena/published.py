"""Published figures of a task's data set, to stand beside its board."""

from __future__ import annotations

from rankwise.arena.entry import Cost
from rankwise.arena.task import ArenaTask
from rankwise.arena.views import BoardRow
from rankwise.measures.names import result_name
from rankwise.results.published.published_tables import read_shipped

NOTE = "on all queries of the data set, which are not those of this board"
TABLES = ("tax2015_results", "modern_results")


def list_published(task: ArenaTask, measure: str) -> list[BoardRow]:
    """Published figures of the same data set and measure; whose queries nobody knows here."""
    found: dict[tuple[str, str], BoardRow] = {}
    for name in TABLES:
        table = read_shipped(name).where(
            collection=task.collection, dataset=task.dataset, measure=result_name(measure)
        )
        for row in table.rows():
            key = str(row["method"]), str(row["source"] or "")
            found.setdefault(key, _row(key, float(row["value"])))
    return list(found.values())


def _row(key: tuple[str, str], value: float) -> BoardRow:
    return BoardRow(
        entry="",
        name=key[0],
        team=key[1],
        kind="published",
        value=value,
        low=float("nan"),
        high=float("nan"),
        groups=(),
        best=False,
        cost=Cost(),
        front=False,
        submitted="",
        note=NOTE,
    )
