"""A coordinator in a process of its own, for tests that kill it: folds, store, seeds, jobs."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.experiments.running import HERE, planned, run

if __name__ == "__main__":
    folder, target, seeds, workers, pause = sys.argv[1:]
    entry = {"name": f"{HERE}:OneFeature", "set": {"pause": float(pause)},
             "grid": {"feature": [0, 4]}}  # fmt: skip
    plan = planned(Path(folder), entry, seeds=list(range(int(seeds))))
    run(plan, Path(target), jobs=int(workers))
