"""GroupMLE: the likelihood that the documents of a label come before those of lower ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.label_groups import SAMPLES, GroupLikelihood
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


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

    regularization: float = parameter(
        1e-2,
        "λ, the weight of ‖w‖²/2 beside the mean over queries",
        grid=(1e-3, 1e-2, 1e-1, 1.0),
        lowest=1e-9,
    )
    samples: str = parameter(
        "one-group", "what is put before lower labels", grid=SAMPLES, choices=SAMPLES
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> GroupLikelihood:
        return GroupLikelihood.of(dataset, self.samples)
