"""Anything with `fit`, and `predict` or `score`, as a `Ranker`."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.rankers.own.conversion import scorer_of
from rankwise.rankers.own.declared import is_plain
from rankwise.rankers.own.failures import one_sentence
from rankwise.rankers.own.scorer import can_score
from rankwise.rankers.own.signatures import Signature, fit_arguments
from rankwise.rankers.parameters import REQUIRED, Parameter, plain_number, refuse_unknown
from rankwise.rankers.ranker import Ranker, Watch
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.seeds import seed_of

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
        return {name: _listed(value) for name, value in {**defaults, **self.given}.items()}

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Scorer, dict[str, Any]]:
        seed = seed_of(rng)
        made = self._made(seed)
        signature = Signature.of(made.fit, f"{self.name}.fit", bound=True)
        given, named = fit_arguments(signature, train, validation, seed, watch)
        with one_sentence(self.name, "fit"):
            returned = made.fit(*given, **named)
        if isinstance(returned, Model):
            return returned.scorer, dict(returned.facts)
        fitted = returned if can_score(returned) else made
        return scorer_of(self.name, fitted, train, self.handles_null), {}

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


def _listed(value: Any) -> Any:
    """As JSON has it, so that what is written down equals what was given."""
    return list(value) if isinstance(value, tuple) else value
