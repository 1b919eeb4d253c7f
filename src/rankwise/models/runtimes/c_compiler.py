"""Exported C, compiled by the machine's compiler and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.runtimes.runtime import Floats, OpenedExport, run_in

_FLAGS = ("-std=c11", "-O2", "-ffp-contract=off", "-shared", "-fPIC")
_DOUBLES = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """Compile the file in a folder of its own, and load what came out."""
    compiler = _compiler()
    # A library that is loaded stays usable when its file is gone.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        library = Path(folder, "model.so")
        command = [*compiler, *_FLAGS, "-x", "c", str(path), "-x", "none", "-lm", "-o"]
        done = subprocess.run([*command, str(library)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RankwiseError(f"{compiler[0]} cannot compile {path}: {done.stderr[:300]}")
        scores_of = ctypes.CDLL(str(library)).rankwise_scores
    scores_of.argtypes = (_DOUBLES, ctypes.c_long, _DOUBLES)
    scores_of.restype = None

    def score(rows: Floats) -> Floats:
        matrix = np.ascontiguousarray(rows, dtype=np.float64)
        if matrix.shape[1:] != (len(names),):
            raise RankwiseError(
                f"rows must have {len(names)} features, found the shape {matrix.shape}"
            )
        scores = np.empty(len(matrix))
        scores_of(matrix, len(matrix), scores)
        return scores

    return run_in(_version(compiler), score)


def _compiler() -> list[str]:
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    found = next((one for one in ("cc", "gcc", "clang") if shutil.which(one)), None)
    if found is None:
        raise RankwiseError("a C compiler is needed to run this: install one, or name it in CC")
    return [found]


def _version(compiler: list[str]) -> str:
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    first = done.stdout.splitlines()[:1]
    return f"C by {first[0]}" if first else f"C by {compiler[0]}"
