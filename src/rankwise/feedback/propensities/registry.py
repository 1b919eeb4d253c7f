"""Every way to estimate propensities in one list."""

from __future__ import annotations

import importlib
from difflib import get_close_matches
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.feedback.log import ClickLog
from rankwise.feedback.log_files import read_log
from rankwise.feedback.propensities.method import PropensityMethod
from rankwise.feedback.propensities.propensities import Propensities

PROPENSITY_METHODS = {
    "randomization": "randomization:Randomization",
    "harvesting": "harvesting:Harvesting",
    "em": "expectation_maximization:ExpectationMaximization",
    "regression-em": "expectation_maximization:RegressionEM",
}


def find_propensity_method(name: str) -> PropensityMethod:
    """The method of a registered name; a misspelt one suggests the nearest."""
    home = PROPENSITY_METHODS.get(name)
    if home is None:
        near = get_close_matches(name, PROPENSITY_METHODS, n=1)
        known = ", ".join(PROPENSITY_METHODS)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {known}"
        raise RankwiseError(f"there is no method of propensities {name!r}; {hint}")
    module, attribute = home.split(":")
    found = importlib.import_module(f"rankwise.feedback.propensities.{module}")
    method: PropensityMethod = getattr(found, attribute)()
    return method


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
