"""Whether the arrays of a data set belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankwise.data.arrays import refuse_labels
from rankwise.data.relations import check_relation
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset


def check_shapes(dataset: Dataset) -> None:
    """Refuse arrays of different lengths, offsets that do not rise, and labels that are none."""
    documents, features = len(dataset.labels), dataset.stored
    if features.ndim != 2 or dataset.labels.ndim != 1:
        raise RankwiseError(
            "features must have two dimensions and labels one, "
            f"found {features.ndim} and {dataset.labels.ndim}"
        )
    if len(features) != documents:
        raise RankwiseError(
            f"features and labels must have as many rows, found {len(features)} and {documents}"
        )
    refuse_labels(dataset.labels)
    offsets = dataset.query_offsets
    if (
        len(offsets) < 1
        or offsets[0] != 0
        or offsets[-1] != documents
        or np.any(np.diff(offsets) < 1)
    ):
        raise RankwiseError(
            f"query offsets must rise from 0 to the number of documents ({documents}), "
            "with at least one document a query"
        )
    if len(dataset.query_ids) != len(offsets) - 1:
        raise RankwiseError(
            f"there must be one id per query, found {len(dataset.query_ids)} ids "
            f"for {len(offsets) - 1} queries"
        )
    for what, column in (("document id", dataset.document_ids), ("comment", dataset.comments)):
        if column is not None and len(column) != documents:
            raise RankwiseError(
                f"there must be one {what} per document, found {len(column)} for {documents}"
            )
    names = dataset.feature_names
    if names is not None and len(names) != features.shape[1]:
        raise RankwiseError(
            f"there must be one name per feature, found {len(names)} for {features.shape[1]}"
        )
    _check_weights(dataset)
    _check_queries(dataset)
    for relation in dataset.relations:
        check_relation(relation, offsets)


def _check_weights(dataset: Dataset) -> None:
    weights = dataset.weights
    if weights is None:
        return
    if weights.shape != dataset.labels.shape:
        raise RankwiseError(
            f"there must be one weight per document ({len(dataset.labels)}), "
            f"found shape {weights.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(wrong):
        raise RankwiseError(
            f"weights must be finite and not below 0, found {weights[wrong[0]]:g} "
            f"in row {wrong[0] + 1}"
        )


def _check_queries(dataset: Dataset) -> None:
    queries = len(dataset.query_offsets) - 1
    classes, features = dataset.query_classes, dataset.query_features
    if classes is not None and len(classes) != queries:
        raise RankwiseError(
            f"there must be one class per query, found {len(classes)} for {queries} queries"
        )
    if features is not None and (features.ndim != 2 or len(features) != queries):
        raise RankwiseError(
            f"features of queries must have one row per query ({queries}), "
            f"found shape {features.shape}"
        )
