"""Which measure, of which tool, chooses the round of a ranker, and which it trains towards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.constancy import find_deciding
from rankwise.measures.measure import load_known_family, split_names
from rankwise.measures.tool import ToolRefusal
from rankwise.measures.tools.registry import find_tool

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


def settle_choosing(
    parameters: Mapping[str, Any], train: Dataset | None, validation: Dataset | None, *, keeps: str
) -> tuple[dict[str, str], list[str]]:
    """Other measures for those that have one value whatever the ranking, and remarks on them.

    That is `measure` on the data that choose, and where a `selection` chooses, `measure` on the
    training data too. A method that is named after its measure, which `keeps` then names, cannot
    be trained towards another. `train` is None where it lies elsewhere.
    """
    changed: dict[str, str] = {}
    remarks: list[str] = []
    measure, tool = str(parameters["measure"]), str(parameters["tool"])
    selection = parameters.get("selection")

    def settle(name: str, asked: list[tuple[str, str]], data: Dataset, what: str) -> None:
        found = [(one, find_deciding(data.labels, data.query_offsets, *one)) for one in asked]
        reasons = [reason for _, (_, reason) in found]
        if not all(reasons):
            return
        other = found[0][1][0]
        instead = "no measure tells rankings apart there" if other is None else f"{other} is taken"
        remarks.append(f"on the {what} data {reasons[0]}; {instead}")
        if other is not None:
            changed[name] = other

    if selection is not None and train is not None:
        objective = objective_tool(measure, tool)
        settle("measure", [(measure, objective)], train, "training")
        if changed and keeps:
            raise RankwiseError(
                f"{keeps} must be trained towards a measure that tells rankings apart; "
                f"{remarks[0].rpartition('; ')[0]}; take another ranker, or other labels"
            )
    judged = train if validation is None else validation
    if judged is not None:
        what = "training" if validation is None else "validation"
        towards = changed.get("measure", measure)
        if selection is None:
            settle("measure", [(towards, tool)], judged, what)
        else:
            settle("selection", selection_measures(str(selection), towards, tool), judged, what)
    return changed, list(dict.fromkeys(remarks))


def map_or_other(data: Dataset) -> str:
    """MAP, or where it has one value whatever the ranking of the data, a measure that has not."""
    return find_deciding(data.labels, data.query_offsets, "MAP", DEFINITION)[0] or "MAP"


def refuse_choosing(measure: str, tool: str, ranker: str, parameter: str) -> None:
    """Refuse a measure by which no round can be chosen: it judges scores, or falls."""
    family = load_known_family(find_tool(tool).measure(measure).family)
    if family.reads_scores or family.lower_is_better:
        why = "judges scores, not their order" if family.reads_scores else "falls as rankings rise"
        raise RankwiseError(
            f"{measure} {why}, so that it cannot choose the round of {ranker}; give that a measure "
            f'of its own: set = {{ {parameter} = "NDCG@10" }}'
        )
