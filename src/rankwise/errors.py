"""One root for everything a user can cause: a sentence, never a traceback.

Every message says what must hold, what was found, where, and where it helps what to do.
"""

from __future__ import annotations

from pathlib import Path


class RankwiseError(Exception):
    """What was asked cannot be done; the message is one clear sentence for the user."""


class FormatError(RankwiseError):
    """A file does not have the layout it must have; names file, line and column."""

    def __init__(
        self, message: str, path: str | Path, line: int | None = None, column: int | None = None
    ) -> None:
        self.path = str(path)
        self.line = line
        self.column = column
        super().__init__(f"{location(path, line, column)}: {message}")


class MissingExtra(RankwiseError):
    """An optional library is needed for this and is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs an optional library; install it with: pip install 'rankwise[{extra}]'"
        )


def location(path: str | Path, line: int | None = None, column: int | None = None) -> str:
    """`file`, `file:line` or `file:line:column`, as editors and compilers write it."""
    return ":".join(str(part) for part in (path, line, column) if part is not None)
