"""A process that does what strangers ask for, within bounds; started anew where it breaks them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import rankwise
from rankwise.arena.errors import TooLarge
from rankwise.arena.frames import BrokenFrame, Frame, read_frame, write_frame

WORKER = ("-m", "rankwise.arena.limited_worker")
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
