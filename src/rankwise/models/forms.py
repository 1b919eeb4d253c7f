"""Which forms the models of a ranker take, and so what they can be exported to."""

from __future__ import annotations

from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

from rankwise.models.exports import exports_of
from rankwise.rankers.ranker import Ranker


def kinds_of(ranker: type[Ranker]) -> tuple[str, ...]:
    """The kinds of scorer that training returns, as the ranker's own annotation declares them.

    Empty where it declares no more than `Scorer`, or somebody's own ranker nothing that can be
    read: the form then depends on the parameters.
    """
    try:
        declared, *_ = get_args(get_type_hints(ranker._learn)["return"])
    except (KeyError, NameError, TypeError, ValueError):
        return ()
    forms = get_args(declared) if get_origin(declared) in (Union, UnionType) else (declared,)
    kinds = tuple(getattr(form, "kind", None) for form in forms)
    return tuple(kind for kind in kinds if kind is not None)


def exports_of_ranker(ranker: type[Ranker]) -> tuple[str, ...]:
    """The layouts that some model of the ranker can be exported to, in their order."""
    found = [layout for kind in kinds_of(ranker) for layout in exports_of(kind)]
    return tuple(dict.fromkeys(found))
