"""What runs in a limited process: reads uploads, or evaluates scores; `python -m` starts it.

Reading and evaluating are jobs of two processes: the one that meets strangers' bytes never holds a
label. Memory, processor time, file sizes and open files are bounded by the operating system.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rankwise.arena.frames import BrokenFrame, Frame, read_frame, write_frame
from rankwise.arena.hidden import HiddenTest
from rankwise.arena.scores import decode_scores, encode_scores
from rankwise.arena.upload_reading import TestShape, read_fold_scores, read_run_scores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate

LARGEST_FILE = 1 << 30
OPEN_FILES = 64

Answer = tuple[dict[str, Any], list[bytes]]
_KNOWN: dict[str, Any] = {}


def main() -> None:
    """Answer jobs until the other side ends."""
    memory = int(sys.argv[1])
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a library prints must not be taken for an answer.
    os.dup2(2, 1)
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_FSIZE, LARGEST_FILE)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)
    while True:
        try:
            frame = read_frame(requests)
        except BrokenFrame:
            return
        _answer(frame, answers)


def _answer(frame: Frame, answers: BinaryIO) -> None:
    _allow_seconds(int(frame.facts["seconds"]))
    try:
        facts, blobs = JOBS[frame.facts["job"]](frame)
    except MemoryError:
        facts, blobs = {"failure": "memory"}, []
    except RankwiseError as error:
        # Advice that names arguments of Python helps nobody who uploads a file.
        facts, blobs = {"failure": "refused", "message": error.in_command(lambda name: None)}, []
    except OSError as error:
        # The reader puts what it unpacks into a file, whose size is bounded too.
        facts, blobs = {"failure": "memory", "message": str(error)}, []
    write_frame(answers, facts, blobs)


def _read(frame: Frame) -> Answer:
    """The scores of the files of an upload, which lie in a folder under names of our own."""
    shape = _KNOWN[frame.facts["task"]]
    os.chdir(frame.facts["folder"])
    if frame.facts["layout"] == "run":
        scores = read_run_scores(Path("run"), shape)
    else:
        paths = {fold: Path(f"Fold{fold}") for fold in shape.folds}
        scores = read_fold_scores(paths, shape)
    return {}, [encode_scores(scores)]


def _learn_shape(frame: Frame) -> Answer:
    facts = frame.facts
    _KNOWN[facts["task"]] = TestShape(
        {int(fold): int(rows) for fold, rows in facts["folds"]},
        np.array(facts["query_offsets"], dtype=np.int64),
        facts["query_ids"],
        facts["document_ids"],
    )
    return {}, []


def _learn_labels(frame: Frame) -> Answer:
    _KNOWN[frame.facts["task"]] = HiddenTest.from_bytes(frame.blobs[0])
    return {}, []


def _evaluate(frame: Frame) -> Answer:
    facts = frame.facts
    judged = _KNOWN[facts["task"]].judge(decode_scores(frame.blobs[0]), facts["half"])
    found = evaluate(judged, [facts["measure"]], facts["tool"])[facts["measure"]]
    values = np.ascontiguousarray(found.values, dtype="<f8")
    return {"mean": found.mean, "queries": list(found.query_ids)}, [values.tobytes()]


JOBS: dict[str, Callable[[Frame], Answer]] = {
    "learn-shape": _learn_shape,
    "read": _read,
    "learn-labels": _learn_labels,
    "evaluate": _evaluate,
}


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (allowed, allowed))


def _allow_seconds(seconds: int) -> None:
    """From now on so many seconds of processor time; SIGXCPU ends the process at the end."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(used.ru_utime + used.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


if __name__ == "__main__":
    main()
