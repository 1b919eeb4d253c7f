"""Judgements and scores of any kind as one flat value: data sets, arrays, frames, dictionaries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data.arrays import as_numbers, refuse_labels, runs
from rankwise.data.dataset import Dataset
from rankwise.data.formats.scores import Scores, read_scores
from rankwise.data.frames import number_column
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.evaluation.runs import Joined, QueryDocuments, join_run
from rankwise.measures.judged import JudgedScores, offsets_of

MissingQueries = Literal["error", "skip", "zero"]


def judge(
    judgements: Any,
    scores: Any,
    *,
    qid: ArrayLike | None = None,
    group: ArrayLike | None = None,
    document_ids: Iterable[str] | None = None,
    missing_queries: MissingQueries = "error",
) -> JudgedScores:
    """Judgements and scores as one flat value; see `evaluate` for what they may be."""
    if isinstance(judgements, Mapping):
        return _judge_dictionaries(judgements, scores, missing_queries)
    if isinstance(judgements, Dataset):
        return judge_dataset(judgements, as_scores(scores, judgements.n_documents))
    if hasattr(judgements, "columns"):
        return _judge_frame(judgements, scores)
    return _judge_arrays(judgements, scores, qid, group, document_ids)


def judge_dataset(dataset: Dataset, scores: Scores) -> JudgedScores:
    """A data set's labels with the scores of its rows."""
    return JudgedScores(
        dataset.labels,
        scores.values,
        dataset.query_offsets,
        dataset.query_ids,
        dataset.document_ids,
        large_integers=scores.large_integers,
        surplus_scores=scores.surplus,
    )


def _judge_dictionaries(
    judgements: QueryDocuments, run: Any, missing_queries: MissingQueries
) -> JudgedScores:
    if not isinstance(run, Mapping):
        raise RankwiseError(
            "judgements as dictionaries need a run {query: {document: score}}, "
            f"found {type(run).__name__}"
        )
    for what, given in (("labels", judgements), ("scores", run)):
        _refuse_missing_numbers(what, given)
    joined = join_run(judgements, run, complete=missing_queries == "zero")
    if missing_queries == "error":
        refuse_missing(joined)
    return joined.judged


def _refuse_missing_numbers(what: str, given: QueryDocuments) -> None:
    """Refuse labels that are not finite, and scores that are NaN."""
    for query, documents in given.items():
        for document, value in documents.items():
            if value is None or value != value or (what == "labels" and abs(value) == math.inf):
                found = "NaN" if value != value else value
                raise RankwiseError(
                    f"{what} must be numbers, found {found} for document {document!r} of query "
                    f"{query!r}"
                )


def refuse_missing(joined: Joined) -> None:
    """Refuse queries that only judgements or only the run has."""
    for queries, where, lacking in (
        (joined.only_judged, "judgements", "the run"),
        (joined.only_retrieved, "run", "the judgements"),
    ):
        if queries:
            raise RankwiseError(
                f"{len(queries)} queries of the {where} are not in {lacking}, the first is "
                f"{queries[0]!r}; say missing_queries='skip' or 'zero' to go on without them"
            )


def _judge_frame(frame: Any, scores: Any) -> JudgedScores:
    columns = list(frame.columns)
    for name in ("label", "qid"):
        if name not in columns:
            raise RankwiseError(f"the frame must have a column {name!r}, found {columns}")
    if isinstance(scores, str) and scores not in columns:
        raise RankwiseError(f"the frame has no column {scores!r} of scores; it has {columns}")
    values = number_column(frame, scores) if isinstance(scores, str) else scores
    documents = [str(name) for name in frame["document"]] if "document" in columns else None
    return _judge_arrays(
        number_column(frame, "label"), values, frame["qid"].to_numpy(), None, documents
    )


def _judge_arrays(
    labels: Any, scores: Any, qid: Any, group: Any, document_ids: Iterable[str] | None
) -> JudgedScores:
    known = as_numbers(labels, "labels").ravel()
    refuse_labels(known)
    if (qid is None) == (group is None):
        raise RankwiseError("labels need either qid, a query id per row, or group, rows per query")
    if group is not None:
        lengths = np.asarray(group, dtype=np.int64)
        ids = TextColumn.from_texts(str(number) for number in range(1, len(lengths) + 1))
    else:
        starts, ids = runs(np.asarray(qid), len(known))
        lengths = np.diff(np.append(starts, len(known)))
    if int(lengths.sum()) != len(known):
        raise RankwiseError(
            f"queries and labels must cover the same rows, found {int(lengths.sum())} and "
            f"{len(known)}"
        )
    documents = None if document_ids is None else list(document_ids)
    values = as_scores(scores, len(known)).values
    return JudgedScores(known, values, offsets_of(lengths), ids, documents)


def as_scores(scores: Any, rows: int) -> Scores:
    """One score per row, from an array or a score file."""
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, str | Path):
        return read_scores(scores, rows)
    values = as_numbers(scores, "scores").ravel()
    if len(values) != rows:
        raise RankwiseError(
            f"there must be one score per row, found {len(values)} scores for {rows} rows"
        )
    return Scores(values)
