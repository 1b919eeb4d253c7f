"""What a command says before its work, such as guesses, on standard error, each sentence once."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from rankwise.cli.output import note
from rankwise.errors import EarlyRemark


@contextlib.contextmanager
def said_remarks() -> Iterator[None]:
    """Let every `EarlyRemark` be a line on standard error; other warnings stay what they are."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", EarlyRemark)
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, EarlyRemark):
                others(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                note(str(message))

        warnings.showwarning = show
        yield
