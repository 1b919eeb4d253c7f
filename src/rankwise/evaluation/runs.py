"""Runs joined with judgements: which documents were retrieved, which were only judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankwise.data.formats.scores import find_large_integers
from rankwise.measures.judged import JudgedScores, offsets_of

QueryDocuments = Mapping[str, Mapping[str, float]]


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
    values = np.array(scores, dtype=np.float64)
    judged = JudgedScores(
        np.array(labels, dtype=np.float64),
        values,
        offsets_of(lengths),
        chosen,
        documents,
        retrieved=np.array(retrieved, dtype=np.int64),
        large_integers=find_large_integers(values, scores),
    )
    return Joined(judged, only_judged, only_retrieved)
