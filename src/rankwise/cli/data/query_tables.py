"""What `rankwise data check` prints of empty and short queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.cli.output import print_table

if TYPE_CHECKING:
    from rankwise.evaluation import QueryCheck, ToolEffect

_MOST_NAMED = 5


def print_query_check(found: QueryCheck) -> None:
    """The empty and short queries of each file, then what the tools make of them."""
    print_table(
        ("where", "queries", "empty", f"fewer than {found.cutoff} documents"),
        [(p.where, p.queries, _name(p.empty), _name(p.short)) for p in found.found],
        numeric=(1,),
    )
    print_table(
        ("measure", "tools", "an empty query scores", "a short one", "a perfect ranking"),
        _group(found.list_effects()),
        numeric=(4,),
        unbroken=(0, 4),
    )


def _name(ids: tuple[str, ...]) -> str:
    """How many, and the first of them."""
    if not ids:
        return "0"
    more = ", …" if len(ids) > _MOST_NAMED else ""
    return f"{len(ids)} ({', '.join(ids[:_MOST_NAMED])}{more})"


def _group(effects: list[ToolEffect]) -> list[tuple[str, ...]]:
    """One row for the tools that do the same."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for one in effects:
        best = "none" if one.best_mean is None else f"{one.best_mean:.4f}"
        alike.setdefault((one.measure, one.empty, one.short, best), []).append(one.tool)
    return [
        (measure, ", ".join(tools), empty, short, best)
        for (measure, empty, short, best), tools in alike.items()
    ]
