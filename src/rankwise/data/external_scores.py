"""Scores that something else gave to documents: a run, a table of them, or one score a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import ROOM_AFTER, open_source
from rankwise.data.formats.scores import read_scores
from rankwise.data.formats.trec import Run, RunScores, read_run
from rankwise.data.reading import read
from rankwise.data.table_file import is_table
from rankwise.errors import Advice, RankwiseError
from rankwise.shown import brief

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
