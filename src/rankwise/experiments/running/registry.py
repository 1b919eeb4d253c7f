"""Every engine, one line each; the command line and the tests derive from here.

A home is imported when its engine is asked for, so that listing names costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.registry import Registry

if TYPE_CHECKING:
    from rankwise.experiments.running.engine import Engine


ENGINES: Registry[type[Engine]] = Registry(
    "engine",
    {
        "local": "rankwise.experiments.running.local:LocalEngine",
        "dask": "rankwise.experiments.running.dask:DaskEngine",
    },
)


def engine_names() -> tuple[str, ...]:
    """All registered names, the default first."""
    return tuple(ENGINES)


def find_engine(name: str) -> type[Engine]:
    """The class of the engine `name`."""
    return ENGINES[name]
