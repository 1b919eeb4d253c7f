"""A ranker by name with hyper-parameters by name; what it does not have is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError
from rankwise.rankers.parameters import parameters_of, parse_value, refuse_unknown
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker, ranker_names

if TYPE_CHECKING:
    from rankwise.rankers.cluster.spreading import SpreadingRanker


def make_ranker(ranker: object, /, **parameters: Any) -> Ranker:
    """The ranker of a name, `module:Name` or class, with the hyper-parameters that are given.

    A `Ranker` that is made already comes back, with those parameters changed.
    """
    if isinstance(ranker, Ranker):
        parameters = {**ranker.parameters(), **parameters}
        ranker = type(ranker)
    found = find_ranker(ranker)
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
        refuse_unknown(ranker, {key: text})
        if key in values:
            raise RankwiseError(f"a setting must be given once, found {key} twice")
        values[key] = parse_value(declared[key], text, ranker.name)
    return values


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
