"""ONNX graphs in onnxruntime, on one thread: sums of several are added in another order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.hostile_json import read_model_bytes
from rankwise.models.runtimes.runtime import Floats, OpenedExport, run_in


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A session that takes features in the precision that the graph asks for."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtra("running an ONNX file", "exports") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            read_model_bytes(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise RankwiseError(f"onnxruntime cannot load {path}: {error}") from error
    [given] = session.get_inputs()
    precision = np.float64 if given.type == "tensor(double)" else np.float32

    def score(rows: Floats) -> Floats:
        with np.errstate(over="ignore"):
            fed = rows.astype(precision)
        [found] = session.run(None, {given.name: fed})
        return np.asarray(found[:, 0], dtype=np.float64)

    return run_in(f"onnxruntime {onnxruntime.__version__}", score)
