"""Treelite checkpoints in Treelite's own reference implementation of inference, GTIL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.hostile_json import read_model_bytes
from rankwise.models.runtimes.runtime import Floats, OpenedExport, run_in


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A checkpoint, on one thread."""
    try:
        import treelite
        from treelite import gtil
    except ImportError as error:
        raise MissingExtra("running a Treelite checkpoint", "exports") from error
    try:
        model = treelite.Model.deserialize_bytes(read_model_bytes(path))
    except treelite.TreeliteError as error:
        raise RankwiseError(f"Treelite cannot load {path}: {error}") from error

    def score(rows: Floats) -> Floats:
        found = gtil.predict(model, np.ascontiguousarray(rows), nthread=1)
        return np.asarray(found, dtype=np.float64).reshape(len(rows))

    return run_in(f"treelite {treelite.__version__}", score)
