"""Several measures in one text: `NDCG@5,MAP`.

Commas inside parentheses are left alone, and those between gains of labels: `ndcg.1=1,2=3,map`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure
from rankwise.shown import brief

_GAIN_OF_A_LABEL = re.compile(r"[0-9]+ *=")


def split_names(text: str) -> list[str]:
    """The names between commas that stand outside parentheses, without blanks around them."""
    names, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            names.append("")
        else:
            names[-1] += character
    found: list[str] = []
    for name in filter(None, map(str.strip, names)):
        if found and _GAIN_OF_A_LABEL.match(name):
            found[-1] += f",{name}"
        else:
            found.append(name)
    return found


def measure_list(
    measures: str | Measure | Iterable[str | Measure] | None,
) -> list[str | Measure] | None:
    """One measure or several, by name or value, as a list; None, everything, stays None."""
    if measures is None:
        return None
    given = [measures] if isinstance(measures, str | Measure) else measures
    found: list[str | Measure] = []
    for one in given if isinstance(given, Iterable) else [given]:
        if not isinstance(one, str | Measure):
            raise RankwiseError(f"measures must be names or Measure values, found {brief(one)}")
        found += split_names(one) if isinstance(one, str) else [one]
    return found
