"""The protocol of LETOR on the real folds: the grid chosen on validation MAP, figures on test."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise import read
from rankwise.data.dataset import Dataset
from rankwise.models.model import Model
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.training.training_measure import TrainingMeasure

HOMES = {
    "ohsumed": ("data/letor3/OHSUMED/QueryLevelNorm", "letor3"),
    "mq2008": ("data/letor4/MQ2008", "letor4"),
}


def five_fold_means(
    shared: Path, data: str, ranker: type[Ranker], measures: tuple[str, ...]
) -> NDArray[np.float64]:
    """The mean over five folds of each measure on test."""
    tool = HOMES[data][1]
    rows = []
    for number in range(1, 6):
        train, validation, test = real_fold(shared, data, number)
        scores = choose_model(ranker, tool, train, validation).score(test)
        rows.append([TrainingMeasure.of(test, name, tool).mean(scores) for name in measures])
    return np.mean(rows, axis=0)


@cache
def real_fold(shared: Path, data: str, number: int) -> tuple[Dataset, Dataset, Dataset]:
    """Training, validation and test part."""
    folder = shared / HOMES[data][0] / f"Fold{number}"
    return read(folder / "train.txt"), read(folder / "vali.txt"), read(folder / "test.txt")


def choose_model(ranker: type[Ranker], tool: str, train: Dataset, validation: Dataset) -> Model:
    """Of the models of the grid the one with the best MAP on validation."""
    grids = {entry.name: entry.grid for entry in parameters_of(ranker) if entry.grid}
    fixed = {"tool": tool} if ranker.uses_measure else {}
    models = [
        ranker(**dict(zip(grids, values, strict=True)), **fixed).fit(train, validation)
        for values in product(*grids.values())
    ]
    measure = TrainingMeasure.of(validation, "MAP", tool)
    return max(models, key=lambda model: measure.mean(model.score(validation)))
