"""What was guessed while a command read its data, on standard error, each sentence once."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from rankwise.cli.output import note
from rankwise.errors import GuessRemark


@contextlib.contextmanager
def said_remarks() -> Iterator[None]:
    """Let every `GuessRemark` be a line on standard error; other warnings stay what they are."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", GuessRemark)
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, GuessRemark):
                others(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                note(str(message))

        warnings.showwarning = show
        yield
