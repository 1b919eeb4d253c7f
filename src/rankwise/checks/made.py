"""Made-up data with a planted order: what all laws use."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import Relation, join_relations
from rankwise.data.text import TextColumn
from rankwise.measures.evaluation import evaluate

Floats = NDArray[np.float64]

DOCUMENTS = 14
"""Of a query, where nothing else is asked for."""


def planted(
    queries: int = 24,
    documents: int = DOCUMENTS,
    features: int = 5,
    levels: int = 3,
    seed: int = 0,
) -> Dataset:
    """Labels follow x_1 + x_2 / 2 with a little noise; the other features know nothing.

    Features lie in [0, 1], as query-level normalised ones do; rows stand in random order. Documents
    are related to those of their query whose hidden values are nearest, by a weight of 1 / rank.
    """
    drawn = _draw(queries, documents, features, levels, seed)
    # A ranker that writes into its data must not spoil those of the next law.
    return replace(
        drawn,
        features=drawn.features.copy(),
        labels=drawn.labels.copy(),
        relations=tuple(map(_copied, drawn.relations)),
    )


@cache
def _draw(queries: int, documents: int, features: int, levels: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    rows = rng.random((queries * documents, features))
    hidden = rows[:, 0] + 0.5 * rows[:, min(1, features - 1)]
    noisy = hidden + 0.05 * rng.normal(size=len(rows))
    cuts = np.quantile(noisy, np.linspace(0.5, 0.95, levels - 1)) if levels > 1 else np.empty(0)
    labels = np.digitize(noisy, cuts).astype(np.float64)
    data = Dataset.from_arrays(rows, labels, group=[documents] * queries)
    return replace(data, relations=(_nearest(noisy.reshape(queries, documents)),))


def _nearest(values: Floats) -> Relation:
    """Each document with its three nearest by value, query by query."""
    queries, documents = values.shape
    distances = np.abs(values[:, :, None] - values[:, None, :])
    distances[:, np.arange(documents), np.arange(documents)] = np.inf
    count = min(3, documents - 1)
    places = np.argsort(distances, axis=2, kind="stable")[:, :, :count]
    offsets = np.arange(queries * documents + 1) * count
    weights = np.tile(1.0 / np.arange(1, count + 1), queries * documents)
    return Relation("nearest", offsets, places.ravel(), weights)


def _copied(relation: Relation) -> Relation:
    return replace(relation, places=relation.places.copy(), weights=relation.weights.copy())


def with_labels(data: Dataset, labels: Floats) -> Dataset:
    """The same documents, judged otherwise."""
    return replace(data, labels=labels)


def with_column(data: Dataset, values: Any) -> Dataset:
    """One feature more."""
    return data.with_features(np.column_stack([data.features, values]))


def reordered(data: Dataset, rows: NDArray[np.int64]) -> Dataset:
    """Other rows in the places of the same queries; relations stay where rows keep to theirs."""
    within = np.array_equal(data.query_of_rows[rows], data.query_of_rows)
    relations = tuple(_moved(one, rows, data.query_offsets) for one in data.relations)
    return replace(
        data,
        features=data.features[rows],
        labels=data.labels[rows],
        relations=relations if within else (),
    )


def _moved(relation: Relation, rows: NDArray[np.int64], offsets: NDArray[np.int64]) -> Relation:
    """The relation after row `rows[i]` has come to the place of row i."""
    places = np.empty(len(rows), np.int64)
    places[rows] = np.arange(len(rows))
    taken = relation.take(rows)
    first = np.repeat(offsets[:-1], np.diff(offsets))
    related = np.repeat(first, np.diff(taken.offsets)) + taken.places
    return replace(taken, places=(places[related] - np.repeat(first, np.diff(taken.offsets))))


def joined(*parts: Dataset) -> Dataset:
    """Data sets one after the other, queries numbered anew."""
    lengths = np.concatenate([part.query_lengths for part in parts])
    return Dataset(
        features=np.vstack([part.features for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        query_offsets=np.append(0, np.cumsum(lengths)),
        query_ids=TextColumn.from_texts(map(str, range(1, len(lengths) + 1))),
        relations=join_relations([(part.relations, part.n_documents) for part in parts]),
    )


@cache
def unseen() -> Dataset:
    """What nobody has trained on."""
    return planted(40, seed=9)


def mean(scores: Floats, measure: str = "NDCG@5", data: Dataset | None = None) -> float:
    """The mean of a measure over the queries, of unseen data where none are named."""
    return float(evaluate(unseen() if data is None else data, scores, [measure])[measure].mean)


@cache
def half_way() -> float:
    """NDCG@5 half of the way from a random order to a perfect one; one good feature reaches it."""
    rng = np.random.default_rng(0)
    luck = float(np.mean([mean(rng.random(unseen().n_documents)) for _ in range(20)]))
    return (1.0 + luck) / 2.0
