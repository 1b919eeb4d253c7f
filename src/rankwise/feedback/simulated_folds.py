"""Logs of the training parts of folds, one file each: the feedback of experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rankwise.data.folds.reading import read_folds
from rankwise.data.locating import locate
from rankwise.errors import Advice, RankwiseError
from rankwise.feedback.log import ClickLog
from rankwise.feedback.log_files import write_log
from rankwise.feedback.simulation import simulate_clicks
from rankwise.feedback.training_sets import FOLD
from rankwise.files import is_folder


def simulate_folds(
    data: str | Path, sessions: int, output: str | Path, *, features: bool = False, **how: Any
) -> list[tuple[Path, ClickLog]]:
    """Simulate and write the log of a file, or of the training part of every fold of a folder.

    Of a folder `output` has `{fold}` in its name, in place of which the number of each fold stands.
    `features` writes those of the documents too; `how` is what `simulate_clicks` takes.
    """
    if not is_folder(locate(data)):
        log = simulate_clicks(data, sessions, **how)
        write_log(log, output, features=features)
        return [(Path(output), log)]
    if FOLD not in str(output):
        raise RankwiseError(
            f"{data} is a folder of folds, so that there is a log for each; name them with {FOLD}",
            Advice("as in {}", "output", f"LOGS/{FOLD}.PARQUET"),
        )
    found = []
    for fold in read_folds(data):
        path = Path(str(output).replace(FOLD, str(fold.number)))
        log = simulate_clicks(fold.train, sessions, **how)
        write_log(log, path, features=features)
        found.append((path, log))
    return found
