"""What LETOR's and MSLR's own scripts print of the difference between two systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance import letor_report, mslr_report
from rankwise.errors import Advice, RankwiseError
from rankwise.evaluation.systems import evaluate_systems
from rankwise.measures.evaluation import Evaluation
from rankwise.results.store.store import is_store
from rankwise.stages import Stage, silent_stage


def print_as_script(
    data: Any,
    scores: Sequence[str | Path],
    measures: Sequence[str] = (),
    tool: str | None = None,
    stage: Stage = silent_stage,
) -> str:
    """What the script of `letor3`, or of `mslr`, prints for two systems, A and B.

    `measures` are those of LETOR's script where none are named; MSLR's tests one.
    """
    if isinstance(data, str | Path) and is_store(data):
        raise RankwiseError(
            "a script prints the figures of score files, found the store of experiments"
        )
    chosen = tool or "letor3"
    if chosen not in ("letor3", "mslr"):
        raise RankwiseError(f"the scripts of letor3 and mslr are known, found the tool {chosen!r}")
    if len(scores) != 2:
        raise RankwiseError(f"a script compares two score files, found {len(scores)}")
    if chosen == "mslr" and len(measures) != 1:
        raise RankwiseError(
            f"the MSLR script tests one measure, found {len(measures)}",
            Advice("name one with {}", "measures"),
        )
    a, b = evaluate_systems(data, scores, measures or None, chosen, stage).values()
    if chosen == "mslr":
        return mslr_report(a[measures[0]].values, b[measures[0]].values)
    return letor_report(_by_script_name(a), _by_script_name(b), *map(str, scores))


def _by_script_name(evaluation: Evaluation) -> Mapping[str, NDArray[np.float64]]:
    found = {}
    for result in evaluation.results.values():
        measure = result.measure
        name = "MAP" if measure.family == "AP" else measure.family
        found[name if measure.cutoff is None else f"{name}@{measure.cutoff}"] = result.values
    return found
