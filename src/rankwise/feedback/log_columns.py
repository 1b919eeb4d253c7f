"""From the columns of a table to a click log: sessions, documents, positions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn
from rankwise.errors import Advice, GuessRemark, RankwiseError
from rankwise.feedback.log import ClickLog, name_documents

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# What is estimated for every position takes memory for the last one.
LAST_POSITION = 1 << 20


@dataclass(frozen=True, eq=False)
class CodedTexts:
    """A column of texts in which few are repeated often: names, and the number of each row's."""

    codes: Integers
    names: Sequence[str]

    @classmethod
    def of(cls, texts: NDArray[Any]) -> CodedTexts:
        """From one text a row."""
        names, codes = np.unique(texts, return_inverse=True)
        return cls(codes.astype(np.int64), [str(name) for name in names])

    def at(self, rows: Integers) -> list[str]:
        """The texts of these rows."""
        return [self.names[code] for code in self.codes[rows].tolist()]


@dataclass(frozen=True, eq=False)
class LogColumns:
    """The columns of a log as a table has them, one entry an impression.

    Attributes:
        queries, documents: their names.
        positions: from 1.
        clicks: 0 or 1.
        sessions: what impressions of one session share; None where the table does not say.
        times: when the session was.
        features: by name, where the table has them.
    """

    queries: CodedTexts
    documents: CodedTexts
    positions: Floats
    clicks: Floats
    sessions: CodedTexts | None = None
    times: Floats | None = None
    features: Mapping[str, Floats] = field(default_factory=dict)


def log_of_columns(columns: LogColumns, dataset: Dataset | None = None) -> ClickLog:
    """The log; documents are those of `dataset`, else what the log itself shows of them.

    Impressions belong to one session where they share its name; without such a column, where they
    share query and time; without times, until the query changes or the position does not rise.
    """
    _refuse_values(columns)
    judged = dataset is not None
    if dataset is None:
        dataset, rows = _own_documents(columns)
    else:
        rows = _known_documents(columns, dataset)
    sessions = _number_sessions(columns)
    order = np.lexsort((columns.positions, sessions))
    sessions, rows = sessions[order], rows[order]
    starts = np.flatnonzero(np.diff(sessions, prepend=-1))
    offsets = np.append(starts, len(sessions))
    try:
        return ClickLog(
            dataset,
            dataset.query_of_rows[rows[starts]],
            offsets,
            rows,
            columns.positions[order].astype(np.int64),
            columns.clicks[order].astype(np.uint8),
            None if columns.times is None else columns.times[order][starts],
            judged,
        )
    except RankwiseError as error:
        if columns.sessions is not None:
            raise
        raise error.advised(Advice("tell lists apart by a column 'session'")) from None


def _refuse_values(columns: LogColumns) -> None:
    positions, clicks = columns.positions, columns.clicks
    if len(positions) == 0:
        raise RankwiseError("a click log must have at least one row, found none")
    whole = (positions >= 1.0) & (positions <= LAST_POSITION) & (positions == np.floor(positions))
    wrong = np.flatnonzero(~whole)
    if len(wrong):
        raise RankwiseError(
            f"positions must be whole numbers from 1 to {LAST_POSITION:,}, found "
            f"{positions[wrong[0]]:g} in row {wrong[0] + 1}"
        )
    wrong = np.flatnonzero((clicks != 0.0) & (clicks != 1.0))
    if len(wrong):
        raise RankwiseError(
            f"clicks must be 0 or 1, found {clicks[wrong[0]]:g} in row {wrong[0] + 1}"
        )


def _number_sessions(columns: LogColumns) -> Integers:
    """A number for every impression, the same within a session, rising in order of appearance."""
    queries = columns.queries.codes
    if columns.sessions is not None:
        return _in_order(columns.sessions.codes * (queries.max() + 1) + queries)
    if columns.times is not None:
        times = np.unique(columns.times, return_inverse=True)[1].astype(np.int64)
        return _in_order(times * (queries.max() + 1) + queries)
    begins = np.ones(len(queries), np.int64)
    begins[1:] = (np.diff(queries) != 0) | (np.diff(columns.positions) <= 0)
    return np.cumsum(begins) - 1


def _own_documents(columns: LogColumns) -> tuple[Dataset, Integers]:
    """All documents that the log shows as a data set, labels 0, and the row of each impression."""
    documents = columns.documents.codes
    queries = _in_order(columns.queries.codes)
    pairs = queries * (documents.max() + 1) + documents
    _, first, places = np.unique(pairs, return_index=True, return_inverse=True)
    features = [values[first] for values in columns.features.values()]
    _warn_of_changing_features(columns, first[places])
    query_of_rows = queries[first]
    offsets = np.append(np.flatnonzero(np.diff(query_of_rows, prepend=-1)), len(first))
    dataset = Dataset(
        features=np.column_stack(features) if features else np.zeros((len(first), 0)),
        labels=np.zeros(len(first)),
        query_offsets=offsets,
        query_ids=TextColumn.from_texts(columns.queries.at(first[offsets[:-1]])),
        document_ids=TextColumn.from_texts(columns.documents.at(first)),
        feature_names=tuple(columns.features) or None,
    )
    return dataset, places.astype(np.int64)


def _warn_of_changing_features(columns: LogColumns, first: Integers) -> None:
    """Say where a row has other features than the first row of its document."""
    for name, values in columns.features.items():
        taken = values[first]
        changed = np.flatnonzero((taken != values) & ~(np.isnan(taken) & np.isnan(values)))
        if len(changed):
            row = int(changed[0])
            sentence = (
                f"document {columns.documents.at(np.array([row]))[0]!r} of query "
                f"{columns.queries.at(np.array([row]))[0]!r} has {name} {taken[row]:g} in row "
                f"{first[row] + 1} of the log and {values[row]:g} in row {row + 1}: documents have "
                "the features of their first row"
            )
            warnings.warn(GuessRemark(sentence), stacklevel=2)
            return


def _known_documents(columns: LogColumns, dataset: Dataset) -> Integers:
    """The row of each impression in a data set that has all of them."""
    names = name_documents(dataset)
    numbers = {query: number for number, query in enumerate(dataset.query_ids)}
    known: dict[tuple[int, str], int] = {}
    twice = set()
    for row, key in enumerate(zip(dataset.query_of_rows.tolist(), names, strict=True)):
        if known.setdefault(key, row) != row:
            twice.add(key)
    queries, documents = columns.queries, columns.documents
    pairs, place_of = np.unique(
        queries.codes * len(documents.names) + documents.codes, return_inverse=True
    )
    rows = []
    for pair in pairs.tolist():
        query, document = divmod(pair, len(documents.names))
        query, document = queries.names[query], documents.names[document]
        key = (numbers.get(query, -1), document)
        if key in twice:
            raise RankwiseError(
                f"a document of a log must be one row of the data, found {document!r} of query "
                f"{query!r} in several"
            )
        if key not in known:
            raise RankwiseError(
                f"every document of a log must be in the data, found {document!r} of query "
                f"{query!r}, which is not; name the data that the log was made of"
            )
        rows.append(known[key])
    return np.array(rows, dtype=np.int64)[place_of]


def _in_order(keys: Integers) -> Integers:
    """Numbers for equal keys, in the order in which they first appear."""
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first, kind="stable")] = np.arange(len(first))
    return ranks[places]
