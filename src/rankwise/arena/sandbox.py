"""A process that does what strangers ask for, within bounds; started anew where it breaks them.

`LimitedProcess` is the arena's side. `main` is what runs in the process, which `python -m` starts:
it reads uploads, or evaluates scores. Reading and evaluating are jobs of two processes: the one
that meets strangers' bytes never holds a label. Memory, processor time, file sizes and open files
are bounded by the operating system.

Both sides exchange frames: JSON, then blobs of bytes. Nothing of Python is pickled: what the other
side sends can be wrong, but it runs no code here.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

import rankwise
from rankwise.arena.hidden_data import (
    HiddenTest,
    TestShape,
    decode_scores,
    encode_scores,
    read_fold_scores,
    read_run_scores,
)
from rankwise.arena.participation import TooLarge
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged

WORKER = ("-m", "rankwise.arena.sandbox")
_WAITING_TIMES = 10
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Refused(Exception):
    """The job was done and its answer is no; the message is the sentence of who refused."""


class _Worker(NamedTuple):
    process: subprocess.Popen[bytes]
    requests: BinaryIO
    answers: BinaryIO


class LimitedProcess:
    """One worker with bounded memory and processor time, for one job at a time.

    `seconds` is processor time for a job; it may take ten times as long by the clock, since other
    processes want the machine too. A worker that goes beyond is ended, and the next job starts a
    new one.
    """

    def __init__(self, memory: int, seconds: int) -> None:
        self.memory, self.seconds = memory, seconds
        self._worker: _Worker | None = None
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def ask(
        self,
        facts: Mapping[str, Any],
        blobs: Sequence[bytes],
        teach: Callable[[], tuple[Mapping[str, Any], Sequence[bytes]]],
    ) -> Frame:
        """The answer to a job; `teach` gives what a new worker must learn of the task first."""
        with self._lock:
            task = str(facts["task"])
            worker = self._start()
            if task not in self._known:
                self._exchange(worker, *teach())
                self._known.add(task)
            return self._exchange(worker, facts, blobs)

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._end()

    def _exchange(self, worker: _Worker, facts: Mapping[str, Any], blobs: Sequence[bytes]) -> Frame:
        patience = threading.Timer(_WAITING_TIMES * self.seconds, worker.process.kill)
        patience.daemon = True
        patience.start()
        try:
            write_frame(worker.requests, {**facts, "seconds": self.seconds}, blobs)
            answer = read_frame(worker.answers)
        except (BrokenFrame, OSError) as error:
            self._end()
            raise TooLarge(
                f"this must be done within {self.seconds} seconds of processor time and "
                f"{self.memory >> 20} MiB of memory, found that it needs more"
            ) from error
        finally:
            patience.cancel()
        return self._checked(answer)

    def _checked(self, answer: Frame) -> Frame:
        failure = answer.facts.get("failure")
        if failure == "refused":
            raise Refused(str(answer.facts.get("message", "")))
        if failure is not None:
            # What ran out of memory may hold on to much of it.
            self._end()
            raise TooLarge(
                f"this must be done within {self.memory >> 20} MiB of memory, found that it needs "
                "more"
            )
        return answer

    def _start(self) -> _Worker:
        if self._worker is not None and self._worker.process.poll() is None:
            return self._worker
        self._end()
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        environment |= dict.fromkeys(_ONE_THREAD, "1")
        environment["PYTHONPATH"] = str(Path(rankwise.__file__).resolve().parents[1])
        process = subprocess.Popen(
            [sys.executable, *WORKER, str(self.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            # Ctrl-C is for the server, which ends its workers itself.
            start_new_session=True,
        )
        pipes = cast("tuple[BinaryIO, BinaryIO]", (process.stdin, process.stdout))
        self._worker = _Worker(process, *pipes)
        return self._worker

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        self._known.clear()
        if worker is None:
            return
        worker.process.kill()
        for stream in (worker.requests, worker.answers):
            with contextlib.suppress(OSError):
                stream.close()
        worker.process.wait()


_FRAME_LENGTH = struct.Struct("<Q")
LARGEST_FRAME = 1 << 31


class Frame(NamedTuple):
    """A message: facts, and blobs of bytes."""

    facts: dict[str, Any]
    blobs: list[bytes]


class BrokenFrame(Exception):
    """The other side has ended, or sent what is no message."""


def write_frame(stream: BinaryIO, facts: Mapping[str, Any], blobs: Sequence[bytes] = ()) -> None:
    """Send a message."""
    head = json.dumps({"facts": dict(facts), "blobs": [len(blob) for blob in blobs]}).encode()
    stream.write(_FRAME_LENGTH.pack(len(head)))
    stream.write(head)
    for blob in blobs:
        stream.write(blob)
    stream.flush()


def read_frame(stream: BinaryIO) -> Frame:
    """Receive a message; `BrokenFrame` where there is none."""
    (length,) = _FRAME_LENGTH.unpack(_read_exactly(stream, _FRAME_LENGTH.size))
    try:
        head = json.loads(_read_exactly(stream, length))
        sizes = [int(size) for size in head["blobs"]]
        return Frame(dict(head["facts"]), [_read_exactly(stream, size) for size in sizes])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BrokenFrame(str(error)) from error


def _read_exactly(stream: BinaryIO, count: int) -> bytes:
    if not 0 <= count <= LARGEST_FRAME:
        raise BrokenFrame(f"a message of {count} bytes")
    content = stream.read(count)
    if len(content) != count:
        raise BrokenFrame("the message ends early")
    return content


LARGEST_FILE = 1 << 30
OPEN_FILES = 64

Answer = tuple[dict[str, Any], list[bytes]]
_TAUGHT: dict[str, Any] = {}


def main() -> None:
    """Answer jobs until the other side ends."""
    memory = int(sys.argv[1])
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a library prints must not be taken for an answer.
    os.dup2(2, 1)
    _limit_resource(resource.RLIMIT_AS, memory)
    _limit_resource(resource.RLIMIT_FSIZE, LARGEST_FILE)
    _limit_resource(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit_resource(resource.RLIMIT_CORE, 0)
    while True:
        try:
            frame = read_frame(requests)
        except BrokenFrame:
            return
        _answer_job(frame, answers)


def _answer_job(frame: Frame, answers: BinaryIO) -> None:
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


def _read_upload(frame: Frame) -> Answer:
    """The scores of the files of an upload, which lie in a folder under names of our own."""
    shape = _TAUGHT[frame.facts["task"]]
    os.chdir(frame.facts["folder"])
    if frame.facts["layout"] == "run":
        scores = read_run_scores(Path("run"), shape)
    else:
        paths = {fold: Path(f"Fold{fold}") for fold in shape.folds}
        scores = read_fold_scores(paths, shape)
    return {}, [encode_scores(scores)]


def _learn_shape(frame: Frame) -> Answer:
    facts = frame.facts
    _TAUGHT[facts["task"]] = TestShape(
        {int(fold): int(rows) for fold, rows in facts["folds"]},
        np.array(facts["query_offsets"], dtype=np.int64),
        facts["query_ids"],
        facts["document_ids"],
    )
    return {}, []


def _learn_labels(frame: Frame) -> Answer:
    _TAUGHT[frame.facts["task"]] = HiddenTest.from_bytes(frame.blobs[0])
    return {}, []


def _evaluate_scores(frame: Frame) -> Answer:
    facts = frame.facts
    judged = _TAUGHT[facts["task"]].judge(decode_scores(frame.blobs[0]), facts["half"])
    found = evaluate_judged(judged, [facts["measure"]], facts["tool"])[facts["measure"]]
    values = np.ascontiguousarray(found.values, dtype="<f8")
    return {"mean": found.mean, "queries": list(found.query_ids)}, [values.tobytes()]


JOBS: dict[str, Callable[[Frame], Answer]] = {
    "learn-shape": _learn_shape,
    "read": _read_upload,
    "learn-labels": _learn_labels,
    "evaluate": _evaluate_scores,
}


def _limit_resource(what: int, value: int) -> None:
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
