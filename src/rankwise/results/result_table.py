"""The long table of results: one row a fact, columns as flat arrays.

Its folds are averaged where that mean is comparable; tables are merged into one, with a rule for
values that disagree; versions of a data set, which have other features, are kept apart, so that
values on one are no rivals of another's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.entries import find_published_version
from rankwise.errors import Advice, RankwiseError
from rankwise.tables.notebook import Rows, Tabular

REQUIRED_COLUMNS = ("collection", "dataset", "method", "measure", "value")
OPTIONAL_COLUMNS = ("version", "fold", "tool", "source", "note")
COLUMNS = REQUIRED_COLUMNS + OPTIONAL_COLUMNS

Texts = NDArray[np.object_]
Condition = str | None | Collection[str | None] | Callable[[Any], bool]


class Codes(NamedTuple):
    """For each row, the positions of its method, data set and measure in `methods()`,
    `datasets()` and `measures()` of the same table."""

    method: NDArray[np.int64]
    dataset: NDArray[np.int64]
    measure: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ResultTable(Tabular):
    """Results in long form: a method's value of a measure on a data set, and where it comes from.

    The columns are read-only arrays of equal length. A cell of an optional column is None where
    the source does not give it. `tool` is the evaluation tool whose convention computed the value,
    `source` the study or run it was taken from. Every value is finite. A table may have several
    values for one method, data set and measure (folds, tools, studies); see `aggregate_folds` and
    `rankwise.results.keep_one_per_cell`.

    Two attributes are not columns, are not written to files and do not count for equality. `seeds`
    holds for each row the set of seeds that its value is the mean of, or None where that is not
    known; only results read from a store have them, and a comparison uses them to find runs that
    are not complete. `remarks` are sentences about what was left out when the table was read.
    """

    collection: Texts
    dataset: Texts
    method: Texts
    measure: Texts
    value: NDArray[np.float64]
    version: Texts
    fold: Texts
    tool: Texts
    source: Texts
    note: Texts
    seeds: Texts = field(default_factory=lambda: np.empty(0, dtype=object))
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.seeds):
            object.__setattr__(self, "seeds", np.full(len(self.value), None, dtype=object))
        for name in (*COLUMNS, "seeds"):
            dtype = np.float64 if name == "value" else np.object_
            column = np.asarray(getattr(self, name), dtype=dtype).view()
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        _check_columns(self)

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> ResultTable:
        """Make a table of `rows`; each has at least collection, dataset, method, measure, value.

        A value may be a number or its text. Raises RankwiseError naming the row (from 1) where a
        column is missing or unknown, or a value is not a finite number.
        """
        columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        for number, row in enumerate(rows, start=1):
            _check_keys(row, number)
            for name, column in columns.items():
                cell = row.get(name)
                column.append(_parse_value(cell, number) if name == "value" else _to_text(cell))
        return cls.from_columns(**columns)

    @classmethod
    def from_columns(
        cls,
        collection: Sequence[str],
        dataset: Sequence[str],
        method: Sequence[str],
        measure: Sequence[str],
        value: Sequence[float] | NDArray[np.float64],
        *,
        seeds: Sequence[frozenset[int] | None] = (),
        **optional: Sequence[str | None] | None,
    ) -> ResultTable:
        """Make a table of whole columns; optional columns that are not given are all None."""
        unknown = sorted(set(optional) - set(OPTIONAL_COLUMNS))
        if unknown:
            raise RankwiseError(f"a result table has no column {unknown[0]!r}; {_KNOWN_COLUMNS}")
        values = np.asarray(value, dtype=np.float64)
        texts = {"collection": collection, "dataset": dataset, "method": method, "measure": measure}
        columns: dict[str, Any] = {name: _make_texts(column) for name, column in texts.items()}
        for name in OPTIONAL_COLUMNS:
            columns[name] = _make_optional(optional.get(name), len(values))
        return cls(value=values, seeds=_make_texts(seeds), **columns)

    @classmethod
    def empty(cls) -> ResultTable:
        """A table without rows."""
        return cls.from_rows(())

    def __len__(self) -> int:
        return len(self.value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ResultTable):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in COLUMNS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"ResultTable({len(self)} results, {len(self.methods())} methods, "
            f"{len(self.datasets())} data sets, {len(self.measures())} measures)"
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The required columns, and those optional ones that have a value in any row."""
        used = (name for name in OPTIONAL_COLUMNS if (getattr(self, name) != None).any())  # noqa: E711
        return REQUIRED_COLUMNS + tuple(used)

    def rows(self) -> list[dict[str, Any]]:
        """Every row as a dictionary with the keys of `columns`."""
        names, rows = self._table()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _table(self) -> Rows:
        cells = [getattr(self, name).tolist() for name in self.columns]
        return self.columns, zip(*cells, strict=True)

    @cached_property
    def dataset_names(self) -> Texts:
        """For each row the full name of its data set, such as "LETOR 3.0 TD2004"."""
        pairs = zip(self.collection.tolist(), self.dataset.tolist(), strict=True)
        return _make_texts([full_name(collection, dataset) for collection, dataset in pairs])

    def methods(self) -> list[str]:
        """The methods in order of first appearance."""
        return list(dict.fromkeys(self.method.tolist()))

    def datasets(self) -> list[str]:
        """The full names of the data sets in order of first appearance."""
        return list(dict.fromkeys(self.dataset_names.tolist()))

    def measures(self) -> list[str]:
        """The measures in order of first appearance."""
        return list(dict.fromkeys(self.measure.tolist()))

    def display_names(self) -> dict[str, str]:
        """The shortest unambiguous name of each data set, by full name.

        "LETOR 3.0 HP2003" becomes "HP2003"; "LETOR 3.0 OHSUMED" keeps its collection where the
        table has an OHSUMED of another collection too.
        """
        short = dict(zip(self.dataset_names.tolist(), self.dataset.tolist(), strict=True))
        names = list(short.values())
        return {full: name if names.count(name) == 1 else full for full, name in short.items()}

    def codes(self) -> Codes:
        """Integer codes of method, data set (by full name) and measure per row."""
        return self._codes

    def select(
        self, predicate: Callable[[dict[str, Any]], bool] | None = None, **conditions: Condition
    ) -> ResultTable:
        """The rows that satisfy `predicate(row)` and every condition.

        A condition is given by the name of a column: a cell, a collection of cells, or a function
        of a cell. `dataset` takes full names, and short ones where no data set has that full name.
        """
        chosen = self._matching(conditions)
        if predicate is not None:
            chosen &= np.fromiter((bool(predicate(row)) for row in self.rows()), bool, len(self))
        return self.take(chosen)

    def where(self, **conditions: Condition) -> ResultTable:
        """The rows that satisfy every condition; conditions as in `select`."""
        return self.take(self._matching(conditions))

    def without(self, **conditions: Condition) -> ResultTable:
        """The rows that `where` with the same conditions leaves out."""
        return self.take(~self._matching(conditions))

    def take(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> ResultTable:
        """The rows of a mask or of row numbers, in that order."""
        chosen = {name: getattr(self, name)[rows] for name in COLUMNS}
        return ResultTable(**chosen, seeds=self.seeds[rows], remarks=self.remarks)

    def aggregate_folds(self, partial: bool = False) -> ResultTable:
        """One row per method, data set, version, measure, tool and source: the mean over folds.

        Rows without a fold stay as they are. Raises RankwiseError where a fold appears twice,
        where a table has both the mean and its folds, and, unless `partial`, where two methods
        were run on different folds of one data set: their means would not be comparable.
        """

        return average_folds(self, partial)

    @cached_property
    def _codes(self) -> Codes:
        return Codes(
            _encode(self.method, self.methods()),
            _encode(self.dataset_names, self.datasets()),
            _encode(self.measure, self.measures()),
        )

    def _matching(self, conditions: Mapping[str, Condition]) -> NDArray[np.bool_]:
        chosen = np.ones(len(self), dtype=bool)
        for name, condition in conditions.items():
            if name not in COLUMNS:
                raise RankwiseError(f"a result table has no column {name!r}; {_KNOWN_COLUMNS}")
            if name == "dataset" and not callable(condition):
                chosen &= self._is_dataset(_list_allowed(condition))
            else:
                chosen &= _find_matches(getattr(self, name), condition)
        return chosen

    def _is_dataset(self, names: set[Any]) -> NDArray[np.bool_]:
        full = names & set(self.datasets())
        return _find_matches(self.dataset_names, full) | _find_matches(self.dataset, names - full)


def full_name(collection: str, dataset: str) -> str:
    """The name of a data set with its collection, or alone where it belongs to none."""
    return f"{collection} {dataset}" if collection else dataset


_KNOWN_COLUMNS = f"it has {', '.join(COLUMNS)}"


def _check_columns(table: ResultTable) -> None:
    lengths = {name: len(getattr(table, name)) for name in (*COLUMNS, "seeds")}
    wrong = [name for name, length in lengths.items() if length != len(table.value)]
    if wrong:
        raise RankwiseError(
            f"the columns of a result table must be of equal length: {wrong[0]} has "
            f"{lengths[wrong[0]]} rows, value has {len(table.value)}"
        )
    infinite = np.flatnonzero(~np.isfinite(table.value))
    if len(infinite):
        row = int(infinite[0])
        raise RankwiseError(
            f"row {row + 1}: the value must be a finite number, found {table.value[row]} "
            f"({table.method[row]} on {full_name(table.collection[row], table.dataset[row])})"
        )


def _check_keys(row: Mapping[str, Any], number: int) -> None:
    missing = [name for name in REQUIRED_COLUMNS if row.get(name) is None]
    if missing:
        raise RankwiseError(f"row {number}: a result must have a {missing[0]}, found none")
    unknown = [str(name) for name in row if name not in COLUMNS]
    if unknown:
        raise RankwiseError(
            f"row {number}: a result has no column {unknown[0]!r}; {_KNOWN_COLUMNS}"
        )


def _parse_value(cell: Any, number: int) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise RankwiseError(f"row {number}: the value must be a number, found {cell!r}") from None


def _to_text(cell: Any) -> str | None:
    return None if cell is None else str(cell)


def _make_texts(column: Sequence[Any]) -> Texts:
    texts = np.empty(len(column), dtype=object)
    texts[:] = column
    return texts


def _make_optional(column: Sequence[str | None] | None, length: int) -> Texts:
    # An empty text means the same as in files: the cell is not given, which is None here.
    if column is None:
        return np.full(length, None, dtype=object)
    return _make_texts([cell or None for cell in column])


def _encode(column: Texts, names: list[str]) -> NDArray[np.int64]:
    place = {name: number for number, name in enumerate(names)}
    codes = np.fromiter(map(place.__getitem__, column.tolist()), np.int64, len(column))
    codes.flags.writeable = False
    return codes


def _list_allowed(condition: Any) -> set[Any]:
    single = condition is None or isinstance(condition, str)
    return {condition} if single else set(condition)


def _find_matches(column: NDArray[Any], condition: Any) -> NDArray[np.bool_]:
    if callable(condition):
        matches = (bool(condition(cell)) for cell in column.tolist())
    elif isinstance(condition, int | float):
        return np.asarray(column == condition, dtype=bool)
    else:
        allowed = _list_allowed(condition)
        matches = (cell in allowed for cell in column.tolist())
    return np.fromiter(matches, bool, len(column))


_COMPARED_ON = ("collection", "dataset", "version", "measure", "tool")
_FOLDED_FACT = (*_COMPARED_ON, "method", "source")
_RowGroups = dict[tuple[Any, ...], list[int]]


def average_folds(table: ResultTable, partial: bool = False) -> ResultTable:
    """One row per fact, in order of first appearance; see `ResultTable.aggregate_folds`."""
    facts = group_rows(table, _FOLDED_FACT)
    folded = {
        key: rows for key, rows in facts.items() if any(table.fold[row] is not None for row in rows)
    }
    if not folded:
        return table
    for rows in folded.values():
        _check_folds(table, rows)
    if not partial:
        _check_same_folds(table, folded)
    groups = [
        group
        for key, rows in facts.items()
        for group in ([rows] if key in folded else [[row] for row in rows])
    ]
    means = average_groups(table, groups)
    notes = np.array([_find_shared_note(table, group) for group in groups], dtype=object)
    return replace(means, fold=np.full(len(groups), None, dtype=object), note=notes)


def group_rows(table: ResultTable, names: tuple[str, ...]) -> _RowGroups:
    """The rows that have the same cells in the columns of these names, by those cells."""
    groups: _RowGroups = defaultdict(list)
    columns = (getattr(table, name).tolist() for name in names)
    for row, key in enumerate(zip(*columns, strict=True)):
        groups[key].append(row)
    return groups


def average_groups(table: ResultTable, groups: Sequence[list[int]]) -> ResultTable:
    """The first row of each group, with the mean of the values of the group and no seeds."""
    firsts = table.take(np.array([group[0] for group in groups], dtype=np.int64))
    values = np.array([table.value[group].mean() for group in groups], dtype=np.float64)
    return replace(firsts, value=values, seeds=np.full(len(groups), None, dtype=object))


def _check_folds(table: ResultTable, rows: list[int]) -> None:
    folds = [table.fold[row] for row in rows]
    if None in folds:
        raise RankwiseError(
            f"{_describe_result(table, rows[0])} must have either folds or their mean, found both "
            f"(folds {_list_folds(set(folds) - {None})} and a row without one); remove one of them"
        )
    twice = next((fold for fold in folds if folds.count(fold) > 1), None)
    if twice is not None:
        values = " and ".join(str(table.value[row]) for row in rows if table.fold[row] == twice)
        raise RankwiseError(
            f"{_describe_result(table, rows[0])} must have one result per fold, found {values} "
            f"for fold {twice}; remove all but one"
        )


def _check_same_folds(table: ResultTable, folded: _RowGroups) -> None:
    seen: _RowGroups = {}
    for key, rows in folded.items():
        first = seen.setdefault(key[: len(_COMPARED_ON)], rows)
        here, there = ({table.fold[row] for row in group} for group in (rows, first))
        if here != there:
            raise RankwiseError(
                f"means over folds are comparable only over the same folds: "
                f"{_describe_result(table, rows[0])} has folds {_list_folds(here)}, "
                f"{table.method[first[0]]} has {_list_folds(there)}; add the missing folds or "
                f"leave one of the methods out"
            )


def _find_shared_note(table: ResultTable, rows: list[int]) -> str | None:
    notes = {table.note[row] for row in rows}
    return notes.pop() if len(notes) == 1 else None


def _describe_result(table: ResultTable, row: int) -> str:
    return f"{table.measure[row]} of {table.method[row]} on {table.dataset_names[row]}"


def _list_folds(folds: set[Any]) -> str:
    return ", ".join(sorted(folds))


Conflicts = Literal["error", "first", "last", "mean"]

_MERGED_FACT = ("dataset_names", "method", "measure", "version", "fold", "tool")
_COMPARED_CELL = ("dataset_names", "method", "measure")


def merge_results(
    tables: Iterable[ResultTable],
    conflicts: Conflicts = "error",
    names: Sequence[str] | None = None,
) -> ResultTable:
    """All rows of `tables`, one per method, data set, measure, version, fold and tool.

    Rows that agree are kept once, the first of them. Where values differ, `error` raises naming
    both values and their sources, `first` and `last` keep one, `mean` averages them and joins
    their sources. `names` are what to call tables whose rows name no source: those of files, say.
    """
    parts = list(tables)
    called = names if names is not None else [f"table {n + 1}" for n in range(len(parts))]
    ends = np.cumsum([len(part) for part in parts])

    def origin(row: int) -> str:
        part = int(np.searchsorted(ends, row, side="right"))
        return f"{called[part]}, row {row - int(ends[part]) + len(parts[part]) + 1}"

    return _resolve_conflicts(stack_results(parts), _MERGED_FACT, conflicts, origin)


def stack_results(tables: Sequence[ResultTable]) -> ResultTable:
    """All rows of `tables`, one table after another, with nothing resolved."""
    if not tables:
        return ResultTable.empty()
    columns = {
        name: np.concatenate([getattr(table, name) for table in tables])
        for name in (*COLUMNS, "seeds")
    }
    remarks = dict.fromkeys(remark for table in tables for remark in table.remarks)
    return ResultTable(**columns, remarks=tuple(remarks))


def keep_one_per_cell(table: ResultTable, conflicts: Conflicts = "error") -> ResultTable:
    """At most one row per method, data set and measure, whatever the version, tool or source.

    A comparison needs this. Average the folds first (`ResultTable.aggregate_folds`).
    """
    return _resolve_conflicts(table, _COMPARED_CELL, conflicts, lambda row: f"row {row + 1}")


def _resolve_conflicts(
    table: ResultTable, key: tuple[str, ...], conflicts: Conflicts, origin: Callable[[int], str]
) -> ResultTable:
    if conflicts not in get_args(Conflicts):
        raise RankwiseError(
            f"the rule for conflicts must be one of {', '.join(get_args(Conflicts))}, "
            f"found {conflicts!r}"
        )
    groups = list(group_rows(table, key).values())
    if len(groups) == len(table):
        return table
    if conflicts == "error":
        _refuse_conflicts(table, groups, origin)
    if conflicts == "mean":
        means = average_groups(table, groups)
        sources, notes = (_join_texts(column, groups) for column in (table.source, table.note))
        return replace(means, source=sources, note=notes)
    chosen = [group[-1 if conflicts == "last" else 0] for group in groups]
    return table.take(np.array(chosen, dtype=np.int64))


def _refuse_conflicts(
    table: ResultTable, groups: Iterable[list[int]], origin: Callable[[int], str]
) -> None:
    values = table.value.tolist()
    differing = [group for group in groups if len({values[row] for row in group}) > 1]
    if not differing:
        return
    first, *_ = group = differing[0]
    other = next(row for row in group if table.value[row] != table.value[first])
    found = " and ".join(
        f"{table.value[row]:g} ({table.source[row] or origin(row)})" for row in (first, other)
    )
    more = f" (and {len(differing) - 1} more such conflicts)" if len(differing) > 1 else ""
    raise RankwiseError(
        f"{table.measure[first]} of {table.method[first]} on {table.dataset_names[first]} must "
        f"have one value, found {found}{more}",
        Advice("remove one"),
        Advice("choose a rule: {}", "conflicts", ("first", "last", "mean")),
    )


def _join_texts(column: NDArray[np.object_], groups: list[list[int]]) -> NDArray[np.object_]:
    texts = [" | ".join(dict.fromkeys(t for t in column[group] if t)) or None for group in groups]
    joined = np.empty(len(texts), dtype=object)
    joined[:] = texts
    return joined


def separate_versions(table: ResultTable) -> ResultTable:
    """Data sets that stand in several versions become one data set each: `OHSUMED, MIN`.

    Figures that name no version are of the one that published figures are of, by the catalogue,
    where the table has it.
    """
    full = table.dataset_names.tolist()
    subjects = dict(zip(full, zip(table.collection, table.dataset, strict=True), strict=True))
    published = {name: find_published_version(*subject) for name, subject in subjects.items()}
    named_versions = set(zip(full, table.version.tolist(), strict=True))
    versions = [
        version or (published[name] if (name, published[name]) in named_versions else None)
        for name, version in zip(full, table.version.tolist(), strict=True)
    ]
    there: dict[str, set[str | None]] = {}
    for name, version in zip(full, versions, strict=True):
        there.setdefault(name, set()).add(version)
    named = [
        f"{dataset}, {version}" if version and len(there[name]) > 1 else dataset
        for name, dataset, version in zip(full, table.dataset.tolist(), versions, strict=True)
    ]
    return replace(table, dataset=np.array(named, dtype=object))


def separate_versions_of(own: ResultTable, other: ResultTable) -> tuple[ResultTable, ResultTable]:
    """Separate the versions of two tables together, so that both name their data sets alike."""
    together = separate_versions(stack_results([own, other]))
    rows = np.arange(len(together))
    return together.take(rows[: len(own)]), together.take(rows[len(own) :])


def name_unversioned(table: ResultTable) -> dict[str, str]:
    """Every data set of the table with the name that it has without its version.

    The reverse of `separate_versions`: `OHSUMED, MIN` and `OHSUMED, NULL` are both `OHSUMED`.
    """
    names = {name: name for name in table.datasets()}
    pairs = zip(table.dataset_names.tolist(), table.version.tolist(), strict=True)
    for name, version in dict.fromkeys(pairs):
        if version:
            names[name] = name.removesuffix(f", {version}")
    return names
