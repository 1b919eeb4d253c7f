"""The audit: is everything that the arena shows what its log says?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Audit:
    """What an audit looked at and found.

    Attributes:
        lines: of the log.
        entries: whose scores were evaluated again.
        head: the receipt of the last line, to be kept elsewhere: a later audit with it finds out
            whether lines were taken off the end.
        problems: one sentence each; none where all is well.
    """

    lines: int
    entries: int
    head: str
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing differs."""
        return not self.problems
