"""An experiment as it is asked for: a file or the name of a shipped one, with entries replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack

from rankwise.data.catalog.naming import WILDCARDS, find_in_catalogue
from rankwise.experiments.configuration import (
    Configuration,
    configure,
    list_shipped_configurations,
    read_configuration,
)
from rankwise.experiments.planning import ExperimentPlan
from rankwise.experiments.transfer_tasks import plan_tasks
from rankwise.files import is_folder
from rankwise.measures.listing import split_names


class ExperimentChoices(TypedDict, total=False):
    """What is run; each replaces the entry of the configuration.

    Attributes:
        data: folders of folds, or names of the data home.
        rankers: names, `all`, or own ones as `module:Name`.
        folds: only these.
        seeds: every method once with each.
        measures: what is evaluated.
        tools: whose conventions evaluate; `own` is each data set's own tool. By default that and
            the definition.
        select: the measure that chooses on validation: parameters, else by MAP, and the round of
            each ranker, else by its own rule.
        time_limit: the most seconds that a task may take.
        memory_limit: the same in memory, `2 GB`.
        keep: what the store keeps beside figures: `models`, `scores`, or both.
    """

    data: str | Path | Sequence[str | Path]
    rankers: str | Sequence[str]
    folds: Sequence[int]
    seeds: Sequence[int]
    measures: str | Sequence[str]
    tools: str | Sequence[str]
    select: str | None
    time_limit: float | None
    memory_limit: str | None
    keep: str | Sequence[str]


@dataclass(frozen=True)
class Experiment:
    """An experiment with all of its tasks, ready to be run."""

    configuration: Configuration
    plan: ExperimentPlan

    def __repr__(self) -> str:
        return f"Experiment {self.configuration.name!r} of {len(self.plan.tasks)} tasks"


def plan(
    configuration: str | Path | Mapping[str, Any] | None = None,
    **choices: Unpack[ExperimentChoices],
) -> Experiment:
    """The experiment of a TOML file, of a shipped name, or of the same content as a mapping.

    Everything that can be wrong with it is found here, before anything is run.
    """
    configured = configure_experiment(configuration, **choices)
    return Experiment(configured, plan_tasks(configured))


def configure_experiment(
    configuration: str | Path | Mapping[str, Any] | None = None,
    **choices: Unpack[ExperimentChoices],
) -> Configuration:
    """The configuration of a file, a shipped name or a mapping, with entries replaced."""
    content, base = _content(configuration)
    data = choices.get("data")
    if data:
        named = [data] if isinstance(data, str | Path) else data
        content["data"] = [_data(str(name)) for name in named]
        base = Path()
    rankers = _names(choices.get("rankers"))
    if rankers:
        content["rankers"] = [{"name": ",".join(rankers)}]
    for key, numbers in (("folds", choices.get("folds")), ("seeds", choices.get("seeds"))):
        if numbers:
            content[key] = list(numbers)
    named_lists = {key: choices.get(key) for key in ("measures", "tools", "keep")}
    for key, given in named_lists.items():
        if names := _names(given):
            content[key] = names
    select = choices.get("select")
    if select:
        _replace(content, "selection", {"measure": select})
        for ranker in content.get("rankers", []):
            if isinstance(ranker, dict):
                ranker.pop("measure", None)
    limits = {"seconds": choices.get("time_limit"), "memory": choices.get("memory_limit")}
    _replace(content, "limits", limits)
    return configure(content, base)


def _content(configuration: str | Path | Mapping[str, Any] | None) -> tuple[dict[str, Any], Path]:
    """The entries, and the folder that relative ones are taken from."""
    if configuration is None or isinstance(configuration, Mapping):
        return dict(configuration or {}), Path()
    shipped = str(configuration) in list_shipped_configurations()
    return read_configuration(configuration), Path() if shipped else Path(configuration).parent


def _names(given: Any) -> list[str]:
    texts: Iterable[str] = [given] if isinstance(given, str) else given or ()
    return [name for text in texts for name in split_names(text)]


def _replace(content: dict[str, Any], key: str, given: Mapping[str, Any]) -> None:
    """Put what is given over the entries of a table; what is no table is told by `configure`."""
    there = content.get(key, {})
    if isinstance(there, Mapping):
        content[key] = {**there, **{name: one for name, one in given.items() if one is not None}}


def _data(name: str) -> dict[str, str]:
    """A folder where there is one, else a name in the data home."""
    known = bool(WILDCARDS & set(name)) or find_in_catalogue(name)
    return {"home": name} if known and not is_folder(name) else {"path": name}
