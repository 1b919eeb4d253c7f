"""The hyper-parameters of a user's class or object: those of `get_params`, else of `__init__`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

from rankwise.rankers.parameters import REQUIRED, Parameter

_SEEDS = ("random_state", "seed", "random_seed")


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
        if one.name.rpartition("__")[2] in _SEEDS
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
        return _asked(origin)
    signature = _of_signature(origin)
    if any(default is REQUIRED for default in signature.values()):
        return signature
    # XGBoost's estimators name few of their parameters in the signature and all in get_params.
    return _asked(_made(origin)) or signature


def _asked(thing: Any) -> dict[str, Any]:
    """What `get_params` says, with the parameters of parts as in pipelines; parts are left out."""
    try:
        found = thing.get_params()
    # Whatever goes wrong in it, the thing has no parameters that could be set.
    except Exception:  # noqa: BLE001
        return {}
    if not isinstance(found, Mapping):
        return {}
    return {str(name): value for name, value in found.items() if not hasattr(value, "get_params")}


def _of_signature(origin: type) -> dict[str, Any]:
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


def _made(origin: type) -> Any:
    """An object with its defaults, or None: that it cannot be made is told when it is needed."""
    try:
        return origin()
    except Exception:  # noqa: BLE001
        return None
