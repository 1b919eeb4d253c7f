"""What each feature contributes to the scores of one query, against its other documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.explanations.contributions import is_exact
from rankwise.models.explanations.given_model import give
from rankwise.models.explanations.importance import query_contributions
from rankwise.models.model import Model
from rankwise.tables.notebook import Rows, Tabular, shortened


@dataclass(frozen=True)
class ExplainedDocument:
    """A document with its score; `contributions` by feature add up to score − mean of the query."""

    document: str
    score: float
    contributions: Mapping[str, float]


@dataclass(frozen=True)
class ScoreExplanation(Tabular):
    """The documents of a query in the order of their scores.

    Attributes:
        query: its id.
        mean_score: of its documents, from which the contributions lead to each score.
        documents: the highest score first.
        exact: whether contributions were computed, or estimated from sampled orders of features.
    """

    query: str
    mean_score: float
    documents: tuple[ExplainedDocument, ...]
    exact: bool

    def __repr__(self) -> str:
        first = self.documents[0]
        name, value = max(first.contributions.items(), key=lambda one: abs(one[1]))
        return shortened(
            f"query {self.query}: {len(self.documents)} documents, {first.document} first, "
            f"most by {name} ({value:+.4g})"
        )

    def _table(self) -> Rows:
        names = tuple(self.documents[0].contributions)
        rows = [(one.document, one.score, *one.contributions.values()) for one in self.documents]
        return ("document", "score", *names), rows


def explain_scores(
    model: Model | str | Path,
    data: Dataset | str | Path,
    *,
    query: str | None = None,
    seed: int = 0,
) -> ScoreExplanation:
    """Query-centred contributions of all features to the scores of one query.

    Args:
        model: a model or its file.
        data: a data set or its file.
        query: its id; the first of the data where none is named.
        seed: of the sampled orders of features, for models that have no closed form.
    """
    given = give(model, data)
    number = given.find_query(query)
    start, end = given.data.query_offsets[number : number + 2].tolist()
    scores = given.model.score(given.data)[start:end]
    shares = query_contributions(given, number, seed)
    documents = given.document_names(start, end)
    ranking = np.argsort(-scores, kind="stable").tolist()
    return ScoreExplanation(
        query=list(given.data.query_ids)[number],
        mean_score=float(scores.mean()),
        documents=tuple(
            ExplainedDocument(
                documents[place],
                float(scores[place]),
                dict(zip(given.names, shares[place].tolist(), strict=True)),
            )
            for place in ranking
        ),
        exact=is_exact(given.model.scorer),
    )
