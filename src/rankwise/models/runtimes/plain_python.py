"""Exported Python, imported and called row by row."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.hostile_json import read_model_bytes
from rankwise.models.runtimes.runtime import Floats, OpenedExport, run_in


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """Run the file, which defines `score_rows`."""
    space: dict[str, Any] = {"__name__": "exported_model"}
    try:
        exec(compile(read_model_bytes(path), str(path), "exec"), space)
        score_rows = space["score_rows"]
    except Exception as error:
        raise RankwiseError(f"{path} is no exported Python file: {error!r}") from error

    def score(rows: Floats) -> Floats:
        try:
            return np.array(score_rows(rows.tolist()), dtype=np.float64)
        except Exception as error:
            raise RankwiseError(f"{path} cannot score: {error!r}") from error

    return run_in(f"Python {platform.python_version()}", score)
