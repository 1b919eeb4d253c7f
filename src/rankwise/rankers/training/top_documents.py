"""The documents of each query that belong at its top, apart from its rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.text import TextColumn


@dataclass(frozen=True, eq=False)
class TopDocuments:
    """The top of every query, apart from its rest.

    Document i of query q is in the top if y_i ≥ y_(k), the k-th highest label of q (its lowest
    where q has fewer documents), and y_i is above the lowest label of q. Labels of few levels
    leave the k-th place open: all documents that tie for it are in the top, so that no order of
    the file is taught.

    Attributes:
        rows: of the documents in the top, in their order.
        inside: these documents alone; queries without a top are left out. None where none has one.
        against: all documents, those in the top with the label 1, the others with 0.
    """

    rows: NDArray[np.int64]
    inside: Dataset | None
    against: Dataset

    @classmethod
    def of(cls, dataset: Dataset, size: int) -> TopDocuments:
        """The top of `size` documents, and those that tie with the last of them."""
        starts, lengths = dataset.query_offsets[:-1], dataset.query_lengths
        falling = dataset.labels[np.lexsort((-dataset.labels, dataset.query_of_rows))]
        last = falling[starts + np.minimum(size, lengths) - 1]
        lowest = falling[starts + lengths - 1]
        labels = dataset.labels
        inside = (labels >= np.repeat(last, lengths)) & (labels > np.repeat(lowest, lengths))
        against = replace(
            dataset, features=as_features(dataset.stored), labels=inside.astype(np.float64)
        )
        rows = np.flatnonzero(inside)
        return cls(rows, _only(dataset, rows) if len(rows) else None, against)


def _only(dataset: Dataset, rows: NDArray[np.int64]) -> Dataset:
    queries, lengths = np.unique(dataset.query_of_rows[rows], return_counts=True)
    return Dataset(
        features=as_features(dataset.stored[rows]),
        labels=dataset.labels[rows],
        query_offsets=np.append(0, np.cumsum(lengths)),
        query_ids=TextColumn.from_texts(dataset.query_ids[int(query)] for query in queries),
    )
