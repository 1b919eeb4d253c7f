"""Rows in a file as LightGBM reads them: a sample for the bins, then some at a time into these."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np

from rankwise.data.feature_matrix import CELLS_AT_ONCE, FileFeatures
from rankwise.native.arrays import Floats


class FileRows(lightgbm.Sequence):
    """Features in a file; LightGBM keeps their bins, a byte a value, and never all of them.

    It draws the rows that the bins are made from as it does of an array, so that bins and trees are
    the same.
    """

    def __init__(self, features: FileFeatures) -> None:
        self._features = features
        self.batch_size = max(1, CELLS_AT_ONCE // max(1, features.shape[1]))

    def __len__(self) -> int:
        return len(self._features)

    def __getitem__(self, rows: Any) -> Floats:
        """A row, or several."""
        if isinstance(rows, int | np.integer):
            return self._features.read_row(int(rows))
        chosen: FileFeatures = self._features[rows]
        return chosen.read()
