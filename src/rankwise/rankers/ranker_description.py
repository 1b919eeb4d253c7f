"""What is known of a ranker: its facts, its parameters, and what its models can be exported to."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from rankwise.models.formats.format import exports_of
from rankwise.rankers.parameters import REQUIRED, Parameter, parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker
from rankwise.tables.notebook import Rows, Tabular, shortened


@dataclass(frozen=True)
class RankerDescription(Tabular):
    """Everything that the registry knows about a method.

    Attributes:
        name: as commands call it.
        family: pointwise, pairwise, listwise, wrapper, or own.
        paper: its citation.
        description: what it minimises, and where it deviates from its paper.
        handles_null: whether it can learn from NULL features.
        takes_weights: whether it can weigh documents or queries.
        takes_start: whether training can start from another model.
        uses_measure: whether it looks at a measure.
        random: whether it draws random numbers.
        guesses: what its paper leaves open and was filled in here, a phrase each.
        model_kinds: kinds of scorer that it learns; none where that depends on its parameters.
        exports: layouts that its models can be written in.
        parameters: its hyper-parameters.
        random_with: the setting with which it draws random numbers where it else does not.
    """

    name: str
    family: str
    paper: str
    description: str
    handles_null: bool
    takes_weights: bool
    takes_start: bool
    uses_measure: bool
    random: bool
    guesses: tuple[str, ...]
    model_kinds: tuple[str, ...]
    exports: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    random_with: str | None = None

    def __repr__(self) -> str:
        return shortened(f"{self.name} ({self.family}): {self.paper}")

    @property
    def specified(self) -> str:
        """Whether the paper says all that was needed: fully, or with guesses."""
        return "with guesses" if self.guesses else "fully"

    def as_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        facts = {name: value for name, value in vars(self).items() if name != "parameters"}
        facts["specified"] = self.specified
        return {**facts, "parameters": [_as_dict(one) for one in self.parameters]}

    def _table(self) -> Rows:
        titles = ("parameter", "default", "lowest", "highest", "choices", "grid", "meaning")
        return titles, [
            (one.name, one.default, one.lowest, one.highest, _listed(one.choices),
             _listed(one.grid), one.meaning)
            for one in self.parameters
        ]  # fmt: skip


def describe_ranker(ranker: object) -> RankerDescription:
    """The facts of a ranker: of a registered name, of `module:Name`, or of a class."""
    found = find_ranker(ranker)
    return RankerDescription(
        name=found.name,
        family=found.family,
        paper=found.paper,
        description=inspect.getdoc(found) or "",
        handles_null=found.handles_null,
        takes_weights=found.takes_weights,
        takes_start=found.takes_start,
        uses_measure=found.uses_measure,
        random=found.random,
        random_with=found.random_with,
        guesses=found.guesses,
        model_kinds=kinds_of(found),
        exports=exports_of_ranker(found),
        parameters=parameters_of(found),
    )


def _as_dict(one: Parameter) -> dict[str, Any]:
    default = "required" if one.default is REQUIRED else one.default
    names = ("meaning", "lowest", "highest", "choices", "grid")
    return {"name": one.name, "default": default, **{name: getattr(one, name) for name in names}}


def _listed(values: tuple[Any, ...]) -> str:
    return ", ".join(map(str, values))


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
