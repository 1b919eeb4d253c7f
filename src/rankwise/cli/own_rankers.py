"""Training somebody's own ranker in a command: what it prints and raises is kept apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout

from rankwise.rankers.own.failures import one_sentence
from rankwise.rankers.ranker import Ranker


@contextmanager
def apart(ranker: Ranker) -> Iterator[None]:
    """Lines that a ranker prints go to standard error; what an own one raises is one sentence.

    A defect of a registered ranker keeps its traceback.
    """
    registered = type(ranker).__module__.startswith("rankwise.")
    told = nullcontext() if registered else one_sentence(ranker.name, "fit")
    with redirect_stdout(sys.stderr), told:
        yield
