"""How slow work tells how far it is: in stages, each of so many steps where that is known.

Single steps tell the share of them that is done.
"""

from __future__ import annotations

from collections.abc import Callable

Advance = Callable[[float], None]
"""Is told how many steps of a stage are done."""

Stage = Callable[[str, float | None], Advance]
"""Begins a stage, which it is told the name and the number of steps of."""


def silent_stage(description: str, total: float | None = None) -> Advance:
    """For those who do not want to know."""
    return lambda done: None


Progress = Callable[[float], None]
"""Is told the share that is done, from 0 to 1."""


def ignore_progress(share: float) -> None:
    """For those who do not want to know."""
