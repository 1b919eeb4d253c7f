"""What a source adds to a target: the gain over the target alone as its training part shrinks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance_tests.intervals import confidence_interval
from rankwise.experiments.planning import ExperimentPlan
from rankwise.experiments.transfer import TARGET_ONLY
from rankwise.results.store.store import Store
from rankwise.results.task_records import Subject
from rankwise.tables.notebook import Rows, Tabular, shortened

INTERVAL = "bca"


@dataclass(frozen=True)
class TransferQuestion:
    """On which target what is compared, by which measure under which tool.

    `methods` are the names of a plan by source, ranker, way and share; the source of the target
    alone is empty.
    """

    subject: Subject
    measure: str
    tool: str
    methods: Mapping[tuple[str, str, str, float], str]


@dataclass(frozen=True)
class TransferPoint:
    """One way at one share: the mean over all test queries, and what it gains.

    `gain` is the mean difference from the target alone at the same share; `low` and `high` are its
    95 % interval by the bootstrap over queries, paired.
    """

    target: str
    source: str
    method: str
    way: str
    share: float
    measure: str
    target_only: float
    value: float
    gain: float
    low: float
    high: float
    queries: int

    @property
    def differs(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True)
class TransferCurves(Tabular):
    """All points of a target, and sentences on methods that lack folds."""

    points: tuple[TransferPoint, ...]
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return shortened(f"TransferCurves of {len(self.points)} points")

    def curve(self, source: str, method: str, way: str) -> list[TransferPoint]:
        """The points of one way, the largest share first."""
        found = [p for p in self.points if (p.source, p.method, p.way) == (source, method, way)]
        return sorted(found, key=lambda point: -point.share)

    def _table(self) -> Rows:
        titles = tuple(TransferPoint.__dataclass_fields__)
        return titles, [tuple(vars(point).values()) for point in self.points]


def find_transfers(plan: ExperimentPlan) -> list[TransferQuestion]:
    """One for each target of the plan; the measure is the one that chooses, else the first."""
    found: dict[Subject, TransferQuestion] = {}
    for task in plan.tasks:
        step, subject = task.transfer, Subject.of(task.name)
        if step is None:
            continue
        measures, wanted = task.measures, task.selection.measure
        measure = wanted if wanted in measures else measures[0]
        asked = found.setdefault(subject, TransferQuestion(subject, measure, task.name.tool, {}))
        place = (step.source_name, step.method, step.way, step.share)
        found[subject] = TransferQuestion(
            subject, asked.measure, asked.tool, {**asked.methods, place: task.name.method}
        )
    return list(found.values())


def compute_gains(store: Store, question: TransferQuestion) -> TransferCurves:
    """Every way at every share that has its figures, beside the target alone."""
    names = set(question.methods.values())
    paired = store.paired(question.measure, question.tool, question.subject, names)
    values = {name: np.nan_to_num(found) for name, found in paired.values.items()}
    points = []
    for (source, method, way, share), name in question.methods.items():
        alone = question.methods.get(("", method, TARGET_ONLY, share))
        if way == TARGET_ONLY or alone not in values or name not in values:
            continue
        own, base = values[name], values[alone]
        low, high = _interval(own - base)
        points.append(
            TransferPoint(
                question.subject.dataset, source, method, way, share, question.measure,
                float(base.mean()), float(own.mean()), float((own - base).mean()), low, high,
                len(own),
            )
        )  # fmt: skip
    return TransferCurves(tuple(points), tuple(paired.sentences))


def _interval(
    differences: NDArray[np.float64],
) -> tuple[float, float]:
    """The interval; of differences that are all alike, which have none, their mean."""
    found = confidence_interval(differences, INTERVAL)
    if math.isnan(found.low):
        mean = float(differences.mean())
        return mean, mean
    return found.low, found.high
