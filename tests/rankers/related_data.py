"""Made-up data in which only relations tell what is relevant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import Relation

GROUPS, SIZE = 4, 5


def told_by_relations(queries: int, seed: int = 0) -> Dataset:
    """Groups of documents that are alike; in the relevant one a single document looks so.

    The first feature is 1 for that document and 0 for all others, among which no feature tells the
    relevant from the rest; the second is noise. Documents of a group are related to each other.
    """
    rng = np.random.default_rng(seed)
    documents = GROUPS * SIZE
    groups = np.vstack([rng.permutation(documents) % GROUPS for _ in range(queries)])
    labels = (groups == 0).astype(np.float64)
    features = np.zeros((queries, documents, 2))
    features[:, :, 1] = rng.random((queries, documents))
    features[np.arange(queries), labels.argmax(axis=1), 0] = 1.0
    data = Dataset.from_arrays(features.reshape(-1, 2), labels.ravel(), group=[documents] * queries)
    places = np.array(
        [[p for p in np.flatnonzero(row == row[i]) if p != i] for row in groups
         for i in range(documents)]
    )  # fmt: skip
    offsets = np.arange(queries * documents + 1) * (SIZE - 1)
    relation = Relation("similarity", offsets, places.ravel(), np.ones(places.size))
    return replace(data, relations=(relation,))


def drawn_relation(lengths: list[int], seed: int, name: str = "links") -> Relation:
    """Random related documents with random weights; some documents are related to none."""
    rng = np.random.default_rng(seed)
    counts: list[int] = []
    places: list[int] = []
    for length in lengths:
        for _ in range(length):
            chosen = rng.permutation(length)[: rng.integers(0, min(4, length) + 1)]
            counts.append(len(chosen))
            places.extend(chosen.tolist())
    offsets = np.append(0, np.cumsum(counts))
    return Relation(name, offsets, np.array(places, np.int64), rng.random(len(places)) + 0.1)


def drawn(lengths: list[int], seed: int = 0, features: int = 3) -> Dataset:
    """Random features and labels, and two relations."""
    rng = np.random.default_rng(seed)
    rows = sum(lengths)
    data = Dataset.from_arrays(
        rng.random((rows, features)), rng.integers(0, 3, rows).astype(float), group=lengths
    )
    both = (drawn_relation(lengths, seed + 1), drawn_relation(lengths, seed + 2, "cites"))
    return replace(data, relations=both)


def dense(relation: Relation, dataset: Dataset, query: int) -> np.ndarray:
    """The matrix C of one query, written out literally."""
    first, last = dataset.query_offsets[query : query + 2]
    matrix = np.zeros((last - first, last - first))
    for row in range(first, last):
        for pair in range(relation.offsets[row], relation.offsets[row + 1]):
            if relation.places[pair] != row - first:
                matrix[row - first, relation.places[pair]] += relation.weights[pair]
    return matrix
