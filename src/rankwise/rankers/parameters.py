"""Hyper-parameters that know their meaning, their bounds and the values worth trying."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.rankers.other_names import find_own_name


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()
"""The default of a hyper-parameter that has none and must be given."""


@dataclass(frozen=True)
class Parameter:
    """One hyper-parameter of a ranker, as commands and documents show it.

    One that is `free` comes from a signature that declares no bounds: its values are not checked,
    and a text stands for what it looks like.
    """

    name: str
    default: Any
    meaning: str
    grid: tuple[Any, ...]
    lowest: float | None
    highest: float | None
    choices: tuple[Any, ...]
    free: bool = False


def parameter(
    default: Any,
    meaning: str,
    *,
    grid: Sequence[Any] = (),
    lowest: float | None = None,
    highest: float | None = None,
    choices: Sequence[Any] = (),
) -> Any:
    """A dataclass field with its meaning; `grid` are the values that tuning tries."""
    return field(
        default=default,
        metadata={
            "meaning": meaning,
            "grid": tuple(grid),
            "lowest": lowest,
            "highest": highest,
            "choices": tuple(choices),
        },
    )


def parameters_of(ranker: Any) -> tuple[Parameter, ...]:
    """The hyper-parameters of a ranker class or object, in order."""
    found: tuple[Parameter, ...] = ranker.declared_parameters()
    return found


def refuse_unknown(ranker: Any, names: Iterable[str]) -> None:
    """Refuse names of hyper-parameters that a ranker class or object does not have."""
    known = [one.name for one in parameters_of(ranker)]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            own = find_own_name(name, known)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known) or 'none'}"
            hint = hint if own is None else f"its name here is {own!r}"
            raise RankwiseError(f"{ranker.name} has no parameter {name!r}; {hint}")


def parameters_of_fields(ranker: Any) -> tuple[Parameter, ...]:
    """The fields of a dataclass that were made by `parameter`, in order."""
    return tuple(
        Parameter(
            name=entry.name,
            default=None if entry.default is MISSING else entry.default,
            meaning=entry.metadata["meaning"],
            grid=entry.metadata["grid"],
            lowest=entry.metadata["lowest"],
            highest=entry.metadata["highest"],
            choices=entry.metadata["choices"],
        )
        for entry in fields(ranker)
        if "meaning" in entry.metadata
    )


def check_parameters(ranker: Any, name: str) -> None:
    """Refuse values outside the declared bounds and choices; numpy's numbers become Python's."""
    for declared in parameters_of(ranker):
        value = plain_number(getattr(ranker, declared.name))
        object.__setattr__(ranker, declared.name, value)
        if declared.choices and value not in declared.choices:
            allowed = ", ".join(map(str, declared.choices))
            raise RankwiseError(
                f"{name}: {declared.name} must be one of {allowed}, found {value!r}"
            )
        number = isinstance(value, int | float) and not isinstance(value, bool)
        kind = _number_kind(declared.default)
        if kind is not None and not (number and isinstance(value, kind)):
            what = "a whole number" if kind is int else "a number"
            raise RankwiseError(f"{name}: {declared.name} must be {what}, found {value!r}")
        if isinstance(declared.default, bool) and not (isinstance(value, bool) or declared.free):
            raise RankwiseError(f"{name}: {declared.name} must be True or False, found {value!r}")
        if number and not (declared.free or math.isfinite(value)):
            raise RankwiseError(f"{name}: {declared.name} must be finite, found {value!r}")
        if number and not _within(value, declared):
            bounds = " and ".join(
                f"{word} {bound:g}"
                for word, bound in (("at least", declared.lowest), ("at most", declared.highest))
                if bound is not None
            )
            raise RankwiseError(f"{name}: {declared.name} must be {bounds}, found {value!r}")


def plain_number(value: Any) -> Any:
    """A number of any library as the Python number that model files and stores hold."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _number_kind(default: Any) -> Any:
    """What a value must be an instance of where the default is a number."""
    if isinstance(default, bool) or not isinstance(default, int | float):
        return None
    return int if isinstance(default, int) else int | float


def parse_value(declared: Parameter, text: str, name: str) -> Any:
    """A value given as text on the command line, of the type of the default."""
    if declared.free:
        return _value_that_it_looks(text)
    kind = type(declared.default)
    try:
        if kind is bool:
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[
                text.lower()
            ]
        if kind is int:
            return int(text)
        return float(text) if kind is float else text
    except (KeyError, ValueError) as error:
        raise RankwiseError(
            f"{name}: {declared.name} must be of the kind of {declared.default!r}, found {text!r}"
        ) from error


def _value_that_it_looks(text: str) -> Any:
    """Numbers, true, false, none and lists in brackets are what they say; all else is text."""
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        value = json.loads(text, parse_constant=str)
    except ValueError:
        return text
    return text if isinstance(value, dict) else value


def _within(value: float, declared: Parameter) -> bool:
    above = declared.lowest is None or value >= declared.lowest
    return above and (declared.highest is None or value <= declared.highest)
