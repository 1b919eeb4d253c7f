"""Judgements and scores of any kind as one flat value: data sets, arrays, frames, dictionaries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data.arrays import (
    align_rows,
    as_numbers,
    as_text,
    grouped,
    has_index,
    refuse_labels,
    refuse_other_order,
    runs,
)
from rankwise.data.dataset import Dataset
from rankwise.data.formats.scores import Scores, find_large_integers, read_scores
from rankwise.data.frames import name_columns, number_column
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
    if missing_queries not in get_args(MissingQueries):
        raise RankwiseError(
            f"missing_queries must be one of {', '.join(get_args(MissingQueries))}, found "
            f"{missing_queries!r}"
        )
    if isinstance(judgements, Mapping | Dataset) or hasattr(judgements, "columns"):
        _refuse_rows(judgements, qid=qid, group=group, document_ids=document_ids)
    if isinstance(judgements, Mapping):
        return _judge_dictionaries(judgements, scores, missing_queries)
    if isinstance(judgements, Dataset):
        return judge_dataset(judgements, as_scores(scores, judgements.n_documents))
    if hasattr(judgements, "columns"):
        return _judge_frame(judgements, scores)
    return _judge_arrays(judgements, scores, qid, group, document_ids)


def _refuse_rows(judgements: Any, **given: object) -> None:
    """Refuse what labels alone need, and what these judgements know themselves."""
    name = next((name for name, value in given.items() if value is not None), None)
    if name is not None:
        raise RankwiseError(
            f"only labels alone need {name}: a {type(judgements).__name__} knows its queries and "
            "documents; leave it out"
        )


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
    run = as_run(run)
    judgements = _as_texts(judgements, "judgements")
    _refuse_missing_numbers("labels", judgements)
    joined = join_run(judgements, run, complete=missing_queries == "zero")
    if missing_queries == "error":
        refuse_missing(joined)
    refuse_strangers(judgements, joined)
    return joined.judged


def as_run(run: Any) -> QueryDocuments:
    """A run {query: {document: score}}, with ids as texts; anything else is refused."""
    if not isinstance(run, Mapping):
        raise RankwiseError(
            "judgements by query and document need a run {query: {document: score}}, "
            f"found {type(run).__name__}"
        )
    found = _as_texts(run, "the run")
    _refuse_missing_numbers("scores", found)
    return found


def _as_texts(given: QueryDocuments, what: str) -> QueryDocuments:
    """Queries and documents by texts, as in files; `1` and `"1"` beside each other are refused."""
    if all(type(key) is str for own in (given, *given.values()) for key in own):
        return given
    found = {
        as_text(query): {as_text(one): own[one] for one in own} for query, own in given.items()
    }
    if len(found) < len(given) or sum(map(len, found.values())) < sum(map(len, given.values())):
        raise RankwiseError(
            f"ids of {what} must differ as texts, found a number and a text that are alike"
        )
    return found


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


def refuse_strangers(judgements: QueryDocuments, joined: Joined) -> None:
    """Refuse a run and judgements that share no query: they are not of one collection."""
    if len(joined.only_judged) == len(judgements):
        first = "".join(f", the first being {query!r}" for query in joined.only_judged[:1])
        raise RankwiseError(
            f"the run must have queries of the judgements, found none of {len(judgements)}{first}; "
            "are they of one collection?"
        )


def _judge_frame(frame: Any, scores: Any) -> JudgedScores:
    columns = name_columns(frame)
    for name in ("label", "qid"):
        if name not in columns:
            raise RankwiseError(f"the frame must have a column {name!r}, found {list(columns)}")
    if isinstance(scores, str) and scores not in columns:
        raise RankwiseError(f"the frame has no column {scores!r} of scores; it has {list(columns)}")
    values = _score_column(columns[scores], scores) if isinstance(scores, str) else scores
    _, values = align_rows({"the frame": frame, "scores": values})
    if has_index(frame) and has_index(values):
        values = values.to_numpy()
    documents = [str(name) for name in columns["document"]] if "document" in columns else None
    labels = number_column(columns["label"], "label")
    return _judge_arrays(labels, values, columns["qid"].to_numpy(), None, documents)


def _score_column(column: Any, name: str) -> Scores:
    values = number_column(column, name)
    return Scores(values, find_large_integers(values, column.to_list()))


def _judge_arrays(
    labels: Any, scores: Any, qid: Any, group: Any, document_ids: Iterable[str] | None
) -> JudgedScores:
    rows = {"labels": labels, "qid": qid, "document_ids": document_ids}
    labels, qid, document_ids, scores = align_rows({**rows, "scores": scores})
    if has_index(scores) and any(map(has_index, rows.values())):
        scores = scores.to_numpy()
    known = as_numbers(labels, "labels").ravel()
    refuse_labels(known)
    if (qid is None) == (group is None):
        raise RankwiseError("labels need either qid, a query id per row, or group, rows per query")
    starts, ids = runs(qid, len(known)) if group is None else grouped(group, len(known))
    lengths = np.diff(np.append(starts, len(known)))
    documents = None if document_ids is None else list(document_ids)
    found = as_scores(scores, len(known))
    offsets, whole = offsets_of(lengths), found.large_integers
    return JudgedScores(known, found.values, offsets, ids, documents, large_integers=whole)


def as_scores(scores: Any, rows: int) -> Scores:
    """One score per row, from a score file, or values in the order of the rows."""
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, str | Path):
        return read_scores(scores, rows)
    refuse_other_order(scores, "scores")
    values = as_numbers(scores, "scores").ravel()
    if len(values) != rows:
        raise RankwiseError(
            f"there must be one score per row, found {len(values)} scores for {rows} rows"
        )
    return Scores(values, find_large_integers(values, np.ravel(np.asarray(scores)).tolist()))
