"""Clocks that stand still while this thread compiles."""

from __future__ import annotations

import threading
import time

from numba.core import event

from rankwise.experiments.working_time import (
    tell_compiling,
    working_processor_seconds,
    working_seconds,
)


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_compiling_counts_neither_on_the_wall_nor_on_the_processor() -> None:
    outside = time.perf_counter(), time.process_time()
    before = working_seconds(), working_processor_seconds()
    with event.trigger_event("numba:compiler_lock"):
        inside = time.perf_counter(), time.thread_time()
        busy(0.2)
        with event.trigger_event("numba:compiler_lock"):
            busy(0.1)
        time.sleep(0.2)
        compiled = time.perf_counter() - inside[0], time.thread_time() - inside[1]
    busy(0.1)
    counted = working_seconds() - before[0], working_processor_seconds() - before[1]
    whole = time.perf_counter() - outside[0], time.process_time() - outside[1]
    # Whatever else the machine does: all that passed but compiling, and work is not left out.
    assert 0.1 <= counted[0] <= whole[0] - compiled[0]
    assert 0.1 <= counted[1] <= whole[1] - compiled[1]


def test_what_another_thread_compiles_is_not_taken_from_this_ones_time() -> None:
    seen: list[float] = []

    def compile_in_another_thread() -> None:
        with event.trigger_event("numba:compiler_lock"):
            time.sleep(0.3)

    def work() -> None:
        begun = working_seconds()
        time.sleep(0.4)
        seen.append(working_seconds() - begun)

    threads = [threading.Thread(target=one) for one in (compile_in_another_thread, work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen[0] >= 0.4


def test_only_the_outermost_kernel_is_told_of() -> None:
    told: list[bool] = []
    tell_compiling(told.append)
    with event.trigger_event("numba:compiler_lock"), event.trigger_event("numba:compiler_lock"):
        pass
    assert told == [True, False]
