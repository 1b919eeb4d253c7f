"""Click logs: what was shown where, and what was clicked, on flat arrays.

`log_of_columns` makes a log of the columns of a table: it numbers sessions, finds documents in the
data set (or makes one of the log's own) and puts impressions in the order of their positions.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn
from rankwise.errors import Advice, GuessRemark, RankwiseError
from rankwise.tables.notebook import Rows, Tabular

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DisplayCounts:
    """How often a document was shown at a position, and clicked there; one entry a pair.

    Attributes:
        rows: of the documents in the data set.
        positions: from 1.
        shown: sessions that showed the document there.
        clicks: those of them that clicked it.
    """

    rows: Integers
    positions: Integers
    shown: Floats
    clicks: Floats


@dataclass(frozen=True, eq=False)
class ClickLog(Tabular):
    """Sessions one after the other: lists of documents of one query, and the clicks on them.

    Impressions `session_offsets[s]` up to `session_offsets[s + 1]` are those of session s, in the
    order of their positions, with no position and no document twice. The arrays are read-only.

    Attributes:
        dataset: the documents; its labels are judgements where `judged`, else 0.
        session_queries: by session, the number of the query in the data set.
        session_offsets: (sessions + 1,) from 0 to the number of impressions.
        rows: by impression, the row of the document in the data set.
        positions: by impression, where it was shown, from 1.
        clicks: by impression, 1 where it was clicked, else 0.
        times: by session, when it was; None where nobody noted it.
        judged: whether the labels of the data set are known.
    """

    dataset: Dataset
    session_queries: Integers
    session_offsets: Integers
    rows: Integers
    positions: Integers
    clicks: NDArray[np.uint8]
    times: Floats | None = None
    judged: bool = True

    def __post_init__(self) -> None:
        for name in ("session_queries", "session_offsets", "rows", "positions"):
            _freeze_array(self, name, np.int64)
        _freeze_array(self, "clicks", np.uint8)
        if self.times is not None:
            _freeze_array(self, "times", np.float64)
        _check_log(self)

    @property
    def n_sessions(self) -> int:
        """Number of sessions."""
        return len(self.session_queries)

    @property
    def n_impressions(self) -> int:
        """Number of documents shown, each as often as it was."""
        return len(self.rows)

    @property
    def n_clicks(self) -> int:
        """Number of clicks."""
        return int(self.clicks.sum(dtype=np.int64))

    @property
    def deepest(self) -> int:
        """The last position that was shown."""
        return int(self.positions.max(initial=0))

    @property
    def session_of_impressions(self) -> Integers:
        """The session of every impression."""
        lengths = np.diff(self.session_offsets)
        return np.repeat(np.arange(self.n_sessions, dtype=np.int64), lengths)

    def __repr__(self) -> str:
        return (
            f"ClickLog({self.n_sessions:,} sessions, {self.n_impressions:,} impressions, "
            f"{self.n_clicks:,} clicks, {self.dataset.n_queries} queries)"
        )

    def take_sessions(self, chosen: slice) -> ClickLog:
        """An unbroken run of sessions."""
        first, last, step = chosen.indices(self.n_sessions)
        if step != 1:
            raise RankwiseError(f"sessions are taken one after the other, found a step of {step}")
        last = max(first, last)
        span = slice(self.session_offsets[first], self.session_offsets[last])
        return replace(
            self,
            session_queries=self.session_queries[first:last],
            session_offsets=self.session_offsets[first : last + 1] - self.session_offsets[first],
            rows=self.rows[span],
            positions=self.positions[span],
            clicks=self.clicks[span],
            times=None if self.times is None else self.times[first:last],
        )

    def count_displays(self) -> DisplayCounts:
        """Displays and clicks by document and position."""
        reach = self.deepest + 1
        keys = self.rows * reach + self.positions
        found, places = np.unique(keys, return_inverse=True)
        shown = np.bincount(places, minlength=len(found)).astype(np.float64)
        clicked: Floats = np.bincount(
            places, weights=self.clicks.astype(np.float64), minlength=len(found)
        ).astype(np.float64)
        return DisplayCounts(found // reach, found % reach, shown, clicked)

    def sum_by_document(self, values: Floats) -> Floats:
        """For every document of the data set the sum of the values of its impressions."""
        sums = np.bincount(self.rows, weights=values, minlength=self.dataset.n_documents)
        return sums.astype(np.float64)

    def sessions_by_query(self) -> Integers:
        """How many sessions each query had."""
        return np.bincount(self.session_queries, minlength=self.dataset.n_queries)

    def check_contrast(self) -> None:
        """Refuse a log that has clicks alone, or none: it cannot tell one document from another."""
        if self.n_clicks == 0:
            raise RankwiseError("a click log must have clicks to learn from, found none")
        if self.n_clicks == self.n_impressions:
            raise RankwiseError(
                "a click log must have every document that was shown, found a click on each of its "
                f"{self.n_impressions:,} rows; log documents without a click too, with click 0"
            )

    def facts(self) -> dict[str, Any]:
        """Counts, and the share of clicks at every position."""
        shown = np.bincount(self.positions)[1:]
        clicks = np.bincount(self.positions, weights=self.clicks)[1:]
        with np.errstate(invalid="ignore"):
            shares = clicks / shown
        return {
            "sessions": self.n_sessions,
            "queries": int(np.count_nonzero(self.sessions_by_query())),
            "impressions": self.n_impressions,
            "clicks": self.n_clicks,
            "click_rate_by_position": [float(one) for one in shares],
        }

    def _table(self) -> Rows:
        """One row an impression."""
        columns = ("session", "query", "row", "position", "click")
        sessions = self.session_of_impressions
        values = (sessions, self.session_queries[sessions], self.rows, self.positions, self.clicks)
        return columns, zip(*(one.tolist() for one in values), strict=True)

    def _shown(self) -> Rows:
        return ("fact", "value"), list(self.facts().items())


def _freeze_array(log: ClickLog, name: str, dtype: type) -> None:
    view: NDArray[Any] = np.ascontiguousarray(getattr(log, name), dtype=dtype).view()
    view.flags.writeable = False
    object.__setattr__(log, name, view)


def _check_log(log: ClickLog) -> None:
    offsets = log.session_offsets
    if len(offsets) != log.n_sessions + 1 or offsets[0] != 0 or offsets[-1] != len(log.rows):
        raise RankwiseError(
            "the offsets of sessions must go from 0 to the number of impressions, found "
            f"{len(offsets)} offsets of {log.n_sessions} sessions and {len(log.rows)} impressions"
        )
    if len(log.positions) != len(log.rows) or len(log.clicks) != len(log.rows):
        raise RankwiseError(
            "there must be one position and one click an impression, found "
            f"{len(log.rows)} impressions, {len(log.positions)} positions, {len(log.clicks)} clicks"
        )
    if log.positions.min(initial=1) < 1 or log.clicks.max(initial=0) > 1:
        raise RankwiseError(
            "positions must begin at 1 and clicks must be 0 or 1, found "
            f"{log.positions.min(initial=1)} and {log.clicks.max(initial=0)}"
        )
    first = log.dataset.query_offsets[log.session_queries]
    last = log.dataset.query_offsets[log.session_queries + 1]
    sessions = log.session_of_impressions
    if np.any(log.rows < first[sessions]) or np.any(log.rows >= last[sessions]):
        raise RankwiseError("a session must show documents of its own query, found others")
    _check_repeats(log, sessions)


def _check_repeats(log: ClickLog, sessions: Integers) -> None:
    """Within a session positions rise, and no document stands twice."""
    same = np.diff(sessions) == 0
    wrong = np.flatnonzero(same & (np.diff(log.positions) <= 0))
    if len(wrong):
        place = int(wrong[0])
        raise RankwiseError(
            "positions must rise within a session, with one document at each, found "
            f"{log.positions[place + 1]} after {log.positions[place]} in "
            f"{_name_session(log, int(sessions[place]))}"
        )
    keys = sessions * log.dataset.n_documents + log.rows
    keys.sort()
    twice = np.flatnonzero(np.diff(keys) == 0)
    if len(twice):
        session, row = divmod(int(keys[twice[0]]), log.dataset.n_documents)
        raise RankwiseError(
            "a session must show a document once, found "
            f"{name_documents(log.dataset)[row]!r} twice in {_name_session(log, session)}"
        )


def _name_session(log: ClickLog, session: int) -> str:
    query = log.dataset.query_ids[int(log.session_queries[session])]
    return f"session {session + 1} (query {query!r})"


def name_documents(dataset: Dataset) -> Sequence[str]:
    """The ids of the documents; where the data have none, their numbers in the query, from 1."""
    if dataset.document_ids is not None:
        return dataset.document_ids
    starts = np.repeat(dataset.query_offsets[:-1], dataset.query_lengths)
    return [str(number) for number in (np.arange(dataset.n_documents) - starts + 1).tolist()]


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
    _check_column_values(columns)
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


def _check_column_values(columns: LogColumns) -> None:
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
        return _number_keys(columns.sessions.codes * (queries.max() + 1) + queries)
    if columns.times is not None:
        times = np.unique(columns.times, return_inverse=True)[1].astype(np.int64)
        return _number_keys(times * (queries.max() + 1) + queries)
    begins = np.ones(len(queries), np.int64)
    begins[1:] = (np.diff(queries) != 0) | (np.diff(columns.positions) <= 0)
    return np.cumsum(begins) - 1


def _own_documents(columns: LogColumns) -> tuple[Dataset, Integers]:
    """All documents that the log shows as a data set, labels 0, and the row of each impression."""
    documents = columns.documents.codes
    queries = _number_keys(columns.queries.codes)
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


def _number_keys(keys: Integers) -> Integers:
    """Numbers for equal keys, in the order in which they first appear."""
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first, kind="stable")] = np.arange(len(first))
    return ranks[places]
