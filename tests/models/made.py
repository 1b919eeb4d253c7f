"""Made-up models of every kind that can be made without training."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import Relation
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile
from rankwise.models.scorers.attention import Attention, AttentionSizes
from rankwise.models.scorers.by_query import ClassModels, Clusters, NearestQueries, QueryPoints
from rankwise.models.scorers.expression import Expression
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Comparator, Network, PairPotentials
from rankwise.models.scorers.relation_scorers import Flow, Propagated, Smoothed
from rankwise.models.scorers.rules import AssociationRules, QueryRules, RuleBounds, RuleData
from rankwise.models.scorers.scorer import Scorer
from rankwise.models.scorers.stumps import Stumps
from rankwise.models.scorers.trees import ExpectedLabel, Trees
from rankwise.rankers.boosting.transductive import ProjectedBoosting


def random_trees(
    rng: np.random.Generator, width: int = 4, trees: int = 5, inner: int = 7, divisor: float = 1.0
) -> Trees:
    """Trees grown by splitting a random leaf; thresholds are not single precision numbers."""
    columns, left, right, roots = [], [], [], []
    leaves = 0
    for _ in range(trees):
        roots.append(len(columns))
        open_ends: list[tuple[list[int], int]] = []
        for number in range(inner):
            if number:
                side, place = open_ends.pop(rng.integers(len(open_ends)))
                side[place] = len(columns)
            columns.append(int(rng.integers(width)))
            left.append(0)
            right.append(0)
            open_ends += [(left, len(columns) - 1), (right, len(columns) - 1)]
        for side, place in open_ends:
            leaves += 1
            side[place] = -leaves
    nodes = len(columns)
    return Trees(
        columns=np.array(columns),
        thresholds=rng.normal(size=nodes),
        missing=rng.choice([0, 2], nodes),
        missing_left=rng.integers(0, 2, nodes),
        left=np.array(left),
        right=np.array(right),
        gains=rng.random(nodes),
        roots=np.array(roots),
        values=rng.normal(size=leaves),
        width=width,
        divisor=divisor,
    )


def with_categories(trees: Trees, rng: np.random.Generator, highest: int = 9) -> Trees:
    """The trees with categories in place of the thresholds of features 1 and 3."""
    own = [
        np.sort(rng.permutation(highest)[: rng.integers(1, highest)]) if column % 2 == 0 else []
        for column in trees.columns.tolist()
    ]
    return replace(
        trees,
        category_counts=np.array([len(one) for one in own]),
        categories=np.concatenate(own).astype(np.int64),
    )


def random_stumps(rng: np.random.Generator, width: int = 4, stumps: int = 20) -> Stumps:
    return Stumps.of(
        rng.integers(0, width, stumps), rng.normal(size=stumps), rng.normal(size=stumps), width
    )


def random_network(rng: np.random.Generator, width: int = 4, hidden: int = 3) -> Network:
    return Network(
        sizes=(width, hidden, 1),
        weights=rng.normal(size=width * hidden + hidden),
        biases=rng.normal(size=hidden + 1),
        means=rng.normal(size=width),
        scales=rng.random(width) + 0.5,
        activation="tanh",
    )


def random_attention(rng: np.random.Generator, width: int = 4) -> Attention:
    sizes = AttentionSizes(width, width=6, heads=2, inner=5, blocks=2, outputs=2)
    weights = rng.normal(size=sizes.count)
    return Attention(sizes, weights, rng.normal(size=width), rng.random(width) + 0.5, "tanh")


def random_documents(rng: np.random.Generator) -> Dataset:
    """Five queries of six documents with four features and grades 0 to 2."""
    labels = np.tile([0.0, 1.0, 2.0], 10)
    return Dataset.from_arrays(rng.normal(size=(30, 4)), labels, group=[6] * 5)


def random_rules(rng: np.random.Generator) -> RuleData:
    return RuleData.of(random_documents(rng), 4, "lac-mr-or")


def random_class_models(rng: np.random.Generator) -> ClassModels:
    """Two clusters of queries by the points of their documents, with a model each."""
    whole, *models = (Linear(rng.normal(size=4)) for _ in range(3))
    clusters = Clusters(rng.normal(size=(2, 4)), rng.random(4) + 0.5, QueryPoints(0, 2))
    return ClassModels(whole, ("0", "1"), tuple(models), clusters)


def made_models() -> dict[str, Scorer]:
    rng = np.random.default_rng(7)
    return {
        "linear": Linear(rng.normal(size=4) * 10.0 ** rng.integers(-9, 9, 4), intercept=0.1),
        "trees": random_trees(rng),
        "stumps": random_stumps(rng),
        "network": random_network(rng),
        "attention": random_attention(rng),
        "comparator": Comparator(
            rng.normal(size=(3, 4)),
            rng.normal(size=(3, 4)),
            *rng.normal(size=(2, 3)),
            rng.normal(size=4),
            rng.random(4) + 0.5,
        ),
        "pair-potentials": PairPotentials(
            rng.normal(size=4),
            rng.normal(size=(3, 4)),
            rng.normal(size=3),
            rng.normal(size=4),
            rng.random(4) + 0.5,
        ),
        "expected-label": ExpectedLabel(
            np.array([0.0, 1.0, 2.0]), tuple(random_trees(rng) for _ in range(3))
        ),
        "expression": Expression.of(
            ["x1", "x2", 0.1, "*", "+", "x3", "x4", "/", "log", "x1", "x3", "-", "*", "-"], 4
        ),
        "nearest-queries": NearestQueries(
            QueryPoints(1, 3),
            rng.random(4) + 0.5,
            rng.normal(size=(3, 4)),
            np.array([[0, 1], [1, 2], [2, 0]]),
            tuple(Linear(rng.normal(size=4)) for _ in range(2)),
            np.array([0, 1, 1]),
            "overlap",
        ),
        "class-models": random_class_models(rng),
        "association-rules": AssociationRules(random_rules(rng), RuleBounds(2, 0.0, 0.0)),
        "query-rules": QueryRules(random_rules(rng), RuleBounds(1, 0.0, 0.0), 2),
        "projected-boosting": ProjectedBoosting(
            random_documents(rng), random_stumps(rng), "svd", 2, 3, 5
        ),
        "smoothed": Smoothed(Linear(rng.normal(size=4)), "all", 10, 0.5),
        "propagated": Propagated(random_trees(rng), Flow("links", 0, 0.3, 2), "scores"),
    }


def scores_of(scorer: Scorer, rows: np.ndarray) -> np.ndarray:
    """The scores of rows; where relations are needed each row is related to the next."""
    if not scorer.needs_relations:
        return scorer.score(rows)
    places = (np.arange(len(rows)) + 1) % len(rows)
    ring = Relation("links", np.arange(len(rows) + 1), places, np.ones(len(rows)))
    data = Dataset.from_arrays(rows, np.zeros(len(rows)), group=[len(rows)])
    return scorer.score_dataset(replace(data, relations=(ring,)))


def model_file(scorer: Scorer, names: tuple[str, ...] | None = None) -> ModelFile:
    facts = {"round": 3}
    model = Model("ridge-regression", {"regularization": 0.1}, scorer, facts, feature_names=names)
    return ModelFile(model, "Somebody (2001)")
