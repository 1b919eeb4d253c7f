"""Scores that something else gave to documents, as one more feature of a data set.

They are those of a dense retriever, say, and come as a run, a table of scores, or one score a row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset, as_features
from rankwise.data.folds import Advance, list_part_files, rewrite_parts
from rankwise.data.formats.compression import ROOM_AFTER, open_source
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.formats.score_files import read_scores
from rankwise.data.formats.trec import Run, RunScores, read_run
from rankwise.data.reading import read, write
from rankwise.data.table_columns import is_table
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_folder
from rankwise.sanitize import brief

NULL = math.nan


@dataclass(frozen=True, eq=False)
class AddedFeature:
    """A data set with one more feature, and how it came to its values.

    Attributes:
        dataset: the rows with the feature as their last one.
        name: what it is called; data whose features have no names give them their numbers.
        number: which feature it is, from 1.
        matched: documents that have a score.
        missing: documents that have none.
        unused: documents of the scores that the data do not have.
    """

    dataset: Dataset
    name: str
    number: int
    matched: int
    missing: int
    unused: int


@dataclass(frozen=True)
class AddedPart:
    """A file that was written with one more feature: rows with a score, and rows without one."""

    source: str
    output: str
    rows: int
    matched: int
    missing: int


@dataclass(frozen=True)
class AddedFiles:
    """What was written: the feature's name and number, the files, and scores of no document."""

    name: str
    number: int
    parts: tuple[AddedPart, ...]
    unused: int


def add_feature(
    dataset: Dataset,
    scores: ExternalScores,
    name: str,
    *,
    missing: float = NULL,
    score_column: str | None = None,
) -> AddedFeature:
    """The data set with external scores as its last feature.

    Args:
        dataset: with document ids, unless there is one score a row.
        scores: a TREC run, a table with the columns query, document and score, a file of one score
            a row, or these as values.
        name: what the feature is called.
        missing: what documents without a score have; NULL (NaN) by default.
        score_column: of a table, the column of the scores; else that called score, or the only one.
    """
    given = open_scores(scores, score_column)
    found = _find_values(dataset, given)
    _refuse_unmatched(given, len(found.used))
    made = _append_feature(dataset, found.fill(missing), name)
    return AddedFeature(
        made, name, made.n_features, found.matched, dataset.n_documents - found.matched,
        found.count_unused(given),
    )  # fmt: skip


def add_feature_to_files(
    source: str | Path,
    scores: ExternalScores,
    target: str | Path,
    *,
    name: str | None = None,
    missing: float = NULL,
    score_column: str | None = None,
    numbers: NumberStyle = "shortest",
    advance: Advance = lambda done, total: None,
) -> AddedFiles:
    """Write a file, or the folds of a folder, with external scores as their last feature.

    It has the same number in all parts of a folder. `name` is that of the file of scores where it
    is not given; LETOR text has no room for it. Otherwise as `add_feature` and `filter_files`.
    """
    given = open_scores(scores, score_column)
    called = name or (Path(scores).stem if isinstance(scores, str | Path) else "score")
    if given.by_row is not None and is_folder(locate(source)):
        raise RankwiseError(
            f"{given.where} has a score for each row of one file, found the folder {source}; name "
            "one file of it, or a run with the ids of queries and documents"
        )
    files = list_part_files(source)
    # Sparse parts leave their last features out: the new one must be the same feature in all.
    width = max(read(file).n_features for file in files) if len(files) > 1 else 0
    used: set[tuple[str, str]] = set()
    widths: list[int] = []

    def rewrite(file: Path, place: Path, shown: Path) -> AddedPart:
        dataset = read(file)
        dataset = dataset.widened(width) if dataset.feature_names is None else dataset
        found = _find_values(dataset, given)
        used.update(found.used)
        if file == files[-1]:
            _refuse_unmatched(given, len(used))
        made = _append_feature(dataset, found.fill(missing), called)
        write(made, place, numbers=numbers)
        widths.append(made.n_features)
        rows = made.n_documents
        return AddedPart(str(file), str(shown), rows, found.matched, rows - found.matched)

    parts = rewrite_parts(source, target, rewrite, advance)
    return AddedFiles(called, widths[0], tuple(parts), max(0, given.count_documents() - len(used)))


@dataclass(frozen=True, eq=False)
class _Values:
    """A value a row, NaN where there is no score, and the documents whose scores were taken."""

    values: NDArray[np.float64]
    used: set[tuple[str, str]]

    @property
    def matched(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.values)))

    def fill(self, missing: float) -> NDArray[np.float64]:
        return np.where(np.isnan(self.values), missing, self.values)

    def count_unused(self, given: GivenScores) -> int:
        return max(0, given.count_documents() - len(self.used))


def _find_values(dataset: Dataset, given: GivenScores) -> _Values:
    if given.by_document is None:
        values = np.zeros(0) if given.by_row is None else given.by_row
        if values.shape != (dataset.n_documents,):
            raise RankwiseError(
                f"{given.where}: there must be one score per row, found {len(values)} scores for "
                f"{dataset.n_documents} rows"
            )
        found = _Values(values, {("", str(row)) for row in np.flatnonzero(~np.isnan(values))})
    else:
        found = _look_up(dataset, given.by_document)
    if np.isinf(found.values).any():
        raise RankwiseError(f"{given.where}: scores must be finite, found an infinite one")
    return found


def _look_up(dataset: Dataset, scores: Mapping[str, Mapping[str, float]]) -> _Values:
    if dataset.document_ids is None:
        raise RankwiseError(
            "the data must name their documents to be matched with a run, found no ids; LETOR text "
            "has them in comments (#docid = X)",
            Advice("of a table say which column: {}", "document_column", "NAME"),
        )
    documents = list(dataset.document_ids)
    values = np.full(dataset.n_documents, np.nan)
    used: set[tuple[str, str]] = set()
    for number, query in enumerate(dataset.query_ids):
        own = scores.get(query, {})
        first, last = dataset.query_offsets[number : number + 2].tolist()
        for row in range(first, last):
            score = own.get(documents[row])
            if score is not None:
                values[row] = score
                used.add((query, documents[row]))
    return _Values(values, used)


def _refuse_unmatched(given: GivenScores, used: int) -> None:
    if used:
        return
    first = given.find_first()
    begins = ""
    if first is not None:
        query, document = map(brief, first)
        begins = f" (it begins with the query {query} and the document {document})"
    raise RankwiseError(
        f"{given.where} must have scores of documents of the data, found none of any{begins}; are "
        "their ids those of the data?"
    )


def _append_feature(dataset: Dataset, values: NDArray[np.float64], name: str) -> Dataset:
    count = dataset.n_features
    names = dataset.feature_names or tuple(str(number + 1) for number in range(count))
    if name in names or not name.strip():
        raise RankwiseError(
            f"the new feature must have a name of its own, found {brief(name)}",
            Advice("give {}", "name", "NAME"),
        )
    held = dataset.stored
    wider = (
        np.column_stack([held, values])
        if isinstance(held, np.ndarray)
        else held.with_column(values)
    )
    return replace(dataset, features=as_features(wider), feature_names=(*names, name))


ExternalScores = str | Path | Run | Mapping[str, Mapping[str, float]] | NDArray[np.float64]
"""A file, a run that was read, scores by query and document, or one score a row."""

_SCORE = "score"
_BEGINNING = 1 << 16


@dataclass(frozen=True, eq=False)
class GivenScores:
    """Scores by query and document, or by row; `where` is what messages call them."""

    where: str
    by_document: Mapping[str, Mapping[str, float]] | None = None
    by_row: NDArray[np.float64] | None = None

    def count_documents(self) -> int:
        """How many documents of queries have a score."""
        return sum(map(len, (self.by_document or {}).values()))

    def find_first(self) -> tuple[str, str] | None:
        """The first query and document that have a score by their ids."""
        for query, own in (self.by_document or {}).items():
            for document in own:
                return query, document
        return None


def open_scores(scores: ExternalScores, score_column: str | None = None) -> GivenScores:
    """The scores of a file of any kind, or of what was read from one.

    A file is a table by its ending; otherwise its first line tells: one column is a score a row,
    and more are a TREC run.
    """
    if isinstance(scores, str | Path):
        return _read_file(Path(scores), score_column)
    if score_column is not None:
        raise RankwiseError(f"a score column is of a table, found {brief(score_column)} for none")
    if isinstance(scores, Run):
        return GivenScores("the run", scores.scores)
    if isinstance(scores, Mapping):
        return GivenScores("the scores", scores)
    return GivenScores("the scores", by_row=np.asarray(scores, dtype=np.float64))


def _read_file(path: Path, score_column: str | None) -> GivenScores:
    if is_table(path):
        return GivenScores(str(path), _read_table(path, score_column))
    if score_column is not None:
        raise RankwiseError(
            f"{path}: a score column is of a table (.csv, .tsv, .parquet, .feather), found "
            f"{brief(score_column)} for a file of text"
        )
    if _count_columns(path) == 1:
        return GivenScores(str(path), by_row=read_scores(path).values)
    return GivenScores(str(path), read_run(path).scores)


def _count_columns(path: Path) -> int:
    """How many words the first line has that is not empty."""
    with open_source(path) as source:
        text = source.read(0, min(source.size - 1, _BEGINNING))[:-ROOM_AFTER].tobytes()
    lines = (line.split() for line in text.split(b"\n"))
    return next((len(words) for words in lines if words), 0)


def _read_table(path: Path, score_column: str | None) -> RunScores:
    chosen = None if score_column is None else [score_column]
    rows = read(path, features=chosen, repeated_queries="merge", needs_labels=False)
    if rows.document_ids is None:
        raise RankwiseError(
            f"{path}: a table of scores must have a column of document ids, called document, "
            "doc_id or docno, found none"
        )
    column = rows.features[:, _find_column(path, rows)]
    documents = list(rows.document_ids)
    found: RunScores = {}
    for number, query in enumerate(rows.query_ids):
        first, last = rows.query_offsets[number : number + 2].tolist()
        own = dict(zip(documents[first:last], column[first:last].tolist(), strict=True))
        if len(own) < last - first:
            raise RankwiseError(
                f"{path}: every document must occur once in its query, found one again in the "
                f"query {brief(query)}"
            )
        found[query] = own
    return found


def _find_column(path: Path, rows: Dataset) -> int:
    names = rows.feature_names or tuple(str(number + 1) for number in range(rows.n_features))
    if len(names) == 1:
        return 0
    if _SCORE in names:
        return names.index(_SCORE)
    raise RankwiseError(
        f"{path}: one column must hold the scores, found {', '.join(map(repr, names)) or 'none'}",
        Advice("say which: {}", "score_column", "NAME"),
    )
