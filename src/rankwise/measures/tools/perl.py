"""Numbers as Perl reads them from text: the longest numeric prefix, else 0."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")


def perl_number(text: str) -> float:
    """The number that a query id counts as where Perl sorts by number."""
    found = _PREFIX.match(text)
    return float(found[1]) if found else 0.0
