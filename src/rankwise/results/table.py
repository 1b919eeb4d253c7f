"""The long table of results: one row a fact, columns as flat arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.tabular import Rows, Tabular

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
                column.append(_number(cell, number) if name == "value" else _text(cell))
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
            raise RankwiseError(f"a result table has no column {unknown[0]!r}; {_KNOWN}")
        values = np.asarray(value, dtype=np.float64)
        texts = {"collection": collection, "dataset": dataset, "method": method, "measure": measure}
        columns: dict[str, Any] = {name: _texts(column) for name, column in texts.items()}
        for name in OPTIONAL_COLUMNS:
            columns[name] = _optional(optional.get(name), len(values))
        return cls(value=values, seeds=_texts(seeds), **columns)

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
        return _texts([full_name(collection, dataset) for collection, dataset in pairs])

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
        from rankwise.results.folds import average_folds

        return average_folds(self, partial)

    @cached_property
    def _codes(self) -> Codes:
        return Codes(
            _coded(self.method, self.methods()),
            _coded(self.dataset_names, self.datasets()),
            _coded(self.measure, self.measures()),
        )

    def _matching(self, conditions: Mapping[str, Condition]) -> NDArray[np.bool_]:
        chosen = np.ones(len(self), dtype=bool)
        for name, condition in conditions.items():
            if name not in COLUMNS:
                raise RankwiseError(f"a result table has no column {name!r}; {_KNOWN}")
            if name == "dataset" and not callable(condition):
                chosen &= self._is_dataset(_allowed(condition))
            else:
                chosen &= _matches(getattr(self, name), condition)
        return chosen

    def _is_dataset(self, names: set[Any]) -> NDArray[np.bool_]:
        full = names & set(self.datasets())
        return _matches(self.dataset_names, full) | _matches(self.dataset, names - full)


def full_name(collection: str, dataset: str) -> str:
    """The name of a data set with its collection, or alone where it belongs to none."""
    return f"{collection} {dataset}" if collection else dataset


_KNOWN = f"it has {', '.join(COLUMNS)}"


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
        raise RankwiseError(f"row {number}: a result has no column {unknown[0]!r}; {_KNOWN}")


def _number(cell: Any, number: int) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise RankwiseError(f"row {number}: the value must be a number, found {cell!r}") from None


def _text(cell: Any) -> str | None:
    return None if cell is None else str(cell)


def _texts(column: Sequence[Any]) -> Texts:
    texts = np.empty(len(column), dtype=object)
    texts[:] = column
    return texts


def _optional(column: Sequence[str | None] | None, length: int) -> Texts:
    # An empty text means the same as in files: the cell is not given, which is None here.
    if column is None:
        return np.full(length, None, dtype=object)
    return _texts([cell or None for cell in column])


def _coded(column: Texts, names: list[str]) -> NDArray[np.int64]:
    place = {name: number for number, name in enumerate(names)}
    codes = np.fromiter(map(place.__getitem__, column.tolist()), np.int64, len(column))
    codes.flags.writeable = False
    return codes


def _allowed(condition: Any) -> set[Any]:
    single = condition is None or isinstance(condition, str)
    return {condition} if single else set(condition)


def _matches(column: NDArray[Any], condition: Any) -> NDArray[np.bool_]:
    if callable(condition):
        matches = (bool(condition(cell)) for cell in column.tolist())
    elif isinstance(condition, int | float):
        return np.asarray(column == condition, dtype=bool)
    else:
        allowed = _allowed(condition)
        matches = (cell in allowed for cell in column.tolist())
    return np.fromiter(matches, bool, len(column))
