"""Rankers of a user's own: anything with `fit`, and `predict` or `score`, as a `Ranker`.

`as_ranker` makes the `Ranker` that stands for a user's class or object, with what is known of it.
What is given to `fit` and asked of the fitted object is read off their signatures, hyper-parameters
are those of `get_params`, else of `__init__`; see docs/rankers/own-ranker.md.
"""

from __future__ import annotations

import copy
import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass
from typing import Any, ClassVar, get_args

from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers.external_scorer import (
    Signature,
    can_score,
    fit_arguments,
    one_sentence,
    refuse_fit,
    scorer_of,
    scoring_signature,
)
from rankwise.rankers.parameters import REQUIRED, Parameter, plain_number, refuse_unknown
from rankwise.rankers.ranker import Family, Learned, Ranker, Training

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


_LARGEST_SEED = 2**32


@dataclass(frozen=True, init=False)
class OwnRanker(Ranker):
    """A user's class or object with the hyper-parameters that were given.

    `as_ranker` makes a subclass for each.

    Attributes:
        origin: the class or object that it stands for.
        known: its hyper-parameters.
        seeds: those of them that are set from the seed.
        given: values of hyper-parameters, which the origin gets.
    """

    origin: ClassVar[Any]
    known: ClassVar[tuple[Parameter, ...]] = ()
    seeds: ClassVar[tuple[str, ...]] = ()
    given: Mapping[str, Any]

    def __init__(self, /, **given: Any) -> None:
        values = {name: plain_number(value) for name, value in given.items()}
        object.__setattr__(self, "given", values)
        self._refuse_parameters()
        self._made(seed=0)

    @classmethod
    def declared_parameters(cls) -> tuple[Parameter, ...]:
        """Those of the origin."""
        return cls.known

    def parameters(self) -> dict[str, Any]:
        """What was given, and the defaults that say something and can be written down."""
        silent = (None, REQUIRED)
        defaults = {
            one.name: one.default
            for one in self.known
            if one.name not in self.seeds and one.default not in silent and is_plain(one.default)
        }
        return {name: _listed_names(value) for name, value in {**defaults, **self.given}.items()}

    def _learn(self, training: Training) -> Learned[Scorer]:
        seed = training.seed
        made = self._made(seed)
        signature = Signature.of(made.fit, f"{self.name}.fit", bound=True)
        given, named = fit_arguments(
            signature, training.train, training.validation, seed, training.watch
        )
        with one_sentence(self.name, "fit"):
            returned = made.fit(*given, **named)
        if isinstance(returned, Model):
            return Learned(returned.scorer, dict(returned.facts))
        fitted = returned if can_score(returned) else made
        return Learned(scorer_of(self.name, fitted, training.train, self.handles_null), {})

    def _made(self, seed: int) -> Any:
        """A fresh object with the parameters that were given, and the seed where it takes one."""
        named = {**dict.fromkeys(self.seeds, seed % _LARGEST_SEED), **self.given}
        with one_sentence(self.name, "constructor"):
            if isinstance(self.origin, type):
                made = self.origin(**named)
            else:
                made = copy.deepcopy(self.origin)
                if named:
                    made.set_params(**named)
            _silence(made)
        return made

    def _refuse_parameters(self) -> None:
        refuse_unknown(self, self.given)
        for one in self.known:
            if one.default is REQUIRED and one.name not in (*self.given, *self.seeds):
                raise RankwiseError(
                    f"{self.name} needs a value of its parameter {one.name!r}, which has no default"
                )


def _silence(made: Any) -> None:
    """LightGBM writes a line for every tree that it cannot split; a wish for that is kept."""
    if type(made).__module__.startswith("lightgbm.") and "verbosity" not in made.get_params():
        made.set_params(verbosity=-1)


def _listed_names(value: Any) -> Any:
    """As JSON has it, so that what is written down equals what was given."""
    return list(value) if isinstance(value, tuple) else value


_SEED_NAMES = ("random_state", "seed", "random_seed")


def declared_parameters(origin: Any) -> tuple[Parameter, ...]:
    """Every parameter with its default; values are not checked, as no signature says their bounds.

    Those whose default is an object stay as they are. A class attribute `grid` = {name: [values]}
    says what tuning tries.
    """
    grid = getattr(origin, "grid", None)
    grids: Mapping[str, Any] = grid if isinstance(grid, Mapping) else {}
    return tuple(
        Parameter(name, default, "", tuple(grids.get(name, ())), None, None, (), free=True)
        for name, default in _defaults(origin).items()
        if default is REQUIRED or isinstance(default, float) or is_plain(default)
    )


def seed_parameters(origin: Any, known: tuple[Parameter, ...]) -> tuple[str, ...]:
    """Those that are set from the seed of the experiment, also in the parts of a pipeline.

    Of an object only those that are left open: a number in it was chosen by its owner.
    """
    return tuple(
        one.name
        for one in known
        if one.name.rpartition("__")[2] in _SEED_NAMES
        and (isinstance(origin, type) or one.default is None)
    )


def is_plain(value: Any) -> bool:
    """Whether a value can stand in a key, a store and a model file."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _defaults(origin: Any) -> dict[str, Any]:
    if not isinstance(origin, type):
        return _asked_parameters(origin)
    signature = _parameters_of_signature(origin)
    if any(default is REQUIRED for default in signature.values()):
        return signature
    # XGBoost's estimators name few of their parameters in the signature and all in get_params.
    return _asked_parameters(_made_instance(origin)) or signature


def _asked_parameters(thing: Any) -> dict[str, Any]:
    """What `get_params` says, with the parameters of parts as in pipelines; parts are left out."""
    try:
        found = thing.get_params()
    # Whatever goes wrong in it, the thing has no parameters that could be set.
    except Exception:  # noqa: BLE001
        return {}
    if not isinstance(found, Mapping):
        return {}
    return {str(name): value for name, value in found.items() if not hasattr(value, "get_params")}


def _parameters_of_signature(origin: type) -> dict[str, Any]:
    try:
        found = inspect.signature(origin).parameters.values()
    except (TypeError, ValueError):
        return {}
    skipped = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        one.name: REQUIRED if one.default is inspect.Parameter.empty else one.default
        for one in found
        if one.kind not in skipped
    }


def _made_instance(origin: type) -> Any:
    """An object with its defaults, or None: that it cannot be made is told when it is needed."""
    try:
        return origin()
    except Exception:  # noqa: BLE001
        return None
