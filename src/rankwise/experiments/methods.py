"""The rankers of experiments: registered ones by name, anybody's own as `module:Class`."""

from __future__ import annotations

import importlib
from functools import lru_cache

from rankwise.errors import RankwiseError
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker


@lru_cache(maxsize=1024)
def find_method(name: str) -> type[Ranker]:
    """The ranker `name`; one with a colon is imported from where the worker can find it."""
    if ":" not in name:
        return find_ranker(name)
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    # A module is anybody's code: whatever it raises, the sentence about it is the same.
    except Exception as error:
        raise RankwiseError(
            f"the ranker {name!r} cannot be imported ({type(error).__name__}: {error}); it must be "
            "module:Class, with the module on PYTHONPATH"
        ) from error
    if not (isinstance(found, type) and issubclass(found, Ranker)):
        raise RankwiseError(f"{name} must be a subclass of rankwise.rankers.ranker.Ranker")
    return found
