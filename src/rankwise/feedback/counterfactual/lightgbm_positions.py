"""LightGBM's own correction: lambdarank that learns what each position adds to a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.formats.lightgbm_text import trees_of_text
from rankwise.models.scorers.trees import Trees
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Round, Watch
from rankwise.rankers.trees.lightgbm_training import common_settings


@dataclass(frozen=True)
class LightGBMPositions(Ranker):
    """LambdaMART on sessions, with or without LightGBM's `position`.

    A query is a session, its documents stand in the order shown, and labels are clicks, as
    `rankwise clicks convert --per session` writes them. With `corrected` the score of a document at
    position k is f(x) + b_k while trees grow; f alone ranks afterwards. LightGBM learns b_k by
    Newton steps with `lambdarank_position_bias_regularization`. Without it clicks count as they
    are.

    LightGBM, documentation of `lambdarank` and `position` (since 4.1); the idea of examination as
    an additive factor: Yan, Qin, Zhuang, Wang, Bendersky, Najork (2022). Revisiting two-tower
    models for unbiased learning to rank. SIGIR.
    """

    name: ClassVar[str] = "rankwise.feedback:LightGBMPositions"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "LightGBM 4.1, lambdarank with position"
    handles_null: ClassVar[bool] = True

    corrected: bool = parameter(True, "give LightGBM the positions")
    rounds: int = parameter(100, "trees", lowest=1)
    learning_rate: float = parameter(0.05, "what each tree's output is multiplied by", lowest=1e-9)
    leaves: int = parameter(15, "leaves of a tree at most", lowest=2)
    least_documents: int = parameter(200, "impressions in a leaf at least", lowest=1)
    regularization: float = parameter(
        0.0, "LightGBM's lambdarank_position_bias_regularization", lowest=0.0
    )

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Trees, dict[str, Any]]:
        try:
            import lightgbm
        except ImportError as error:
            raise MissingExtra(self.name, "trees") from error
        if np.any((train.labels != 0.0) & (train.labels != 1.0)):
            raise RankwiseError(
                f"{self.name} takes sessions labelled by clicks, 0 or 1, found other labels; make "
                "them by 'rankwise clicks convert --per session'"
            )
        starts = np.repeat(train.query_offsets[:-1], train.query_lengths)
        positions = np.arange(train.n_documents) - starts
        settings = common_settings(train) | {
            "objective": "lambdarank",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.least_documents,
            "lambdarank_position_bias_regularization": self.regularization,
        }
        data = lightgbm.Dataset(
            train.features,
            train.labels,
            group=train.query_lengths,
            position=positions if self.corrected else None,
            params=settings,
        )
        booster = lightgbm.Booster(settings, data)
        for number in range(1, self.rounds + 1):
            finished = booster.update()
            if watch(Round(number, self.rounds)) or finished:
                break
        facts = {"rounds": booster.current_iteration(), "sessions": train.n_queries}
        return trees_of_text(booster.model_to_string(), train.n_features), facts
