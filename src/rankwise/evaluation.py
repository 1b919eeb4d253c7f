"""Evaluating scores of any kind as any tool does: of data sets, arrays, frames, dictionaries.

import rankwise
data = rankwise.read("test.txt")
result = rankwise.evaluate(data, scores, ["NDCG@10", "MAP"], tool="letor4")
result["NDCG@10"].mean, result["NDCG@10"].per_query
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data.arrays import runs
from rankwise.data.dataset import Dataset
from rankwise.data.formats.scores import Scores, read_scores
from rankwise.data.text import TextColumn
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.measures.evaluation import Evaluation
from rankwise.measures.evaluation import evaluate as evaluate_judged
from rankwise.measures.judged import JudgedScores, offsets_of
from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool

if TYPE_CHECKING:
    import pandas

QueryDocuments = Mapping[str, Mapping[str, float]]
MissingQueries = Literal["error", "skip", "zero"]


def evaluate(
    judgements: Any,
    scores: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    tool: str | Tool = "definition",
    *,
    qid: ArrayLike | None = None,
    group: ArrayLike | None = None,
    document_ids: Iterable[str] | None = None,
    ties: str | None = None,
    missing_queries: MissingQueries = "error",
) -> Evaluation:
    """Evaluate scores as a tool does.

    Args:
        judgements: a `Dataset`; labels, one per document, with `qid` or `group`; a pandas or polars
            frame with the columns `label`, `qid` and perhaps `document`; or judgements of queries
            as dictionaries `{query: {document: label}}`.
        scores: one per row, in the order of the rows; the name of a column of the frame; a file
            with one score a line; or a run `{query: {document: score}}` beside dictionaries.
        measures: names or `Measure` values; None is everything that the tool prints.
        tool: whose conventions count, `definition` by default.
        qid: the query of each row; equal ids must stand together. group: rows per query.
        document_ids: one per row, for tools that break ties by them.
        ties: another rule for tied scores (`rankwise.measures.ranking`).
        missing_queries: what a query of the judgements that the run lacks is, or the reverse: an
            `error`, something to `skip`, or (where the run lacks it) a list without documents,
            `zero`.
    """
    wanted = [measures] if isinstance(measures, str | Measure) else measures
    judged = judge(judgements, scores, qid=qid, group=group, document_ids=document_ids,
                   missing_queries=missing_queries)  # fmt: skip
    return evaluate_judged(judged, wanted, tool, ties=ties)


def to_pandas(evaluation: Evaluation) -> pandas.DataFrame:
    """The figures as a frame in long form: tool, measure, query and value; `all` is the mean."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("a frame of figures", "frames") from None
    rows = []
    for name, result in evaluation.results.items():
        rows += [(evaluation.tool.name, name, *pair) for pair in result.per_query.items()]
        rows.append((evaluation.tool.name, name, "all", result.mean))
    return pandas.DataFrame(rows, columns=["tool", "measure", "query", "value"])


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
        return judge_dataset(judgements, _scores(scores, judgements.n_documents))
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


@dataclass(frozen=True)
class Joined:
    """A run joined with judgements, and the queries that only one of the two has."""

    judged: JudgedScores
    only_judged: tuple[str, ...]
    only_retrieved: tuple[str, ...]


def join_run(judgements: QueryDocuments, run: QueryDocuments, *, complete: bool = False) -> Joined:
    """Judged documents with the scores of a run, query by query in the order of the judgements.

    Retrieved documents without a judgement have label NaN; judged ones that were not retrieved
    follow at the end of their query. With `complete`, queries that the run lacks are lists without
    documents; otherwise they are left out.
    """
    only_judged = tuple(query for query in judgements if query not in run)
    only_retrieved = tuple(query for query in run if query not in judgements)
    chosen = [query for query in judgements if complete or query in run]
    labels: list[float] = []
    scores: list[float] = []
    documents: list[str] = []
    lengths = []
    retrieved = []
    for query in chosen:
        found, known = run.get(query, {}), judgements[query]
        rest = [document for document in known if document not in found]
        labels += [known.get(document, np.nan) for document in found]
        labels += [known[document] for document in rest]
        scores += [*found.values(), *([0.0] * len(rest))]
        documents += [*found, *rest]
        lengths.append(len(found) + len(rest))
        retrieved.append(len(found))
    judged = JudgedScores(
        np.array(labels, dtype=np.float64),
        np.array(scores, dtype=np.float64),
        offsets_of(lengths),
        chosen,
        documents,
        retrieved=np.array(retrieved, dtype=np.int64),
    )
    return Joined(judged, only_judged, only_retrieved)


def _judge_dictionaries(
    judgements: QueryDocuments, run: Any, missing_queries: MissingQueries
) -> JudgedScores:
    if not isinstance(run, Mapping):
        raise RankwiseError(
            "judgements as dictionaries need a run {query: {document: score}}, "
            f"found {type(run).__name__}"
        )
    for query, documents in run.items():
        for document, score in documents.items():
            if score != score:
                raise RankwiseError(
                    f"scores must be numbers, found NaN for document {document!r} of query "
                    f"{query!r}"
                )
    joined = join_run(judgements, run, complete=missing_queries == "zero")
    if missing_queries == "error":
        _refuse_missing(joined)
    return joined.judged


def _refuse_missing(joined: Joined) -> None:
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
    values = frame[scores].to_numpy() if isinstance(scores, str) else scores
    documents = [str(name) for name in frame["document"]] if "document" in columns else None
    return _judge_arrays(
        frame["label"].to_numpy(), values, frame["qid"].to_numpy(), None, documents
    )


def _judge_arrays(
    labels: Any, scores: Any, qid: Any, group: Any, document_ids: Iterable[str] | None
) -> JudgedScores:
    known = np.asarray(labels, dtype=np.float64).ravel()
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
    values = _scores(scores, len(known)).values
    return JudgedScores(known, values, offsets_of(lengths), ids, documents)


def _scores(scores: Any, rows: int) -> Scores:
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, str | Path):
        return read_scores(scores, rows)
    values = np.asarray(scores, dtype=np.float64).ravel()
    if len(values) != rows:
        raise RankwiseError(
            f"there must be one score per row, found {len(values)} scores for {rows} rows"
        )
    return Scores(values)
