"""What a tuning searches, as commands write it: NAME=VALUE, NAME=V,V,… and NAME=LOW:HIGH[:log]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.experiments.tuning import SearchRange
from rankwise.rankers.parameters import parameters_of, parse_value, refuse_unknown
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.settings_text import WITHIN, split_settings
from rankwise.rankers.wrappers.wrapper import Wrapper


def parse_fixed(ranker: str, given: Iterable[str]) -> dict[str, Any]:
    """Parameters of one value; `of` is read before those of the ranker that it names."""
    texts = _divide(given, "set")
    return {name: _parse(ranker, texts, name, text) for name, text in texts.items()}


def parse_grid(ranker: str, given: Iterable[str], fixed: Iterable[str] = ()) -> dict[str, Any]:
    """Values to try by parameter; one that holds a comma stands in braces."""
    settled = _divide(fixed, "set")
    found = {}
    for name, text in _divide(given, "values").items():
        parts = [one.removeprefix("=") for one in split_settings(_mark(text))]
        found[name] = tuple(_parse(ranker, settled, name, part) for part in parts)
        if not found[name]:
            raise RankwiseError(f"there must be a value of {name} to try, found none")
    return found


def parse_intervals(given: Iterable[str]) -> dict[str, SearchRange]:
    """Intervals to draw from by parameter."""
    return {name: _parse_interval(name, text) for name, text in _divide(given, "draw").items()}


def _mark(text: str) -> str:
    """Values as settings without names, so that they are cut at the same commas."""
    depth, marked = 0, ["="]
    for letter in text:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        marked.append(",=" if letter == "," and depth == 0 else letter)
    return "".join(marked)


def _divide(given: Iterable[str], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, sign, text = one.partition("=")
        if not (name and sign and text):
            raise RankwiseError(f"--{what} must be written NAME=…, found {one!r}")
        if name in found:
            raise RankwiseError(f"--{what} must name a parameter once, found {name} twice")
        found[name] = text
    return found


def _parse(ranker: str, settled: dict[str, str], name: str, text: str) -> Any:
    owner, own = _find_owner(find_ranker(ranker), settled, name)
    refuse_unknown(owner, [own])
    declared = {one.name: one for one in parameters_of(owner)}
    return parse_value(declared[own], text, owner.name)


def _find_owner(
    ranker: type[Ranker], settled: dict[str, str], name: str
) -> tuple[type[Ranker], str]:
    """Whose parameter it is: the ranker's, or with `of.` the wrapped one's."""
    if name.startswith(WITHIN) and issubclass(ranker, Wrapper):
        return find_ranker(settled.get("of", ranker.of)), name.removeprefix(WITHIN)
    return ranker, name


def _parse_interval(name: str, text: str) -> SearchRange:
    low, _, rest = text.partition(":")
    high, _, scale = rest.partition(":")
    try:
        if scale not in ("", "log"):
            raise ValueError(scale)
        return SearchRange(float(low), float(high), scale == "log")
    except ValueError:
        raise RankwiseError(
            "an interval must be NAME=LOW:HIGH, or NAME=LOW:HIGH:log to draw in the logarithm, "
            f"found {name}={text}"
        ) from None
