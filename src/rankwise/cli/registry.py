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
    Entry(
        "evaluate",
        "Measures",
        "The figures of rankings, as any tool computes them.",
        "evaluate:evaluate",
    ),
    Entry(
        "significance",
        "Measures",
        "Is one system better than another by more than luck?",
        "significance:significance",
    ),
    Entry(
        "compare",
        "Comparison",
        "Rank methods across benchmarks; fronts, figures, a report page.",
        "compare:compare",
    ),
    Entry(
        "place",
        "Comparison",
        "Where your method lands among published ones.",
        "place:place",
    ),
    Entry(
        "results",
        "Comparison",
        "Check, convert and merge tables of results.",
        "results:results",
    ),
    Entry(
        "literature",
        "Comparison",
        "Published results: list, show, cite, check.",
        "literature:literature",
    ),
    Entry("completion", "Other", "Print the shell completion script.", "completion:completion"),
)
