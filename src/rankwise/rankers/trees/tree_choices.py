"""What boosted trees may be asked for beyond their number and size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.rankers.trees.feature_choices import (
    categorical_columns,
    categorical_text,
    monotone_directions,
    monotone_text,
)
from rankwise.shown import brief

DEVICES = ("cpu", "gpu", "cuda")


@dataclass(frozen=True)
class TreeChoices:
    """The hyper-parameters of these names, as LambdaMART and MART have them.

    Attributes:
        ranker: the name of the method, for messages.
        l2: λ, which is added to the second derivatives of every leaf: Σ slopes / (Σ curves + λ).
        feature_fraction: the share of the features, drawn anew for each tree, that it may split on.
        monotone: which features may only raise or only lower the score; see `feature_choices`.
        categorical: which features hold categories rather than quantities.
        device: where histograms are computed.
    """

    ranker: str
    l2: float
    feature_fraction: float
    monotone: str
    categorical: str
    device: str

    @classmethod
    def of(cls, ranker: Any) -> TreeChoices:
        """Those of a ranker that has them all."""
        names = ("l2", "feature_fraction", "monotone", "categorical", "device")
        return cls(ranker.name, *(getattr(ranker, name) for name in names))

    def settings(
        self, width: int, names: tuple[str, ...] | None, rng: np.random.Generator
    ) -> dict[str, Any]:
        """LightGBM's parameters for data of `width` features; none where nothing is asked for.

        Only `feature_fraction` draws a random number, and only where it is below 1.
        """
        found: dict[str, Any] = {}
        if self.l2:
            found["lambda_l2"] = self.l2
        if self.feature_fraction < 1.0:
            seed = int(rng.integers(2**31))
            found |= {"feature_fraction": self.feature_fraction, "feature_fraction_seed": seed}
        directions = monotone_directions(self.monotone, width, names, self.ranker)
        if any(directions):
            self._refuse_ordered_categories(directions, self.columns(width, names))
            found["monotone_constraints"] = directions
        if self.device != "cpu":
            found["device_type"] = self.device
        return found

    def columns(self, width: int, names: tuple[str, ...] | None) -> tuple[int, ...]:
        """The columns of the features that hold categories."""
        return tuple(categorical_columns(self.categorical, width, names, self.ranker))

    def _refuse_ordered_categories(self, directions: list[int], columns: tuple[int, ...]) -> None:
        for column in columns:
            if directions[column]:
                raise RankwiseError(
                    f"{self.ranker}: categories have no order for a score to follow, found feature "
                    f"{column + 1} in both monotone and categorical; leave it out of one"
                )


def settle_tree_choices(ranker: Any) -> None:
    """Make texts of `monotone` and `categorical`, and tell `random`, as a frozen ranker begins.

    Devices are no declared choices of a hyper-parameter, since not all can be had everywhere.
    """
    if ranker.device not in DEVICES:
        raise RankwiseError(
            f"{ranker.name}: device must be one of {', '.join(DEVICES)}, found "
            f"{brief(ranker.device)}"
        )
    for name, write in (("monotone", monotone_text), ("categorical", categorical_text)):
        object.__setattr__(ranker, name, write(getattr(ranker, name), ranker.name))
    # Of this ranker, whatever others of its class do: nothing is drawn where all features are seen.
    object.__setattr__(ranker, "random", ranker.feature_fraction < 1.0)
