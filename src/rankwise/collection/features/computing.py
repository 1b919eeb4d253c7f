"""Features of queries computed: a matrix per query, a data set of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.definition import make_stream_view
from rankwise.collection.features.evidence import NO_EVIDENCE, Evidence
from rankwise.collection.features.sets import FeatureSet
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError


def compute_features(
    collection: CollectionStatistics,
    query: QueryStatistics,
    features: FeatureSet,
    evidence: Evidence = NO_EVIDENCE,
) -> NDArray[np.float64]:
    """(documents, features) of one query; NaN is NULL."""
    if features.query_classes is not None:
        evidence = features.query_classes.added(evidence, query)
    views = [
        make_stream_view(collection, query, place, evidence)
        for place in range(len(collection.streams))
    ]
    values = np.empty((query.n_documents, len(features.columns)))
    for number, column in enumerate(features.columns):
        view = views[0 if column.stream is None else column.stream]
        values[:, number] = column.feature.values(view, features.parameters)
    if np.isinf(values).any():
        name = features.columns[int(np.flatnonzero(np.isinf(values).any(axis=0))[0])].name
        raise RankwiseError(
            f"features must be finite, found that {name} is not in query {query.query_id}"
        )
    return values


def no_evidence(query: QueryStatistics) -> Evidence:
    """Nothing but the counts is known of any query."""
    return NO_EVIDENCE


def compute_dataset(
    collection: CollectionStatistics,
    queries: Iterable[QueryStatistics],
    features: FeatureSet,
    evidence: Callable[[QueryStatistics], Evidence] = no_evidence,
) -> Dataset:
    """All queries in the order given, as Feature_NULL before it is printed."""
    computed = (
        (query, compute_features(collection, query, features, evidence(query))) for query in queries
    )
    return join_queries(computed, features)


def join_queries(
    queries: Iterable[tuple[QueryStatistics, NDArray[np.float64]]], features: FeatureSet
) -> Dataset:
    """A data set of queries in the order given, each with the features of its documents."""
    matrices, labels, lengths = [], [], [0]
    query_ids: list[str] = []
    document_ids: list[str] = []
    for query, matrix in queries:
        matrices.append(matrix)
        labels.append(query.labels)
        lengths.append(query.n_documents)
        query_ids.append(query.query_id)
        document_ids += query.document_ids
    if not query_ids:
        raise RankwiseError("a data set needs at least one query, found none")
    return Dataset(
        features=np.concatenate(matrices),
        labels=np.concatenate(labels).astype(np.float64),
        query_offsets=np.cumsum(lengths, dtype=np.int64),
        query_ids=TextColumn.from_texts(query_ids),
        document_ids=TextColumn.from_texts(document_ids),
        feature_names=features.column_names,
    )
