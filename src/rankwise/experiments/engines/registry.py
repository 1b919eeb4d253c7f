"""Every engine, one line each; the command line and the tests derive from here.

A home is imported when its engine is asked for, so that listing names costs nothing.
"""

from __future__ import annotations

import importlib
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.experiments.engines.engine import Engine

ENGINES = {
    "local": "local:LocalEngine",
    "dask": "dask:DaskEngine",
}


def engine_names() -> tuple[str, ...]:
    """All registered names, the default first."""
    return tuple(ENGINES)


def find_engine(name: str) -> type[Engine]:
    """The class of the engine `name`; a misspelt name suggests the nearest."""
    home = ENGINES.get(name)
    if home is None:
        near = get_close_matches(name, ENGINES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ENGINES)}"
        raise RankwiseError(f"there is no engine {name!r}; {hint}")
    module, attribute = home.split(":")
    place = importlib.import_module(f"rankwise.experiments.engines.{module}")
    found: type[Engine] = getattr(place, attribute)
    return found
