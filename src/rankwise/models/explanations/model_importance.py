"""How much each feature counts in a model: by gain, by shuffling, by contributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feature_selection import permutation_losses
from rankwise.models.explanations.shapley import contributions
from rankwise.models.model import Model
from rankwise.models.model_file import load_model
from rankwise.models.scoring import GivenModel, give
from rankwise.tables.notebook import Rows, Tabular, shortened

Floats = NDArray[np.float64]
IMPORTANCE_WAYS = {
    "gain": "what the splits on a feature gained in training; of linear models the weights",
    "permutation": "what a measure loses when a feature is shuffled within each query",
    "contributions": "mean |query-centred Shapley value| over the documents",
}


@dataclass(frozen=True)
class ModelImportance(Tabular):
    """What each feature counts.

    Attributes:
        by: one of `IMPORTANCE_WAYS`.
        measure: whose loss it is, for permutation.
        features: importance by name, the greatest first.
        queries: importance by query and name, where it was asked for.
    """

    by: str
    measure: str | None
    features: Mapping[str, float]
    queries: Mapping[str, Mapping[str, float]] | None = None

    def __repr__(self) -> str:
        first = ", ".join(f"{name} {value:.4g}" for name, value in list(self.features.items())[:3])
        return shortened(f"importance by {self.by} of {len(self.features)} features: {first}")

    def _table(self) -> Rows:
        if self.queries is None:
            return ("feature", "importance"), list(self.features.items())
        rows = [
            (query, name, value)
            for query, values in self.queries.items()
            for name, value in values.items()
        ]
        return ("query", "feature", "importance"), rows


def weigh_model(
    model: Model | str | Path,
    data: Dataset | str | Path | None = None,
    *,
    by: str = "gain",
    measure: str = "NDCG@10",
    tool: str = "definition",
    seed: int = 0,
    repeats: int = 3,
    per_query: bool = False,
) -> ModelImportance:
    """The importance of every feature of a model, the greatest first.

    Args:
        model: a model or its file.
        data: what it is measured on; gain needs none.
        by: one of `IMPORTANCE_WAYS`.
        measure, tool: what shuffling costs, by whose convention.
        seed, repeats: of shuffling.
        per_query: the importance within each query too; not for gain.
    """
    if by not in IMPORTANCE_WAYS:
        raise RankwiseError(
            f"importance must be by one of {', '.join(IMPORTANCE_WAYS)}, found {by!r}"
        )
    if by == "gain":
        return _by_gain(model, per_query)
    if data is None:
        raise RankwiseError(f"importance by {by} needs data to measure it on")
    given = give(model, data)
    if by == "permutation":
        queries, table = permutation_losses(
            given.model.score, given.data, measure, tool, seed=seed, repeats=repeats
        )
        total = table.mean(axis=0)
    else:
        queries, table, total = _by_contributions(given, seed)
    return ModelImportance(
        by,
        measure if by == "permutation" else None,
        _sorted(given.names, total),
        {
            query: dict(zip(given.names, row, strict=True))
            for query, row in zip(queries, table.tolist(), strict=True)
        }
        if per_query
        else None,
    )


def query_contributions(given: GivenModel, query: int, seed: int = 0) -> Floats:
    """(documents, features) the query-centred contributions of one query."""
    offsets = given.data.query_offsets
    rows = given.data.features[offsets[query] : offsets[query + 1]]
    return contributions(given.model.scorer, rows, rows, seed=seed)


def _by_gain(model: Model | str | Path, per_query: bool) -> ModelImportance:
    if per_query:
        raise RankwiseError("gain is one figure for all queries; take permutation or contributions")
    found = model if isinstance(model, Model) else load_model(model)
    values = found.scorer.importance()
    names = found.feature_names or tuple(str(n + 1) for n in range(len(values)))
    return ModelImportance("gain", None, _sorted(names, values))


def _by_contributions(given: GivenModel, seed: int) -> tuple[list[str], Floats, Floats]:
    """By query the mean of |φ_j| over its documents, and the mean over all documents."""
    queries = range(given.data.n_queries)
    table = np.array([np.abs(query_contributions(given, q, seed)).mean(axis=0) for q in queries])
    weights = given.data.query_lengths.astype(np.float64)
    return list(given.data.query_ids), table, (weights @ table) / weights.sum()


def _sorted(names: tuple[str, ...], values: Floats) -> dict[str, float]:
    order = np.argsort(-np.abs(values), kind="stable")
    return {names[place]: float(values[place]) for place in order}
