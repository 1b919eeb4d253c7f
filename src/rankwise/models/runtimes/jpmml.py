"""PMML in JPMML-Evaluator, on the machine's Java, in a process of its own.

Its Python package, jpmml_evaluator, is under the AGPL and needs Java; neither comes with Rankwise.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.runtimes.runtime import Floats, OpenedExport, run_in

# Python and Java in one process would share signals and standard output with the caller.
_PROGRAM = """
import json, sys
from jpmml_evaluator import make_evaluator
given = json.load(sys.stdin)
evaluator = make_evaluator(given["path"], backend="jpype").verify()
target = evaluator.getTargetFields()[0].getName()
scores = []
for row in given["rows"]:
    values = dict(zip(given["names"], row))
    scores.append(evaluator.evaluate(values, nan_as_missing=False).get(target))
print("scores:" + json.dumps(scores))
"""


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """A document; every call starts a Java machine."""
    try:
        version = importlib.metadata.version("jpmml_evaluator")
        importlib.metadata.version("jpype1")
    except importlib.metadata.PackageNotFoundError as error:
        raise RankwiseError(
            "running a PMML document needs jpmml_evaluator (under the AGPL) and Java; "
            "install it with: pip install jpmml_evaluator JPype1"
        ) from error
    if not shutil.which("java"):
        raise RankwiseError("running a PMML document needs Java: install it (version 11 or later)")
    return run_in(f"jpmml_evaluator {version}", partial(_run, path, tuple(names)), resident=False)


def _run(path: Path, names: tuple[str, ...], rows: Floats) -> Floats:
    values = [[None if value != value else value for value in row] for row in rows.tolist()]
    given = json.dumps({"path": str(path), "names": names, "rows": values})
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=given, capture_output=True, text=True, check=False
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("scores:")]
    if done.returncode or not said:
        raise RankwiseError(f"JPMML cannot score {path}: {done.stderr[-300:]}")
    found = json.loads(said[0].removeprefix("scores:"))
    return np.array([np.nan if one is None else one for one in found], dtype=np.float64)
