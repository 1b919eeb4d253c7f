"""What search engines compute of the features of built data sets, told by their names.

A build calls a feature of a stream `bm25 of title`, and one of the document `pagerank`. A name
without a stream that no build gives is taken for a numeric field of the documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rankwise.models.formats.format import Defined

OF = " of "
# They have no stream, and their values depend on the query.
_OF_THE_QUERY = (
    "hits-authority",
    "hits-hub",
    "query-class",
    "topical-hits-authority",
    "topical-hits-hub",
    "topical-pagerank",
)
_SHOWN = 5


def field_of(name: str) -> str | None:
    """The numeric field that a feature is, or None: numbers name no field."""
    return None if OF in name or name in _OF_THE_QUERY or name.isdigit() else name


def define(names: Sequence[str], define_one: Callable[[str], Any], engine: str) -> Defined:
    """The definitions of the features that an engine can compute, and remarks on all of them.

    `define_one` gives None for a feature that it cannot.
    """
    made = {name: define_one(name) for name in names}
    text = [name for name in names if made[name] is not None and OF in name]
    fields = [name for name in names if made[name] is not None and OF not in name]
    numbers = sum(name.isdigit() for name in names)
    missing = [name for name in names if made[name] is None and not name.isdigit()]
    remarks = []
    if text:
        remarks.append(
            f"{engine} computes {_listed(text)} by its own analysis and statistics: train on "
            "values that it logged"
        )
    if fields:
        remarks.append(f"{engine} reads {_listed(fields)} from the field of that name")
    if missing:
        remarks.append(
            f"no query of {engine} is known for {len(missing)} of {len(names)} features, which "
            f"stay undefined: {', '.join(missing)}; define them, or train without them"
        )
    if numbers:
        remarks.append(
            f"{numbers} of {len(names)} features have numbers and no names, and stay undefined: "
            "name them"
        )
    return [one for one in made.values() if one is not None], remarks


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(names[:_SHOWN]) + more
