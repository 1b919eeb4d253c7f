"""Pages from templates: everything is text unless our own code made it markup."""

from __future__ import annotations

import math
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from rankwise import __version__
from rankwise.arena.web.security import FILE_POLICY
from rankwise.shown import visible


@lru_cache(maxsize=1)
def load_templates() -> Environment:
    """The templates: names that are missing are errors, and all that is put in is escaped."""
    environment = Environment(
        loader=PackageLoader("rankwise.arena.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters.update(
        figure=write_figure, moment=write_moment, seconds=write_seconds, size=write_size,
        seen=visible, web_address=find_web_address, day=write_day, signed=write_signed,
        sentence=end_sentence,
    )  # fmt: skip
    environment.globals.update(rankwise_version=__version__, file_policy=FILE_POLICY)
    return environment


def render(template: str, **values: Any) -> str:
    """A template filled with values."""
    return load_templates().get_template(template).render(**values)


def write_figure(value: float | None, decimals: int = 4) -> str:
    """A value as tables show it; a dash where there is none."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{decimals}f}"


def write_signed(value: float) -> str:
    """A difference with its sign; a dash where there is none."""
    return f"{value:+.4f}" if math.isfinite(value) else "–"


def write_moment(moment: datetime | str | None) -> str:
    """Day and minute in UTC: `2026-11-18 00:30 UTC`."""
    if moment is None:
        return "–"
    known = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return f"{known:%Y-%m-%d %H:%M} UTC"


def write_day(moment: str) -> str:
    """The day in UTC: `2026-11-18`."""
    return f"{datetime.fromisoformat(moment):%Y-%m-%d}"


def end_sentence(text: str) -> str:
    """A message as a sentence of its own: a capital, a full stop."""
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


def write_seconds(seconds: float) -> str:
    """`4 ms`, `0.4 s`, `45 s`, `12 min`, `3.5 h`."""
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def write_size(count: float) -> str:
    """`512 bytes`, `3.2 MiB`."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.1f} {unit}".replace(".0 ", " ")
    return f"{count:.0f} bytes"


def find_web_address(text: str | None) -> str | None:
    """The text where it is an address that a link may lead to: http or https with a host."""
    try:
        parts = urlsplit((text or "").strip())
    except ValueError:
        return None
    return (text or "").strip() if parts.scheme in ("http", "https") and parts.netloc else None
