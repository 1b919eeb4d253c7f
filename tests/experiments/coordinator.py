"""A coordinator in a process of its own, for tests that kill it.

Its arguments are folds, store, seeds, jobs, pause, whether to stay, and what is kept. Asked to
stay, it waits for that before it takes the last task.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from rankwise.experiments.runner import RunProgress
from tests.experiments.running import HERE, planned, run

if __name__ == "__main__":
    folder, target, seeds, workers, pause, stay, *keep = sys.argv[1:]
    kept = [name for text in keep for name in text.split(",")]
    entry = {"name": f"{HERE}:OneFeature", "set": {"pause": float(pause)},
             "grid": {"feature": [0, 4]}}  # fmt: skip
    plan = planned(Path(folder), entry, seeds=list(range(int(seeds))), keep=kept)

    def watch(progress: RunProgress) -> None:
        if int(stay) and progress.done == progress.total - 1:
            signal.pause()

    run(plan, Path(target), jobs=int(workers), watch=watch)
