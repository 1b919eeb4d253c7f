"""Features by their names: where they stand that other data, or a model, want in an order."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.errors import RankwiseError

_MOST_SHOWN = 5


def find_order(names: Sequence[str], wanted: Sequence[str], whose: str) -> list[int] | None:
    """Where each of the features that are wanted stands; None where all stand as they should.

    `whose` says who wants them, as in "the model". One that is missing, one too many, or a name
    that stands for two columns of another order is refused.
    """
    if tuple(names) == tuple(wanted):
        return None
    for what, absent in (
        ("lack", [name for name in wanted if name not in set(names)]),
        ("also have", [name for name in names if name not in set(wanted)]),
    ):
        if absent:
            raise RankwiseError(
                f"the data must have the features of {whose}, by name: they {what} {_list(absent)}"
            )
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names) or len(set(wanted)) < len(wanted):
        raise RankwiseError(
            f"features must have different names to be brought into the order of {whose}, found "
            f"{_list(sorted(name for name in places if list(names).count(name) > 1))} twice"
        )
    return [places[name] for name in wanted]


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(f"{name!r:.80}" for name in names[:_MOST_SHOWN])
    return shown if len(names) <= _MOST_SHOWN else f"{shown} and {len(names) - _MOST_SHOWN} more"
