"""A ranker by name with hyper-parameters by name; what it does not have is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError
from rankwise.rankers.parameters import parameters_of, parse_value, refuse_unknown
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker, ranker_names
from rankwise.rankers.settings_text import WITHIN, write_settings

if TYPE_CHECKING:
    from rankwise.rankers.cluster.spreading import SpreadingRanker


def make_ranker(ranker: object, /, **parameters: Any) -> Ranker:
    """The ranker of a name, `module:Name` or class, with the hyper-parameters that are given.

    A `Ranker` that is made already comes back, with those parameters changed. Those of a wrapped
    ranker are `settings={name: value}`, or `**{"of.name": value}`.
    """
    if isinstance(ranker, Ranker):
        parameters = {**ranker.parameters(), **parameters}
        ranker = type(ranker)
    found = find_ranker(ranker)
    parameters = gather_settings(found, parameters)
    refuse_unknown(found, parameters)
    return found(**parameters)


def parse_settings(ranker: type[Ranker], settings: Iterable[str]) -> dict[str, Any]:
    """Hyper-parameters written `name=value`, each once, as values."""
    declared = {one.name: one for one in parameters_of(ranker)}
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise RankwiseError(f"a setting must be written name=value, found {setting!r}")
        if key in values:
            raise RankwiseError(f"a setting must be given once, found {key} twice")
        if key.startswith(WITHIN) and "settings" in declared:
            values[key] = text
            continue
        refuse_unknown(ranker, {key: text})
        values[key] = parse_value(declared[key], text, ranker.name)
    return gather_settings(ranker, values)


def gather_settings(ranker: type[Ranker], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters in which those of a wrapped ranker, `of.NAME`, stand in `settings`."""
    known = {one.name for one in parameters_of(ranker)}
    inner = {name: value for name, value in parameters.items() if name.startswith(WITHIN)}
    if not inner or not {"of", "settings"} <= known:
        return dict(parameters)
    if parameters.get("settings"):
        raise RankwiseError(
            f"{ranker.name}: parameters of the wrapped ranker must be given by settings or by "
            f"{WITHIN}NAME, found both"
        )
    outer = {name: value for name, value in parameters.items() if name not in inner}
    named = {name.removeprefix(WITHIN): value for name, value in inner.items()}
    return {**outer, "settings": write_settings(named)}


def spreading(ranker: type[Ranker]) -> type[SpreadingRanker]:
    """The same ranker where it can be trained over a cluster, else a sentence that names those."""
    from rankwise.rankers.cluster.spreading import SpreadingRanker

    if issubclass(ranker, SpreadingRanker):
        return ranker
    able = [name for name in ranker_names() if issubclass(find_ranker(name), SpreadingRanker)]
    raise RankwiseError(
        f"{ranker.name} cannot be trained over a cluster, only {', '.join(able)} can; train it on "
        "one machine"
    )
