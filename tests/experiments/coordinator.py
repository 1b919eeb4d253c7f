"""A coordinator in a process of its own, for tests that kill it.

Its arguments are folds, store, seeds, jobs, pause, whether to stay, and what is kept. Asked to
stay, it waits for that before it takes the last task.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rankwise.experiments.planning import ExperimentPlan
from rankwise.experiments.running.runner import RunProgress
from tests.experiments.running import HERE, planned, run


def coordinated(
    folder: Path, seeds: int, pause: float = 0.0, keep: Sequence[str] = ()
) -> ExperimentPlan:
    """What it runs, for tests that run the same without it."""
    entry = {"name": f"{HERE}:OneFeature", "set": {"pause": pause}, "grid": {"feature": [0, 4]}}
    return planned(folder, entry, seeds=list(range(seeds)), keep=list(keep))


if __name__ == "__main__":
    folder, target, seeds, workers, pause, stay, *keep = sys.argv[1:]
    kept = [name for text in keep for name in text.split(",")]
    plan = coordinated(Path(folder), int(seeds), float(pause), kept)

    def watch(progress: RunProgress) -> None:
        if int(stay) and progress.done == progress.total - 1:
            signal.pause()

    run(plan, Path(target), jobs=int(workers), watch=watch)
