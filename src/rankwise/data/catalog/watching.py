"""How slow steps tell how far they are."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Is told the share that is done, from 0 to 1."""


def ignore_progress(share: float) -> None:
    """For those who do not want to know."""
