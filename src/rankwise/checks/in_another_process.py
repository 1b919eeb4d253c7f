"""Train rankers and print a digest of each model and its scores: run with other thread counts.

    python -m rankwise.checks.in_another_process THREADS '{"RANKER": {"parameter": 1}}'

Small data would be worked on by one thread whatever is asked for, so that every size from which
threads are worth their while is set to 1, and the machine says that it has THREADS processors.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from rankwise.checks.law import ExaminedRanker, fingerprint
from rankwise.checks.made import planted
from rankwise.rankers.registry import find_ranker
from rankwise.registry import describe_failure

SIZES = {
    "rankwise.measures.computation": "ROWS_WORTH_A_THREAD",
    "rankwise.rankers.boosting.weak_rankers": "_SCORES_IN_A_BLOCK",
    "rankwise.rankers.trees.lightgbm_training": "_CELLS_WORTH_A_THREAD",
    "rankwise.models.scorers.trees": "_WALKS_WORTH_A_THREAD",
}
"""What decides how work is shared between threads, and where."""


def digest(subject: ExaminedRanker) -> str:
    """Everything that the model file would hold, and the scores to the bit."""
    return hashlib.sha256(fingerprint(subject.trained, planted(12, seed=1))).hexdigest()


def digest_or_failure(reference: str, parameters: Mapping[str, Any]) -> str:
    """A failing ranker must not hide the others."""
    try:
        return digest(ExaminedRanker(find_ranker(reference), reference, parameters))
    # Whatever it is, the law is told of it.
    except Exception as error:  # noqa: BLE001
        return describe_failure(error)


def share_work_between(threads: int) -> None:
    """Make so many threads share even the smallest work."""
    for module, size in SIZES.items():
        home = importlib.import_module(module)
        if not getattr(home, size) > 1000:
            raise RuntimeError(f"{module}.{size} must be the size that is worth a thread")
        setattr(home, size, 1)
    os.cpu_count = lambda: threads
    os.sched_getaffinity = lambda process: set(range(threads))


if __name__ == "__main__":
    share_work_between(int(sys.argv[1]))
    found = {name: digest_or_failure(name, how) for name, how in json.loads(sys.argv[2]).items()}
    sys.stdout.write(f"\n{json.dumps(found)}\n")
