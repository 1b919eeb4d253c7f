"""What an experiment keeps of its tasks beside figures: models and scores, where asked for.

A kept model is a model file and scores are numbers: nothing of either is run when it is read. They
go the way of all outcomes, from the worker to the process that writes the store, so that no worker
needs a disk that others see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.experiments.planning import Task
from rankwise.models.model_file import format_model
from rankwise.rankers.ranker import Model
from rankwise.results.store.stored_values import MOST_ARTIFACT_BYTES
from rankwise.results.task_records import KeptName, Part

Scores = Mapping[Part, NDArray[np.float64]]


def list_wanted(task: Task) -> set[KeptName]:
    """What a store must keep of a task by its plan."""
    wanted: set[KeptName] = set()
    if "models" in task.keep:
        wanted.add("model")
    if "scores" in task.keep:
        wanted.add("test scores")
        if task.files.validation is not None:
            wanted.add("validation scores")
    return wanted


def pack_kept(wanted: Iterable[KeptName], model: Model, scores: Scores) -> dict[KeptName, bytes]:
    """What is kept of a task that is done, in the order in which stores list it."""
    asked = set(wanted)
    found: dict[KeptName, bytes] = {}
    if "model" in asked:
        try:
            found["model"] = format_model(model).encode()
        except RankwiseError as error:
            raise RankwiseError(
                f"its model cannot be kept ({error}); leave models out of what is kept"
            ) from error
    found |= {what: pack_scores(scores[part]) for part, what in _PARTS if what in asked}
    for what, content in found.items():
        if len(content) > MOST_ARTIFACT_BYTES:
            raise RankwiseError(
                f"its {what} cannot be kept: {len(content) >> 20} MB are more than the "
                f"{MOST_ARTIFACT_BYTES >> 20} MB that a store takes"
            )
    return found


def pack_scores(scores: NDArray[np.float64]) -> bytes:
    """Scores as stores keep them."""
    return np.asarray(scores, dtype="<f8").tobytes()


_PARTS: tuple[tuple[Part, KeptName], ...] = (
    ("test", "test scores"),
    ("validation", "validation scores"),
)
