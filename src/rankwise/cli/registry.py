"""Every command in one list: its name, its group on the first screen, one line about it, its home.

A home is imported only when its command runs, which keeps `rankwise --help` quick.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One command: where it is shown, what it says, and `module:attribute` of its click command."""

    name: str
    group: str
    summary: str
    home: str


COMMANDS = (
    Entry("demo", "Start here", "The whole story on a small data set made here.", "demo:demo"),
    Entry("data", "Data", "Describe, check, convert, normalize, split, fetch data.", "data:data"),
    Entry("completion", "Other", "Print the shell completion script.", "completion:completion"),
)
