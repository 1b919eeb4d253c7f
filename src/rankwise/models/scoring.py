"""Scores of data by a model, either of which may be a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.models.model_file import load_model
from rankwise.rankers.ranker import Model


def score(
    model: Model | str | Path, data: Dataset | str | Path, *, zero_based: bool = False
) -> NDArray[np.float64]:
    """One score per row of the data, higher is better, in the order of the rows.

    A file is read as wide as the model needs it, since sparse files leave last features out;
    `zero_based` says that its feature indices begin at 0.
    """
    found = model if isinstance(model, Model) else load_model(model)
    if not isinstance(data, Dataset):
        data = read(data, zero_based=zero_based, n_features=found.scorer.n_features)
    return found.score(data)
