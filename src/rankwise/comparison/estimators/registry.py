"""The estimators by name: what `rankwise compare --by` takes and `--holes` sets side by side."""

from __future__ import annotations

from rankwise.comparison.estimators.bradley_terry import estimate_bradley_terry
from rankwise.comparison.estimators.estimate import Estimator
from rankwise.comparison.estimators.mean_rank import estimate_mean_rank
from rankwise.comparison.estimators.mixed_model import estimate_mixed_model
from rankwise.comparison.estimators.plackett_luce import estimate_plackett_luce
from rankwise.comparison.estimators.scaled_mixed_model import estimate_scaled_mixed_model
from rankwise.comparison.estimators.winning_number import estimate_winning_number
from rankwise.registry import Registry

_SCATTER = "from the scatter over data sets, pooled over methods"
_EXCESS = "from the curvature of the likelihood, widened by the scatter over data sets"
_ERRORS = "from the prediction errors of the model"

# fmt: off
_ALL = (
    Estimator("nwn", "Normalized Winning Number", False, _SCATTER, estimate_winning_number),
    Estimator("mean-rank", "Mean rank", False, _SCATTER, estimate_mean_rank),
    Estimator("bradley-terry", "Bradley-Terry", True, _SCATTER, estimate_bradley_terry),
    Estimator("plackett-luce", "Plackett-Luce", True, _EXCESS, estimate_plackett_luce),
    Estimator("mixed-model", "Mixed model of values", True, _ERRORS, estimate_mixed_model),
    Estimator(
        "scaled-mixed-model", "Mixed model of scaled values", True, _ERRORS,
        estimate_scaled_mixed_model,
    ),
)
# fmt: on

ESTIMATORS: Registry[Estimator] = Registry("way to rank methods", {one.name: one for one in _ALL})
DEFAULT_ESTIMATOR = "nwn"


def find_estimator(name: str) -> Estimator:
    """The estimator of this name; an unknown one is an error that names those there are."""
    return ESTIMATORS[name]
