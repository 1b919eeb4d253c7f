"""What a reader may choose on boards and comparisons: measure, tool, half of the queries."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.arena.errors import BadRequest
from rankwise.arena.task import HALVES, ArenaTask, Half
from rankwise.arena.web.links import BoardChoice
from rankwise.measures import TOOLS
from rankwise.registry import is_own
from rankwise.shown import brief

SUGGESTED = (
    "NDCG@10", "NDCG@5", "NDCG@1", "NDCG", "MAP", "P@10", "P@5", "MRR", "ERR@10", "ERR", "R@10",
    "RBP",
)  # fmt: skip
_LONGEST = 200


def read_choice(task: ArenaTask, given: Mapping[str, str]) -> BoardChoice:
    """What a reader asks for; the task's own where nothing is said.

    A measure `module:Name` would import that module, with all the rights of the arena: it is
    refused here, whatever it names.
    """
    measure = (given.get("measure") or "").strip() or task.rules.measure
    tool = (given.get("tool") or "").strip() or task.rules.tool
    half = (given.get("half") or "").strip() or find_halves(task)[-1]
    if is_own(measure) or len(measure) > _LONGEST:
        raise BadRequest(f"the measure must be one of Rankwise's own, found {brief(measure)}")
    if tool not in TOOLS:
        raise BadRequest(f"the tool must be one of {', '.join(TOOLS)}, found {brief(tool)}")
    if half not in HALVES:
        raise BadRequest(f"the half must be {' or '.join(HALVES)}, found {brief(half)}")
    return BoardChoice(measure, tool, half)


def as_half(name: str) -> Half:
    """A half by its name, which `read_choice` has looked at."""
    return "private" if name == "private" else "public"


def find_halves(task: ArenaTask) -> tuple[Half, ...]:
    """The halves that can be seen, the one to be shown first last."""
    return ("public",) if task.open else ("public", "private")


def list_measures(task: ArenaTask) -> tuple[str, ...]:
    """Measures to choose from; once all is revealed any other can be typed."""
    shown = task.rules.shown_measures
    return shown if task.open else tuple(dict.fromkeys((*shown, *SUGGESTED)))


def list_tools(task: ArenaTask) -> tuple[str, ...]:
    """Tools to choose from: the task's own, and once all is revealed all."""
    return (task.rules.tool,) if task.open else tuple(TOOLS)
