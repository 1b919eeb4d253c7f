"""Every counterfactual estimator in one list, and the front that applies them to a log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.formats.scores import read_scores
from rankwise.feedback.estimators.estimate import ValueEstimate
from rankwise.feedback.estimators.log_evidence import Floats, LogEvidence, gather_evidence
from rankwise.feedback.log import ClickLog
from rankwise.feedback.log_files import read_log
from rankwise.feedback.propensities.propensities import Propensities
from rankwise.models.model import Model
from rankwise.models.model_file import load_model
from rankwise.registry import Registry
from rankwise.tables.notebook import Rows, Tabular

ESTIMATORS: Registry[Callable[[LogEvidence, str], ValueEstimate]] = Registry(
    "estimator",
    {
        "ips": "rankwise.feedback.estimators.inverse_propensity:estimate",
        "snips": "rankwise.feedback.estimators.self_normalized:estimate",
        "dr": "rankwise.feedback.estimators.doubly_robust:estimate",
    },
)


@dataclass(frozen=True)
class LogEvaluation(Tabular):
    """What a log says about a ranker, by several estimators."""

    estimates: tuple[ValueEstimate, ...]
    sessions: int

    def _table(self) -> Rows:
        columns = ("estimator", "goal", "value", "standard error", "low", "high")
        return columns, [
            (one.estimator, one.goal, one.value, one.standard_error, one.low, one.high)
            for one in self.estimates
        ]


def evaluate_from_log(
    log: ClickLog | str | Path,
    ranker: Model | Floats | str | Path,
    propensities: Propensities | str | Path,
    *,
    goal: str = "DCG@10",
    estimators: Iterable[str] = tuple(ESTIMATORS),
    exposures: str | Floats = "position",
    data: Dataset | str | Path | None = None,
) -> LogEvaluation:
    """What a ranker would be worth to the users of a log that another ranker made.

    Args:
        log: a log, or its file.
        ranker: a model, its file, scores of the documents of `data`, or their file.
        propensities: by position, or their file.
        goal, exposures: as `gather_evidence` takes them.
        estimators: names of `ESTIMATORS`.
        data: the documents of a log that is read from a file without features.
    """
    found = log if isinstance(log, ClickLog) else read_log(log, data)
    found.check_contrast()
    known = (
        propensities if isinstance(propensities, Propensities) else Propensities.load(propensities)
    )
    evidence = gather_evidence(found, _scores(ranker, found.dataset), known, goal, exposures)
    estimates = [find_estimator(name)(evidence, goal) for name in estimators]
    return LogEvaluation(tuple(estimates), found.n_sessions)


def _scores(ranker: Model | Floats | str | Path, dataset: Dataset) -> Floats:
    if isinstance(ranker, Model):
        return ranker.score(dataset)
    if isinstance(ranker, np.ndarray):
        return np.asarray(ranker, dtype=np.float64)
    if Path(ranker).suffix == ".json":
        return load_model(ranker).score(dataset)
    return np.asarray(read_scores(ranker).values, dtype=np.float64)


def find_estimator(name: str) -> Callable[[LogEvidence, str], ValueEstimate]:
    """The estimator of a registered name; a misspelt one suggests the nearest."""
    return ESTIMATORS[name]
