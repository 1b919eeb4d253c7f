"""Models that the store of an experiment keeps."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.model_file import from_text
from rankwise.results.store.store import Store, find_task


def load_kept_model(store: str | Path, task: str) -> Model:
    """The model of the task whose key begins so; it scores as it did in the experiment, to the bit.

    It is read as a model file is: nothing of it is run.
    """
    with Store.read(store) as opened, opened.snapshot():
        found = find_task(opened, task)
        content = opened.read_kept(found.key, "model")
    try:
        return from_text(content).model
    except RankwiseError as error:
        raise RankwiseError(
            f"the model of {found.name} in {store} cannot be read: {error}"
        ) from error
