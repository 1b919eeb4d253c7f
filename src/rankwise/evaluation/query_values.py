"""Values per query that were written before, as systems that paired tests compare.

The rows are those of `rankwise evaluate --per-query --format csv`: tool, scores, measure, query,
value. `scores` names the system; the row of the query `all` is a mean and not read.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import Advice, FormatError, RankwiseError
from rankwise.evaluation.stored_systems import Values
from rankwise.files import readable
from rankwise.measures.names import result_name

COLUMNS = ("tool", "scores", "measure", "query", "value")
MEAN = "all"


def has_query_values(data: Any) -> bool:
    """Whether something is a frame or a CSV file with such columns."""
    if hasattr(data, "columns"):
        return set(COLUMNS) <= {str(name) for name in data.columns}
    if not isinstance(data, str | Path) or Path(data).suffix.lower() != ".csv":
        return False
    with readable(Path(data)) as stream:
        header = stream.readline(1000).decode("utf-8", "replace")
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
    for row in rows:
        if row["tool"] == chosen and row["query"] != MEAN:
            own = found.setdefault(result_name(row["measure"]), {}).setdefault(row["scores"], {})
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
    return {
        name: np.array([there[key].get(query, np.nan) for query in queries])
        for name, key in named.items()
    }


def _match(name: str, there: Mapping[str, Any]) -> str:
    """A system by its name as written, or by the name of its file alone."""
    alike = [one for one in there if name in (one, Path(one).name, Path(one).stem)]
    if len(alike) != 1:
        raise RankwiseError(f"there must be one system called {name!r}, found {', '.join(there)}")
    return alike[0]


def _read_number(text: str, data: Any) -> float:
    try:
        return float(text)
    except ValueError:
        where = data if isinstance(data, str | Path) else "the data frame"
        raise RankwiseError(f"{where}: a value must be a number, found {text[:40]!r}") from None


def _read_rows(data: Any) -> Iterable[dict[str, str]]:
    if hasattr(data, "columns"):
        columns = [[str(cell) for cell in data[name].to_list()] for name in COLUMNS]
        yield from (dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, strict=True))
        return
    with readable(Path(data)) as stream:
        content = stream.read()
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise FormatError("the file must be UTF-8 text; save it as UTF-8", data, None) from None
    for number, row in enumerate(csv.DictReader(lines), start=2):
        if None in row.values() or None in row:
            raise FormatError("every row must have the cells of the header", data, number)
        yield row
