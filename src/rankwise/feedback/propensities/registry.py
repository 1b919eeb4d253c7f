"""Every way to estimate propensities in one list."""

from __future__ import annotations

from pathlib import Path

from rankwise.feedback.log import ClickLog
from rankwise.feedback.log_files import read_log
from rankwise.feedback.propensities.method import PropensityMethod
from rankwise.feedback.propensities.propensities import Propensities
from rankwise.registry import Registry

PROPENSITY_METHODS: Registry[type[PropensityMethod]] = Registry(
    "method of propensities",
    {
        "randomization": "rankwise.feedback.propensities.randomization:Randomization",
        "harvesting": "rankwise.feedback.propensities.harvesting:Harvesting",
        "em": "rankwise.feedback.propensities.expectation_maximization:ExpectationMaximization",
        "regression-em": "rankwise.feedback.propensities.expectation_maximization:RegressionEM",
    },
)


def find_propensity_method(name: str) -> PropensityMethod:
    """The method of a registered name; a misspelt one suggests the nearest."""
    return PROPENSITY_METHODS[name]()


def estimate_propensities(
    log: ClickLog | str | Path, method: str = "em", *, resamples: int = 20, seed: int = 0
) -> Propensities:
    """How likely each position of a log is examined, against the first.

    Args:
        log: a log, or the file of one.
        method: one of `PROPENSITY_METHODS`.
        resamples: draws of the queries from which standard errors come.
        seed: of these draws.
    """
    found = log if isinstance(log, ClickLog) else read_log(log)
    found.check_contrast()
    return find_propensity_method(method).apply(found, resamples=resamples, seed=seed)
