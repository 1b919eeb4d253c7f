"""Hyper-parameters know their meaning, their bounds and the values worth trying.

Names that they have in other libraries are listed with theirs here. Those of a wrapped ranker are
one text: `name=value,name=value`. A value that holds a comma or a brace stands in braces, so that
the settings of a wrapper within a wrapper can be written:
`of=listnet,settings={epochs=10,regularization=0.1}`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.sanitize import brief


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


def tol(default: float, *, lowest: float = 1e-14) -> Any:
    """How near to the minimum of a convex objective training ends."""
    return parameter(
        default, "training ends this near to the minimum of the objective", lowest=lowest
    )


def regularization(
    default: float,
    beside: str,
    *,
    norm: str = "‖w‖²/2",
    grid: Sequence[float] = (),
    highest: float | None = 1e9,
) -> Any:
    """λ, which penalises a norm of the weights beside the loss."""
    meaning = f"λ, the weight of {norm} beside {beside}"
    return parameter(default, meaning, grid=grid, lowest=1e-9, highest=highest)


def scale_large() -> Any:
    """Whether features of a large spread are divided by it, as `RelativeFeatures` does."""
    return parameter(True, "divide features by their spread within queries where it is above 1")


def convention(of: str = "measure") -> Any:
    """The tool whose convention a measure follows."""
    return parameter("definition", f"whose convention of the {of} is followed")


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


_TREES = {"trees": "", "rounds": "leaves"}
_TREE_STEP = {"learning_rate": "leaves"}
_LEAVES, _LEAF_DOCUMENTS = {"leaves": ""}, {"leaf_documents": "leaves"}
_OF_A_TREE = {"feature_fraction": "", "feature_share": "learning_rate"}
_OF_A_SPLIT = {"feature_share": "trees"}
_PATIENCE, _L2, _MONOTONE = {"patience": ""}, {"l2": ""}, {"monotone": ""}
OTHER_NAMES: Mapping[str, Mapping[str, str]] = {
    "n_estimators": _TREES,
    "num_iterations": _TREES,
    "num_boost_round": _TREES,
    "n_trees": _TREES,
    "max_iter": {"rounds": "", "generations": "", "epochs": ""},
    "early_stopping_round": _PATIENCE,
    "early_stopping_rounds": _PATIENCE,
    "n_iter_no_change": _PATIENCE,
    "eta": _TREE_STEP,
    "shrinkage": _TREE_STEP,
    "shrinkage_rate": _TREE_STEP,
    "num_leaves": _LEAVES,
    "max_leaves": _LEAVES,
    "max_leaf_nodes": _LEAVES,
    "min_child_samples": _LEAF_DOCUMENTS,
    "min_data_in_leaf": _LEAF_DOCUMENTS,
    "min_samples_leaf": _LEAF_DOCUMENTS,
    "reg_lambda": _L2,
    "lambda_l2": _L2,
    "l2_regularization": _L2,
    "colsample_bytree": _OF_A_TREE,
    "feature_fraction": _OF_A_TREE,
    "colsample_bynode": _OF_A_SPLIT,
    "feature_fraction_bynode": _OF_A_SPLIT,
    "subsample": {"document_share": "leaves"},
    "bagging_fraction": {"document_share": "leaves"},
    "lambdarank_truncation_level": {"truncation": "leaves"},
    "lambdarank_norm": {"query_norm": ""},
    "monotone_constraints": _MONOTONE,
    "monotonic_cst": _MONOTONE,
    "device_type": {"device": ""},
    "lr": {"learning_rate": ""},
}
"""For each name elsewhere the names here, of which a ranker has one at most.

A name here that means several things, such as the rounds of trees and those of an optimizer, counts
only in a ranker that has the hyper-parameter beside it as well. Only names that mean the same stand
here. SVMs' C and ridge's alpha do not: `regularization` is scaled by what each ranker averages
over. Nor does max_depth: trees here are bounded by their leaves.
"""


def find_own_name(name: str, known: Iterable[str]) -> str | None:
    """What a ranker with these hyper-parameters calls one of another library, if it has it."""
    held = set(known)
    found = OTHER_NAMES.get(name, {}).items()
    return next((own for own, beside in found if {own, beside or own} <= held), None)


def with_own_names(parameters: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """The hyper-parameters under the names of a ranker that has those that are `known`.

    What is neither known nor known elsewhere keeps its name, for others to refuse. Two names for
    one hyper-parameter are refused.
    """
    held = set(known)
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        own = name if name in held else find_own_name(name, held) or name
        if own in found:
            raise RankwiseError(f"{own!r} must be given once, found it again as {name!r}")
        found[own] = value
    return found


WITHIN_SETTINGS = "of."
"""What begins the name of a wrapped ranker's hyper-parameter where both stand side by side."""


def write_settings(settings: Mapping[str, Any]) -> str:
    """The text of hyper-parameters by name; `split_settings` takes it apart again."""
    return ",".join(f"{name}={_written_value(value)}" for name, value in settings.items())


def split_settings(text: str) -> list[str]:
    """Each `name=value` of a text, values without their braces."""
    return [_without_braces(part) for part in _cut_at_commas(text)] if text.strip() else []


def _written_value(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{{{text}}}" if "," in text or "{" in text or "}" in text else text


def _without_braces(part: str) -> str:
    name, equals, value = part.strip().partition("=")
    value = value.strip()
    if value.startswith("{") and value.endswith("}"):
        value = value[1:-1]
    return f"{name.strip()}{equals}{value}"


def _cut_at_commas(text: str) -> Iterator[str]:
    """The parts between commas that stand in no braces."""
    depth = begin = 0
    for place, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and depth == 0:
            yield text[begin:place]
            begin = place + 1
    if depth != 0:
        raise RankwiseError(f"settings must close each brace that they open, found {brief(text)}")
    yield text[begin:]
