"""The measure that is asked for, as hyper-parameters of the rankers that look at one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.making import parse_settings
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.round_measures import is_computed, refuse_choosing, usual_measure
from rankwise.rankers.settings_text import split_settings, write_settings
from rankwise.rankers.wrappers.wrapper import Wrapper

MEASURE, SELECTION = "measure", "selection"


def selecting_parameter(ranker: type[Ranker]) -> str | None:
    """The parameter that names what chooses the round: `selection`, else `measure`, if any."""
    declared = {one.name for one in parameters_of(ranker) if isinstance(one.default, str)}
    return next((name for name in (SELECTION, MEASURE) if name in declared), None)


def selected_by(ranker: type[Ranker], measure: str | None, tool: str) -> dict[str, str]:
    """What makes a measure that was asked for choose the round of a ranker, under a tool.

    Where none was, the ranker's own stands, unless the tool does not compute it.
    """
    name = selecting_parameter(ranker)
    if name is not None and measure is not None:
        refuse_choosing(measure, tool, ranker.name, name)
        return {**_computed_defaults(ranker, tool), name: measure}
    return _computed_defaults(ranker, tool)


def measured_parameters(
    ranker: type[Ranker],
    measure: str | None,
    tool: str | None,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The measure and the tool as hyper-parameters, where the ranker looks at them.

    The measure is what it trains towards, and what chooses its round; parameters that are `given`
    stand, and come back with them. A wrapper hands both to the ranker that it wraps.
    """
    settled = dict(given or {})
    if issubclass(ranker, Wrapper):
        inner = find_ranker(settled.get("of", ranker.of))
        known = parse_settings(inner, split_settings(settled.get("settings", "")))
        found = measured_parameters(inner, measure, tool, known)
        return {**settled, "settings": write_settings(found)} if found else settled
    judge = find_tool("definition" if tool is None else tool)
    if measure is not None:
        # What is reported at the end must be known before anything is trained.
        judge.measure(measure)
    declared = {one.name for one in parameters_of(ranker)}
    asked = {MEASURE: measure, SELECTION: measure, "tool": tool}
    found = {name: one for name, one in asked.items() if one is not None and name in declared}
    defaults = _computed_defaults(ranker, tool) if tool is not None else {}
    return {**defaults, **found, **settled}


def _computed_defaults(ranker: type[Ranker], tool: str) -> dict[str, str]:
    """Another measure for each that a parameter has by default and the tool does not compute."""
    defaults = {one.name: one.default for one in parameters_of(ranker)}
    if "tool" not in defaults:
        return {}
    changed = (MEASURE, SELECTION)[1 if ranker.keeps_measure else 0 :]
    return {
        name: usual_measure(tool)
        for name in changed
        if isinstance(defaults.get(name), str) and not _is_usable(defaults[name], tool)
    }


def _is_usable(default: str, tool: str) -> bool:
    """Lists and words such as `same` are read by the ranker itself."""
    return "," in default or not default[:1].isupper() or is_computed(default, tool)
