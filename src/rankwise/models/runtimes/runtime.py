"""An exported file that is ready to score, and who computes its scores."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.models.exports.target import ExportFormat

Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]


@dataclass(frozen=True)
class OpenedExport:
    """An exported file that scores rows of features, NULL as NaN.

    Attributes:
        score: one score per row.
        how: who computes: "run in onnxruntime 1.31.1", "format checked, not run in Solr".
        ran: whether it is the real runtime.
        resident: whether it stays loaded between calls, so that these can be timed.
    """

    score: Score
    how: str
    ran: bool
    resident: bool = True


Opener = Callable[[Path, Sequence[str]], OpenedExport]


def open_export(target: ExportFormat, path: str | Path, names: Sequence[str]) -> OpenedExport:
    """Open a file of a target whose features have these names."""
    module, function = target.runtime.split(":")
    home = importlib.import_module(module)
    opener: Opener = getattr(home, function)
    return opener(Path(path), names)


def checked_only(engine: str, score: Score) -> OpenedExport:
    """A file that our reading of an engine's arithmetic scores."""
    return OpenedExport(score, f"format checked, not run in {engine}", False)


def run_in(runtime: str, score: Score, *, resident: bool = True) -> OpenedExport:
    """A file that its real runtime scores."""
    return OpenedExport(score, f"run in {runtime}", True, resident)
