"""Explanations of documents: what each feature contributes to their scores, and to their order.

Why one document is ranked above another is the difference of their scores, feature by feature: the
Shapley values of the upper document against the lower one, which add up to that difference. The
scores of one query are explained against its other documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.explanations.model_importance import query_contributions
from rankwise.models.explanations.shapley import contributions, is_exact
from rankwise.models.model import Model
from rankwise.models.scoring import give
from rankwise.tables.notebook import Rows, Tabular, shortened

Floats = NDArray[np.float64]
_MOST_NAMED = 3


@dataclass(frozen=True)
class FeatureContribution:
    """What one feature adds to the difference; `above` and `below` are the documents' values."""

    feature: str
    above: float
    below: float
    contribution: float


@dataclass(frozen=True)
class OrderExplanation(Tabular):
    """Why a document is above another for a query.

    Attributes:
        query: its id.
        above, below: the documents.
        score_above, score_below: their scores.
        contributions: of all features, the greatest first; they add up to the difference.
        exact: whether they were computed, or estimated from sampled orders of the features.
    """

    query: str
    above: str
    below: str
    score_above: float
    score_below: float
    contributions: tuple[FeatureContribution, ...]
    exact: bool

    @property
    def difference(self) -> float:
        """By how much the upper document's score is higher."""
        return self.score_above - self.score_below

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if self.difference == 0.0:
            head = f"For query {self.query}, {self.above} and {self.below} have the same score"
        else:
            head = (
                f"For query {self.query}, {self.above} is above {self.below}: its score of "
                f"{self.score_above:.4g} is {self.difference:.4g} higher"
            )
        counted = [one for one in self.contributions if one.contribution != 0.0]
        if not counted:
            return f"{head}; no feature of the model tells them apart."
        named = "; ".join(map(_phrase, counted[:_MOST_NAMED]))
        rest = counted[_MOST_NAMED:]
        if not rest:
            return f"{head}. {named}."
        others = sum(one.contribution for one in rest)
        if len(rest) == 1:
            return f"{head}. {named}; {rest[0].feature} {_verb(others)}."
        return (
            f"{head}. {named}; {len(rest)} other features together {_verb(others, several=True)}."
        )

    def __repr__(self) -> str:
        return shortened(self.sentence)

    def _table(self) -> Rows:
        titles = tuple(FeatureContribution.__dataclass_fields__)
        return titles, [tuple(vars(one).values()) for one in self.contributions]


def explain_order(
    model: Model | str | Path,
    data: Dataset | str | Path,
    *,
    query: str | None = None,
    above: str | None = None,
    below: str | None = None,
    seed: int = 0,
) -> OrderExplanation:
    """Why a document is above another, by a model.

    Args:
        model: a model or its file.
        data: a data set or its file.
        query: its id; where none is named the first of the data that has two documents.
        above, below: documents, by their ids, or where the data have none by their numbers within
            the query, from 1; the first and the second of the ranking where none is named.
        seed: of the sampled orders of features, for models that have no closed form.
    """
    given = give(model, data)
    number = given.find_query(query, fewest=2)
    start, end = given.data.query_offsets[number : number + 2].tolist()
    rows = given.data.features[start:end]
    scores = given.model.score(given.data)[start:end]
    names = given.document_names(start, end)
    ranking = np.argsort(-scores, kind="stable").tolist()
    upper = ranking[0] if above is None else _find(names, above)
    others = [place for place in ranking if place != upper]
    lower = others[0] if below is None else _find(names, below)
    if scores[upper] < scores[lower]:
        raise RankwiseError(
            f"{names[upper]} is not above {names[lower]}: its score is {scores[upper]:.6g}, "
            f"that of the other {scores[lower]:.6g}; name them the other way round"
        )
    if upper == lower:
        raise RankwiseError(f"two documents are compared, found {names[upper]} twice")
    scorer = given.model.scorer
    shares = contributions(scorer, rows[upper : upper + 1], rows[lower : lower + 1], seed=seed)[0]
    return OrderExplanation(
        query=list(given.data.query_ids)[number],
        above=names[upper],
        below=names[lower],
        score_above=float(scores[upper]),
        score_below=float(scores[lower]),
        contributions=_listed(given.names, rows[upper], rows[lower], shares),
        exact=is_exact(scorer),
    )


def _find(names: list[str], wanted: str) -> int:
    if wanted not in names:
        raise RankwiseError(
            f"the document must be one of the query's {len(names)} ({names[0]}, …), "
            f"found {wanted!r}"
        )
    return names.index(wanted)


def _listed(
    names: tuple[str, ...], above: Floats, below: Floats, shares: Floats
) -> tuple[FeatureContribution, ...]:
    order = np.argsort(-np.abs(shares), kind="stable").tolist()
    return tuple(
        FeatureContribution(names[j], float(above[j]), float(below[j]), float(shares[j]))
        for j in order
    )


def _phrase(one: FeatureContribution) -> str:
    values = f"{_value(one.above)} against {_value(one.below)}"
    return f"{one.feature} ({values}) {_verb(one.contribution)}"


def _verb(amount: float, several: bool = False) -> str:
    ending = "" if several else "s"
    return f"add{ending} {amount:.4g}" if amount >= 0.0 else f"take{ending} {-amount:.4g} away"


def _value(value: float) -> str:
    return "NULL" if value != value else f"{value:.4g}"


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
