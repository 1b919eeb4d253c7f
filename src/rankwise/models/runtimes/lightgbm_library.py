"""LightGBM's model text in LightGBM."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.hostile_json import read_model_bytes
from rankwise.models.runtimes.runtime import Floats, OpenedExport, run_in


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A booster, on one thread."""
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra("running LightGBM's model text", "trees") from error
    try:
        text = read_model_bytes(path).decode("utf-8")
        booster = lightgbm.Booster(model_str=text)
    except lightgbm.basic.LightGBMError as error:
        raise RankwiseError(f"LightGBM cannot load {path}: {error}") from error

    def score(rows: Floats) -> Floats:
        found = booster.predict(rows, raw_score=True, num_threads=1)
        return np.asarray(found, dtype=np.float64).reshape(len(rows))

    return run_in(f"lightgbm {lightgbm.__version__}", score)
