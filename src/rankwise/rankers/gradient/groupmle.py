"""GroupMLE: the likelihood that the documents of a label come before those of lower ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.padded import QueryBlock, query_blocks
from rankwise.rankers.parameters import parameter, regularization
from rankwise.rankers.ranker import Family
from rankwise.rankers.training.preferences import LabelLevels

SAMPLES = ("one-group", "group-group")


@dataclass(frozen=True, eq=False)
class GroupLikelihood:
    """Σ_i v_i (log Σ_{k ∈ G_i} exp(s_k) − s_i) over the documents i with lower labels below them.

    G_i, `one-group`: i itself and all documents of its query with a lower label.
    G_i, `group-group`: all documents of its query with the label of i or a lower one.

    The v of a query sum to 1/|Q|, Q the queries with such documents. For `one-group` they are
    equal: each document is a sample. For `group-group` each label is a sample, whose documents
    share its weight. Everything stays in logarithms.

    Attributes:
        order: rows by query and rising label.
        reach: by place in `order`, how many of the first places of the query are in G_i.
        covers: by place, from which place of the query on documents have this one in their G,
            other than it itself.
        weights: v_i by place; 0 for the documents of the lowest label.
        alone: whether G_i has i beside the first `reach` places.
        blocks: the queries as tables of places.
    """

    order: Integers
    reach: Integers
    covers: Integers
    weights: Floats
    alone: bool
    blocks: list[QueryBlock]

    @classmethod
    def of(cls, dataset: Dataset, samples: str) -> GroupLikelihood:
        """The samples of a data set."""
        levels = LabelLevels.of(dataset)
        alone = samples == "one-group"
        below, upto = levels.worse, _ends(levels)
        reach, covers = (below, upto) if alone else (upto, below)
        sizes = np.ones(len(below)) if alone else (upto - below).astype(np.float64)
        shares = np.where(below > 0, 1.0 / sizes, 0.0)
        sums = np.add.reduceat(shares, dataset.query_offsets[:-1])
        used = max(1, int(np.count_nonzero(sums)))
        weights = shares / np.repeat(np.where(sums > 0.0, sums * used, 1.0), dataset.query_lengths)
        blocks = query_blocks(dataset.query_offsets)
        return cls(levels.order, reach, covers, weights, alone, blocks)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        sorted_scores = scores[self.order]
        found = np.empty(len(scores))
        total = 0.0
        for block in self.blocks:
            value, slopes = self._block(block, sorted_scores)
            total += value
            block.scatter(slopes, found)
        slopes = np.empty(len(scores))
        slopes[self.order] = found
        return total, slopes

    def _block(self, block: QueryBlock, sorted_scores: Floats) -> tuple[float, Floats]:
        scores, weights = block.gather(sorted_scores), block.gather(self.weights)
        sums = np.logaddexp.accumulate(np.where(block.real, scores, -np.inf), axis=1)
        masses = _at_places(sums, self.reach[block.rows] - 1)
        if self.alone:
            masses = np.logaddexp(masses, scores)
        counted = weights > 0.0
        costs = np.where(counted, masses - scores, 0.0)
        with np.errstate(divide="ignore"):
            pulls = np.where(counted, np.log(weights) - masses, -np.inf)
        behind = np.logaddexp.accumulate(pulls[:, ::-1], axis=1)[:, ::-1]
        shares = _at_places(behind, self.covers[block.rows])
        # With `alone` the document itself pulls at its own score as well.
        raised = np.logaddexp(shares, pulls) if self.alone else shares
        return float((weights * costs).sum()), np.exp(scores + raised) - weights


def _ends(levels: LabelLevels) -> Integers:
    """By place in the order how many documents of the query have its label or a lower one."""
    starts = np.repeat(levels.query_offsets[:-1], np.diff(levels.query_offsets))
    begins = np.append(starts + levels.worse, len(starts))
    changes = np.flatnonzero(np.diff(begins)) + 1
    following = changes[np.searchsorted(changes, np.arange(len(starts)), side="right")]
    return following - starts


def _at_places(values: Floats, places: Integers) -> Floats:
    """The values at some place of each row; −∞ at places outside of it."""
    within = (places >= 0) & (places < values.shape[1])
    taken = np.take_along_axis(values, np.where(within, places, 0), axis=1)
    return np.where(within, taken, -np.inf)


@dataclass(frozen=True)
class GroupMLE(GradientRanker):
    """Minimise λ/2 ‖w‖² − Σ_i v_i log(exp(s_i) / Σ_{k ∈ G_i} exp(s_k)), s_i = w · x_i.

    i runs over the documents above the lowest label of their query. G_i is i with all documents
    of lower labels (`one-group`: one document against a group), or all documents of the label of
    i and lower ones (`group-group`: a group against a group). v_i makes every query count the
    same, and within it every sample: a document, or a group, whose documents share its weight.

    Both kinds of sample and a likelihood as ListMLE's are the paper's; its text was not at hand,
    so that the weights, the group-group likelihood, and that lower groups count together are
    guesses. The objective is convex, and L-BFGS goes to its one minimum. Not `listmle`, which
    puts an order on equal labels, and not GroupCE, whose target is not known.

    Lin, Lin, Yang, Su (2010). Learning to rank with groups. CIKM.
    """

    name: ClassVar[str] = "groupmle"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Lin, Lin, Yang and Su (2010), CIKM"
    guesses: ClassVar[tuple[str, ...]] = (
        "every query and every sample of it weigh the same",
        "a group's likelihood is shared by its documents",
        "all lower groups are taken together",
    )

    regularization: float = regularization(
        1e-2, "the mean over queries", grid=(1e-3, 1e-2, 1e-1, 1.0), highest=None
    )
    samples: str = parameter(
        "one-group", "what is put before lower labels", grid=SAMPLES, choices=SAMPLES
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> GroupLikelihood:
        return GroupLikelihood.of(dataset, self.samples)
