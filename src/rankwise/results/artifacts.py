"""Models and scores that a store keeps, as values and as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.score_files import score_lines
from rankwise.errors import Advice, RankwiseError
from rankwise.files import refuse_unwritable, written_whole
from rankwise.results.store.store import Store, find_task
from rankwise.results.task_records import KeptItem, KeptName, Part

FILE_NAMES: dict[KeptName, str] = {
    "model": "model.json",
    "test scores": "test.scores",
    "validation scores": "validation.scores",
}
"""What files of kept things are called where nobody names them."""


def list_kept(store: str | Path, *, superseded: bool = False) -> list[KeptItem]:
    """The models and scores that a store keeps of the tasks that count, or of all."""
    with Store.read(store) as opened:
        return opened.kept(superseded=superseded)


def read_kept_scores(store: str | Path, task: str, part: Part = "test") -> NDArray[np.float64]:
    """The scores of the task whose key begins so, one a row of the part, to the bit."""
    with Store.read(store) as opened, opened.snapshot():
        return _read_scores(opened, find_task(opened, task).key, _name_scores(part))


def extract_kept(
    store: str | Path,
    task: str,
    *,
    model: str | Path | None = None,
    scores: str | Path | None = None,
    validation_scores: str | Path | None = None,
) -> list[Path]:
    """Write what a store keeps of a task to files, each whole or not at all; which were written.

    Nothing is written where something is asked for that is not kept.

    Args:
        store: the store of an experiment.
        task: the beginning of the task's key.
        model: the file for the model, which `load_model`, `score` and `model export` take.
        scores: the file for the scores of the test part, one a line.
        validation_scores: the same of the validation part.
    """
    asked: dict[KeptName, str | Path | None] = {
        "model": model, "test scores": scores, "validation scores": validation_scores,
    }  # fmt: skip
    targets = {what: Path(path) for what, path in asked.items() if path is not None}
    if not targets:
        raise RankwiseError(
            "say what to write and where, found nothing to write",
            Advice("give {}", "model", "FILE"),
            Advice("give {}", "scores", "FILE"),
            Advice("give {}", "validation_scores", "FILE"),
        )
    for target in targets.values():
        refuse_unwritable(target)
    with Store.read(store) as opened, opened.snapshot():
        key = find_task(opened, task).key
        contents = {what: format_kept(opened, key, what) for what in targets}
    for what, target in targets.items():
        with written_whole(target) as stream:
            stream.write(contents[what])
    return list(targets.values())


def format_kept(store: Store, key: str, what: KeptName) -> bytes:
    """The content of a file: a model's own, or one score a line."""
    if what == "model":
        return store.read_kept(key, what)
    return score_lines(_read_scores(store, key, what)).encode()


def _read_scores(store: Store, key: str, what: KeptName) -> NDArray[np.float64]:
    return np.frombuffer(store.read_kept(key, what), dtype="<f8").astype(np.float64)


def _name_scores(part: str) -> KeptName:
    if part == "test":
        return "test scores"
    if part == "validation":
        return "validation scores"
    raise RankwiseError(f"scores are kept of the parts test and validation, found {part!r}")
