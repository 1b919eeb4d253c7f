"""Every click model in one list, and users written `model` or `model:setting`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feedback.click_models.model import ClickModel
from rankwise.registry import Registry

CLICK_MODELS: Registry[type[ClickModel]] = Registry(
    "click model",
    {
        "position-based": "rankwise.feedback.click_models.position_based:PositionBased",
        "cascade": "rankwise.feedback.click_models.cascade:Cascade",
        "dependent-click": "rankwise.feedback.click_models.dependent_click:DependentClick",
        "dynamic-bayesian": "rankwise.feedback.click_models.dynamic_bayesian:DynamicBayesian",
    },
)
_MOST_GRADES = 32


def find_click_model(name: str) -> type[ClickModel]:
    """The class of a registered name; a misspelt one suggests the nearest."""
    return CLICK_MODELS[name]


def make_user(user: str | ClickModel, grades: int, noise: float | None = None) -> ClickModel:
    """The user `model:setting` for labels 0 to `grades` − 1; a model comes back as it is.

    `noise` replaces that of the setting.
    """
    if isinstance(user, str):
        name, _, setting = user.partition(":")
        model = find_click_model(name)
        known = model.settings(grades)
        setting = setting or model.default_setting
        if setting not in known:
            raise RankwiseError(f"{name} has no setting {setting!r}; it has {', '.join(known)}")
        user = known[setting]
    if len(user.attraction) < grades:
        raise RankwiseError(
            f"{user.name}: there must be a chance for each of the {grades} grades of the labels, "
            f"found {len(user.attraction)}"
        )
    return user if noise is None else replace(user, noise=noise)


def count_grades(dataset: Dataset) -> int:
    """How many grades the labels have, which must be whole numbers from 0."""
    labels = dataset.labels
    lowest, highest = labels.min(initial=0.0), labels.max(initial=0.0)
    if lowest < 0.0 or highest >= _MOST_GRADES or np.any(labels != np.floor(labels)):
        raise RankwiseError(
            f"simulated users need labels that are whole numbers from 0 to {_MOST_GRADES - 1}, "
            f"found {lowest:g} to {highest:g}, or fractions"
        )
    return max(2, int(highest) + 1)
