"""What a user's `fit`, `predict` and `score` are given: read off the names of their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.ranker import Watch

WHOLE = ("dataset", "train")
"""A parameter of this name is given the data set, with its queries."""

_FILLED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class Signature:
    """The parameters of a method, of which it can be asked what it takes."""

    what: str
    parameters: Mapping[str, inspect.Parameter]

    @classmethod
    def of(cls, method: Callable[..., Any], what: str, *, bound: bool) -> Signature:
        """Of a method of an object (`bound`) or of a class; one that Python cannot read is empty.

        `what` is what messages call it.
        """
        try:
            found = dict(inspect.signature(method).parameters)
        except (TypeError, ValueError):
            found = {}
        if not bound and found:
            del found[next(iter(found))]
        return cls(what, found)

    @property
    def whole(self) -> str | None:
        """The parameter that takes the whole data set, if any."""
        return next((name for name in WHOLE if name in self.parameters), None)

    @property
    def needs_queries(self) -> bool:
        """Whether rows alone are not enough."""
        return self.whole is not None or any(n in self.parameters for n in ("qid", "group"))

    def refuse_unfilled(self, given: set[str], places: int, wanted: str) -> None:
        """Refuse a method that needs more, or takes fewer arrays, than it would be given."""
        names = list(self.parameters)
        positional = [name for name in names if self.parameters[name].kind in _FILLED]
        catches_all = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in self._all())
        filled = given | set(positional[:places])
        needed = [
            one.name
            for one in self._all()
            if one.default is inspect.Parameter.empty
            and one.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
            and one.name not in filled
        ]
        if needed or (names and len(positional) < places and not catches_all):
            raise RankwiseError(f"{self.what} must take {wanted}, found ({', '.join(names)})")

    def _all(self) -> list[inspect.Parameter]:
        return list(self.parameters.values())


def fit_arguments(
    signature: Signature, train: Dataset, validation: Dataset | None, seed: int, watch: Watch
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of `fit`: a data set, or X and y with whatever else it has a parameter for."""
    offers: dict[str, Any] = {"validation": validation, "seed": seed, "watch": watch}
    if "rng" in signature.parameters:
        offers["rng"] = np.random.default_rng(seed)
    if signature.whole is not None:
        return [], _taken(signature, {signature.whole: train, **offers})
    offers |= _queries(signature, train) | _validation_arrays(signature, validation)
    return [train.features, train.labels], _taken(signature, offers)


def refuse_fit(signature: Signature) -> None:
    """Refuse a `fit` that cannot be given what it needs."""
    offered = {"validation", "seed", "watch", "rng", "qid", "group", *WHOLE, *_VALIDATION_NAMES}
    signature.refuse_unfilled(
        offered,
        2 if signature.whole is None else 0,
        "X and y, or a data set as a parameter named dataset or train",
    )


def score_arguments(signature: Signature, dataset: Dataset) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of `predict` or `score`: a data set, or X with the queries where asked for."""
    if signature.whole is not None:
        return [], {signature.whole: dataset}
    return [dataset.features], _queries(signature, dataset)


_VALIDATION_NAMES = ("eval_set", "eval_group", "eval_qid", "eval_X", "eval_y")


def _queries(signature: Signature, dataset: Dataset) -> dict[str, Any]:
    """The number of each row's query, or else the lengths of the queries.

    XGBoost has parameters for both and takes one.
    """
    if "qid" in signature.parameters:
        return {"qid": dataset.query_of_rows}
    return {"group": dataset.query_lengths} if "group" in signature.parameters else {}


def _validation_arrays(signature: Signature, validation: Dataset | None) -> dict[str, Any]:
    """As LightGBM and XGBoost take it: lists, since they take several."""
    if validation is None:
        return {}
    arrays: dict[str, Any]
    if {"eval_X", "eval_y"} <= signature.parameters.keys():
        arrays = {"eval_X": validation.features, "eval_y": validation.labels}
    else:
        arrays = {"eval_set": [(validation.features, validation.labels)]}
    if "eval_qid" in signature.parameters:
        return arrays | {"eval_qid": [validation.query_of_rows]}
    return arrays | {"eval_group": [validation.query_lengths]}


def _taken(signature: Signature, offers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in offers.items() if name in signature.parameters}
