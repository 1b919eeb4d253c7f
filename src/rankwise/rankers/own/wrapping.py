"""From a user's class or object to the `Ranker` that stands for it, with what is known of it."""

from __future__ import annotations

import inspect
import re
from dataclasses import Field
from typing import Any, get_args

from rankwise.errors import RankwiseError
from rankwise.rankers.own.declared import declared_parameters, seed_parameters
from rankwise.rankers.own.ranker import OwnRanker
from rankwise.rankers.own.scorer import can_score, scoring_signature
from rankwise.rankers.own.signatures import Signature, refuse_fit
from rankwise.rankers.parameters import Parameter
from rankwise.rankers.ranker import Family, Ranker

_wrapped: dict[str, type[OwnRanker]] = {}


def as_ranker(found: Any, reference: str | None = None) -> type[Ranker]:
    """The ranker that `found` is, or one that stands for it.

    A class or object that has `fit`, and `predict`, `score` or `as_scorer`, is wrapped. `reference`
    is where it was imported from; without it the name of its class is its name.
    """
    if isinstance(found, type) and issubclass(found, Ranker):
        _refuse_unfinished(found)
        return found
    name = reference or reference_of(found)
    known = _wrapped.get(name)
    # A module that is loaded again has another class under the same name.
    if known is None or known.origin is not found:
        _wrapped[name] = known = _wrap(found, name)
    return known


def reference_of(found: Any) -> str:
    """`module:Class` of a class, or of the class of an object."""
    home = found if isinstance(found, type) else type(found)
    return f"{home.__module__}:{home.__qualname__}"


def _refuse_unfinished(ranker: type[Ranker]) -> None:
    """What would otherwise fail far from its cause."""
    name = reference_of(ranker)
    if inspect.isabstract(ranker):
        missing = ", ".join(sorted(ranker.__abstractmethods__))
        raise RankwiseError(f"{name} must have the method {missing}, found none")
    for attribute, value in vars(ranker).items():
        if isinstance(value, Field):
            raise RankwiseError(
                f"{name} must be decorated with @dataclass(frozen=True) as it has the parameter "
                f"{attribute!r}, found it without"
            )


def _wrap(found: Any, name: str) -> type[OwnRanker]:
    is_class = isinstance(found, type)
    if not callable(getattr(found, "fit", None)) or not (
        can_score(found) or isinstance(found, Ranker)
    ):
        raise RankwiseError(
            f"{name} must be a subclass of rankwise.rankers.ranker.Ranker, or have fit, and "
            f"predict or score, found {'the class' if is_class else 'an object'} "
            f"{found.__qualname__ if is_class else type(found).__name__} without"
        )
    refuse_fit(Signature.of(found.fit, f"{name}.fit", bound=not is_class))
    if not callable(getattr(found, "as_scorer", None)) and not isinstance(found, Ranker):
        scoring_signature(found, name)
    known = declared_parameters(found)
    facts = {
        "name": (_stated(found, "name", str, known) if is_class else None) or name,
        "family": _family(found),
        "paper": _stated(found, "paper", str, known) or "own",
        "handles_null": _handles_null(found),
        "reads": _named_files(_stated(found, "reads", object, known)),
        "uses_measure": _flag(found, "uses_measure", any(one.name == "measure" for one in known)),
        "seeds": seed_parameters(found, known),
        "origin": found,
        "known": known,
        "__doc__": _description(found),
    }
    facts["random"] = _flag(found, "random", bool(facts["seeds"]))
    return type(f"Own{_plain(name)}", (OwnRanker,), facts)


def _stated(found: Any, fact: str, kind: type, known: tuple[Parameter, ...]) -> Any:
    """A fact that the class states about itself; a hyper-parameter of that name is none."""
    value = getattr(found if isinstance(found, type) else type(found), fact, None)
    is_parameter = any(one.name == fact for one in known)
    return value if isinstance(value, kind) and not is_parameter else None


def _named_files(stated: Any) -> tuple[Any, ...]:
    """One name, or several; something else that is called so is none of ours."""
    if isinstance(stated, str):
        return (stated,)
    return tuple(stated) if isinstance(stated, list | tuple) else ()


def _flag(found: Any, fact: str, otherwise: bool) -> bool:
    value = _stated(found, fact, bool, ())
    return otherwise if value is None else bool(value)


def _family(found: Any) -> str:
    value = _stated(found, "family", str, ())
    return value if value in get_args(Family) else "own"


def _handles_null(found: Any) -> bool:
    """What the class states, else scikit-learn's tags, which LightGBM and XGBoost have too."""
    stated = _stated(found, "handles_null", bool, ())
    if stated is not None:
        return bool(stated)
    try:
        made = found() if isinstance(found, type) else found
        return bool(made.__sklearn_tags__().input_tags.allow_nan)
    # An object without tags, or whose tags fail, has said nothing.
    except Exception:  # noqa: BLE001
        return False


def _description(found: Any) -> str:
    """The docstring up to a list of parameters in numpy's layout, which the table shows."""
    text = inspect.getdoc(found if isinstance(found, type) else type(found)) or ""
    return re.split(r"\n\s*(?:Parameters|Attributes)\s*\n\s*-{3,}", text)[0].rstrip()


def _plain(name: str) -> str:
    return re.sub(r"\W", "_", name.rpartition(":")[2])
