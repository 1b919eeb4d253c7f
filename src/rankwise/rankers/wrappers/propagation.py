"""Propagation: what a ranker says of a document also counts for those that are related to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Watch
from rankwise.rankers.scorers.propagated import (
    FEATURES,
    HIGHEST_RATE,
    MOST_NEIGHBOURS,
    MOST_STEPS,
    SCORES,
    Flow,
    Propagated,
)
from rankwise.rankers.training.relations import refuse_unrelated
from rankwise.rankers.wrappers.wrapper import Wrapper


@dataclass(frozen=True)
class Propagation(Wrapper):
    """s = α W s + (1 − α) s0: the scores s0 of any ranker, propagated along a relation.

    W_ij is the weight of the relation from document i to j of the query, divided by the sum of
    those of i; a document that is related to none keeps its score. `steps` 0 goes to the limit, s =
    (1 − α) (I − α W)^-1 s0. With `what` = features it is the features that flow, and the ranker
    learns from them beside the features as they are, 2 × as many. α = 0 is the ranker alone, so
    that validation may choose to leave relations out.

    This is relevance propagation in the general form of the paper, whose h(d) = α s(d) + (1 − α)
    Σ w h(d') it is with the roles of α and 1 − α changed; its weights of links and of the sitemap
    come with the data here. Not the propagation features of LETOR (41 to 48), which are columns of
    the data and flow before anything is learned.

    Qin, Liu, Zhang, Chen, Ma (2005). A study of relevance propagation for web search. SIGIR 2005.
    """

    name: ClassVar[str] = "propagation"
    paper: ClassVar[str] = "Qin, Liu, Zhang, Chen and Ma (2005), SIGIR"
    uses_relations: ClassVar[bool] = True

    alpha: float = parameter(
        0.4,
        "α, the share that comes from related documents",
        grid=(0.0, 0.2, 0.4, 0.6, 0.8),
        lowest=0.0,
        highest=HIGHEST_RATE,
    )
    relation: str = parameter("all", "the relation by its name; all adds up those of the data")
    neighbours: int = parameter(
        10,
        "how many related documents of each one count, the strongest; 0 is all",
        lowest=0,
        highest=MOST_NEIGHBOURS,
    )
    steps: int = parameter(0, "how often scores flow; 0 is to the limit", lowest=0,
                           highest=MOST_STEPS)  # fmt: skip
    what: str = parameter(SCORES, "what flows", choices=(SCORES, FEATURES))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.what == FEATURES:
            # What is absent cannot flow.
            object.__setattr__(self, "handles_null", False)

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Propagated, dict[str, Any]]:
        flow = Flow(self.relation, self.neighbours, self.alpha, self.steps)
        parts = [train] if validation is None else [train, validation]
        for part in parts:
            refuse_unrelated(part, self.relation, self.name)
        if self.what == FEATURES:
            parts = [flow.beside(part) for part in parts]
        model = self.fit_wrapped(parts[0], parts[1] if validation else None, rng, watch)
        return Propagated(model.scorer, flow, self.what), dict(model.facts)
