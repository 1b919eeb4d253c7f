"""Values per query that were written before, as systems that paired tests compare.

The rows are those of `rankwise evaluate --per-query --format csv`: tool, scores, measure, query,
value. `scores` names the system; the row of the query `all` is a mean and not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import Advice, FormatError, RankwiseError
from rankwise.evaluation.stored_systems import Values
from rankwise.files import readable
from rankwise.measures.names import result_name
from rankwise.results.result_files import read_csv_rows
from rankwise.tables.notebook import shortened

COLUMNS = ("tool", "scores", "measure", "query", "value")
MEAN = "all"


def has_query_values(data: Any) -> bool:
    """Whether something is a frame or a CSV file with such columns."""
    if hasattr(data, "columns"):
        return set(COLUMNS) <= {str(name) for name in data.columns}
    if not isinstance(data, str | Path) or Path(data).suffix.lower() != ".csv":
        return False
    with readable(Path(data)) as stream:
        header = stream.readline(1000).decode("utf-8-sig", "replace")
    return set(COLUMNS) <= {cell.strip() for cell in header.split(",")}


def read_query_values(
    data: Any, systems: Sequence[str], measures: Sequence[str], tool: str | None
) -> tuple[str, Values]:
    """The tool, and values per query by measure and system, the baseline first.

    All systems where none is named. Figures of several tools are no pairs: `tool` chooses one.
    """
    rows = list(_read_rows(data))
    tools = list(dict.fromkeys(row["tool"] for row in rows))
    if tool is None and len(tools) > 1:
        raise RankwiseError(
            f"paired values must be of one tool, found {', '.join(tools)}",
            Advice("choose one with {}", "tool"),
        )
    chosen = tool or (tools[0] if tools else "")
    found: dict[str, dict[str, dict[str, float]]] = {}
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        if row["tool"] != chosen:
            continue
        key = (result_name(row["measure"]), row["scores"], row["query"])
        if key in seen:
            raise _come_back(row, data)
        seen.add(key)
        if row["query"] != MEAN:
            own = found.setdefault(key[0], {}).setdefault(row["scores"], {})
            own[row["query"]] = _read_number(row["value"], data)
    return chosen, {measure: _pair(found, measure, systems) for measure in measures}


def _pair(
    found: Mapping[str, Mapping[str, Mapping[str, float]]], measure: str, systems: Sequence[str]
) -> dict[str, Any]:
    there = found.get(result_name(measure))
    if there is None:
        known = ", ".join(found) or "none"
        raise RankwiseError(f"the values per query must be of {measure}, found those of {known}")
    named = {name: _match(name, there) for name in systems} or {name: name for name in there}
    if len(named) < 2:
        raise RankwiseError(f"a comparison needs two systems, found {', '.join(there)}")
    queries = list(dict.fromkeys(query for key in named.values() for query in there[key]))
    values = {
        name: np.array([there[key].get(query, np.nan) for query in queries])
        for name, key in named.items()
    }
    for place, query in enumerate(queries):
        lacking = [name for name, own in values.items() if np.isnan(own[place])]
        if 0 < len(lacking) < len(named):
            raise RankwiseError(
                f"all systems must have a value of {measure} for the same queries, found none of "
                f"{lacking[0]} for query {query!r}"
            )
    return values


def _match(name: str, there: Mapping[str, Any]) -> str:
    """A system by its name as written, or by the name of its file alone."""
    alike = [one for one in there if name in (one, Path(one).name, Path(one).stem)]
    if len(alike) != 1:
        raise RankwiseError(f"there must be one system called {name!r}, found {', '.join(there)}")
    return alike[0]


def _come_back(row: Mapping[str, str], data: Any) -> RankwiseError:
    """Of two values the last would be taken; a query that is called `all` looks like the mean."""
    return RankwiseError(
        f"{_where(data)}: a query must have one value, found another {row['measure']} of "
        f"{row['scores']!r} for query {row['query']!r}; remove one of them"
    )


def _read_number(text: str, data: Any) -> float:
    try:
        return float(text)
    except ValueError:
        raise RankwiseError(
            f"{_where(data)}: a value must be a number, found {text[:40]!r}"
        ) from None


def _where(data: Any) -> str:
    return str(data) if isinstance(data, str | Path) else "the data frame"


def _read_rows(data: Any) -> Iterable[dict[str, str]]:
    if hasattr(data, "columns"):
        columns = [[str(cell) for cell in data[name].to_list()] for name in COLUMNS]
        yield from (dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, strict=True))
        return
    lines = read_csv_rows(data, ",")
    line, header = next(lines, (1, []))
    names = [cell.strip() for cell in header]
    if len(set(names)) < len(names) or not set(COLUMNS) <= set(names):
        raise FormatError(
            f"the header must have each of {', '.join(COLUMNS)} once, found "
            f"{shortened(', '.join(names))}",
            data,
            line,
        )
    for _, cells in lines:
        yield dict(zip(names, cells, strict=True))
