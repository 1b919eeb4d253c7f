"""Values query by query that were written before, as systems that paired tests compare.

They come from the rows of `rankwise evaluate --per-query --format csv`: tool, scores, measure,
query, value, where `scores` names the system and the row of the query `all` is a mean and not read;
or from a store, whose methods are systems: their values per query, and what cannot be compared.
Query tables are read from stores too: of a comparison, or of everything that a store holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.significance_tests.query_table import QueryTable
from rankwise.errors import Advice, FormatError, RankwiseError
from rankwise.files import readable
from rankwise.measures.measure import result_name
from rankwise.measures.tools.registry import find_tool
from rankwise.results.comparability import Rule, join_sentences
from rankwise.results.result_files import read_csv_rows
from rankwise.results.result_table import full_name
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import PairedSystems
from rankwise.results.task_records import Subject
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


Values = dict[str, dict[str, NDArray[np.float64]]]


def stored_values(
    store: str | Path,
    methods: Sequence[str],
    measures: Sequence[str],
    tool: str | None,
    dataset: str | None,
) -> tuple[str, Values, list[str]]:
    """The tool, values per query by measure and method, the baseline first, and remarks."""
    named = methods if len(methods) > 1 else ()
    rule: Rule = "everyone" if named else "most"
    with Store.read(store) as opened, opened.snapshot():
        subject, own = opened.find_subject(dataset)
        chosen = tool or own
        for one in measures:
            check_mean(one, find_tool(chosen).measure(one).average)
        _check_methods(store, methods, opened.methods(subject))
        found = {one: opened.paired(one, chosen, subject, named, rule) for one in measures}
        left_out = opened.remarks(subject)
    said = join_sentences({one: systems.sentences for one, systems in found.items()})
    values = {one: _chosen(store, systems, methods) for one, systems in found.items()}
    return chosen, values, [*left_out, *said, *_tell_means(found.values())]


def _tell_means(found: Iterable[PairedSystems]) -> list[str]:
    """That means over queries are no means over folds, where folds have different sizes."""
    for systems in found:
        sizes = systems.fold_sizes
        if len(set(sizes)) > 1:
            return [
                f"means here are over all {sum(sizes):,} queries; 'rankwise results show' has the "
                f"mean of the {len(sizes)} folds' means, which differs where folds differ in size "
                f"({min(sizes):,} to {max(sizes):,} queries)"
            ]
    return []


def check_mean(measure: str, average: str | None) -> None:
    """Refuse a measure that is no mean of values per query."""
    if average != "mean":
        raise RankwiseError(
            f"a paired test needs a measure that is the mean of its figures per query, "
            f"but {measure} is a {average} figure",
            Advice("choose another with {}", "measures"),
        )


def _check_methods(store: str | Path, methods: Sequence[str], there: Sequence[str]) -> None:
    for method in methods:
        if method not in there:
            raise RankwiseError(f"{store} has no method {method!r}; it has {', '.join(there)}")
        if methods.count(method) > 1:
            raise RankwiseError(f"each method must be named once, found {method!r} again")


def _chosen(
    store: str | Path, systems: PairedSystems, methods: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """The methods to compare: the baseline, which must be there, then the others that are."""
    if methods and methods[0] not in systems.values:
        lacking = systems.lacking.get(methods[0], "figures of this measure")
        raise RankwiseError(
            f"the baseline must have the folds of the others, but {methods[0]} lacks {lacking} in "
            f"{store}; finish the run, or name other methods"
        )
    if len(systems.values) < 2:
        raise RankwiseError(
            f"a comparison needs at least two methods with the same folds, {store} has one"
        )
    wanted = methods if len(methods) > 1 else (*methods, *systems.values)
    return {method: systems.values[method] for method in wanted if method in systems.values}


LEAST_METHODS = 2


def read_query_tables(comparison: Comparison) -> tuple[QueryTable, ...]:
    """Values per query of the methods and measures of a comparison, a table for each data set.

    Only stores keep them. Measures that are no means over queries are left out, and so are data
    sets on which fewer than two methods have the same queries.
    """
    found: dict[str, QueryTable] = {}
    there = set(comparison.table.methods())
    for path in comparison.stores:
        with Store.read(path) as store, store.snapshot():
            for subject, tool in _find_subjects(store).items():
                name = _find_name(comparison, subject)
                if name is None or name in found:
                    continue
                methods = [one for one in store.methods(subject) if one in there]
                short = name.removeprefix(f"{subject.collection} ")
                table = _read_table(store, subject, tool, methods, comparison.measures, short)
                if table is not None:
                    found[name] = table
    return tuple(found.values())


def read_store_tables(path: str | Path) -> dict[tuple[str, str | None], QueryTable]:
    """Values per query of all that a store holds, by the full name of a data set and its version.

    By each data set's own tool.
    """
    found = {}
    with Store.read(path) as store, store.snapshot():
        measures = list(dict.fromkeys(value.measure for value in store.values()))
        for subject, tool in _find_subjects(store).items():
            methods = store.methods(subject)
            table = _read_table(store, subject, tool, methods, measures, subject.dataset)
            if table is not None:
                name = full_name(subject.collection, subject.dataset)
                found[name, subject.version] = table
    return found


def _find_subjects(store: Store) -> dict[Subject, str]:
    """The data sets of a store, each with its own tool."""
    return {Subject.of(task.name): task.name.tool for task in store.tasks()}


def _find_name(comparison: Comparison, subject: Subject) -> str | None:
    """What the comparison calls the data set: versions stand apart where there are several."""
    plain = full_name(subject.collection, subject.dataset)
    forms = (f"{plain}, {subject.version}", plain) if subject.version else (plain,)
    there = set(comparison.table.datasets())
    return next((form for form in forms if form in there), None)


def _read_table(
    store: Store,
    subject: Subject,
    tool: str,
    methods: Sequence[str],
    measures: Sequence[str],
    name: str,
) -> QueryTable | None:
    """The table of one data set, or None where fewer than two methods can be compared."""
    if len(methods) < LEAST_METHODS:
        return None
    read: dict[str, PairedSystems] = {}
    for measure in measures:
        try:
            check_mean(measure, find_tool(tool).measure(measure).average)
            systems = store.paired(measure, tool, subject, methods)
        except RankwiseError:
            continue
        if len(systems.values) >= LEAST_METHODS:
            read[measure] = systems
    if not read:
        return None
    first = next(iter(read.values()))
    same = {key: each for key, each in read.items() if each.queries == first.queries}
    kept = [one for one in first.values if all(one in each.values for each in same.values())]
    return QueryTable(
        subject.collection,
        name,
        tool,
        tuple(kept),
        _name_queries(first.queries),
        {measure: _stack(each, kept) for measure, each in same.items()},
        tuple(dict.fromkeys(said for each in same.values() for said in each.sentences)),
    )


def _stack(systems: PairedSystems, methods: Sequence[str]) -> NDArray[np.float64]:
    return np.array([systems.values[method] for method in methods])


def _name_queries(queries: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The ids, with their folds where two folds have queries of one id."""
    ids = [query for _, query in queries]
    if len(set(ids)) == len(ids):
        return tuple(ids)
    return tuple(f"{query} (fold {fold})" for fold, query in queries)
