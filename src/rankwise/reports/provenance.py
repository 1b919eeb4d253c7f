"""How a report came about: the command that made it, and the day."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, date, datetime

DAY = "SOURCE_DATE_EPOCH"
"""The variable that names another day, in seconds since 1970, so that bytes can be made again."""


@dataclass(frozen=True)
class Provenance:
    """The command, where one made it, and the day on which a report was made."""

    command: str | None = None
    day: date | None = None

    def describe(self) -> str:
        """A sentence, or nothing where nothing is known."""
        when = "" if self.day is None else f" on {self.day.isoformat()}"
        if self.command is None:
            return f"Made{when}." if when else ""
        return f"Made{when} by: {self.command}"


def find_day() -> date:
    """Today in universal time, or the day that `SOURCE_DATE_EPOCH` names."""
    named = os.environ.get(DAY, "")
    if named.isdecimal():
        return datetime.fromtimestamp(int(named), UTC).date()
    return datetime.now(UTC).date()
