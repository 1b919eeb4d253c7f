"""Which measure, of which tool, chooses the round of a ranker, and which it trains towards."""

from __future__ import annotations

from rankwise.errors import RankwiseError
from rankwise.measures.listing import split_names
from rankwise.measures.reading import ToolRefusal
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.training.training_measure import load_known_family

SAME = "same"
"""As a `selection`: the measure that is trained towards."""

DEFINITION = "definition"


def selected_by(selection: str, measure: str) -> str:
    """The one measure that chooses among rounds."""
    return measure if selection == SAME else selection


def is_computed(measure: str, tool: str) -> bool:
    """Whether a tool computes a measure; a name that is no measure at all is refused."""
    try:
        find_tool(tool).measure(measure)
    except ToolRefusal:
        return False
    return True


def usual_measure(tool: str) -> str:
    """MAP, or NDCG@10 of a tool that computes no MAP."""
    return "MAP" if is_computed("MAP", tool) else "NDCG@10"


def objective_tool(measure: str, tool: str) -> str:
    """The tool, or the definition where the tool does not compute the measure.

    For methods that are named after their measure: it is a part of them, whoever judges them.
    """
    return tool if is_computed(measure, tool) else DEFINITION


def objective_facts(objective: str, tool: str) -> dict[str, str]:
    """What a model says of a measure that is not the tool's."""
    return {} if objective == tool else {"measure_of_tool": objective}


def selection_measures(selection: str, measure: str, tool: str) -> list[tuple[str, str]]:
    """The measures, each with its tool, whose mean chooses the round.

    `selection` is `same` as `measure`, or names one or several, of which those count that the tool
    computes; it must compute one of them.
    """
    if selection == SAME:
        return [(measure, objective_tool(measure, tool))]
    names = split_names(selection)
    computed = [name for name in names if is_computed(name, tool)]
    if not computed:
        # The tool's own sentence says what it does compute.
        find_tool(tool).measure(names[0] if names else selection)
    return [(name, tool) for name in computed]


def refuse_choosing(measure: str, tool: str, ranker: str, parameter: str) -> None:
    """Refuse a measure by which no round can be chosen: it judges scores, or falls."""
    family = load_known_family(find_tool(tool).measure(measure).family)
    if family.reads_scores or family.lower_is_better:
        why = "judges scores, not their order" if family.reads_scores else "falls as rankings rise"
        raise RankwiseError(
            f"{measure} {why}, so that it cannot choose the round of {ranker}; give that a measure "
            f'of its own: set = {{ {parameter} = "NDCG@10" }}'
        )
