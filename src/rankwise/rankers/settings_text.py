"""Hyper-parameters of a wrapped ranker as one text: `name=value,name=value`.

A value that holds a comma or a brace stands in braces, so that the settings of a wrapper within a
wrapper can be written: `of=listnet,settings={epochs=10,regularization=0.1}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.shown import brief

WITHIN = "of."
"""What begins the name of a wrapped ranker's hyper-parameter where both stand side by side."""


def write_settings(settings: Mapping[str, Any]) -> str:
    """The text of hyper-parameters by name; `split_settings` takes it apart again."""
    return ",".join(f"{name}={_written(value)}" for name, value in settings.items())


def split_settings(text: str) -> list[str]:
    """Each `name=value` of a text, values without their braces."""
    return [_bare(part) for part in _cut(text)] if text.strip() else []


def _written(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{{{text}}}" if "," in text or "{" in text or "}" in text else text


def _bare(part: str) -> str:
    name, equals, value = part.strip().partition("=")
    value = value.strip()
    if value.startswith("{") and value.endswith("}"):
        value = value[1:-1]
    return f"{name.strip()}{equals}{value}"


def _cut(text: str) -> Iterator[str]:
    """The parts between commas that stand in no braces."""
    depth = begin = 0
    for place, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and depth == 0:
            yield text[begin:place]
            begin = place + 1
    if depth != 0:
        raise RankwiseError(f"settings must close each brace that they open, found {brief(text)}")
    yield text[begin:]
