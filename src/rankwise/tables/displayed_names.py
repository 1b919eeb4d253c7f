"""Names from files as they are shown and as they name files: printable, bounded, harmless."""

from __future__ import annotations

import re

LONGEST = 40

_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+"
)


def shown(name: str, longest: int = LONGEST) -> str:
    """`name` without control characters and text-direction tricks, cut where it is too long."""
    line = " ".join(_UNPRINTABLE.sub(" ", name).split()) or "(no name)"
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def make_file_name(name: str) -> str:
    """A part of a file name: lower-case letters, digits, dots and hyphens only."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:LONGEST] or "unnamed"


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Sorts numbers inside names by their size: LETOR 3.0 before LETOR 10, HP2003 before HP2004."""
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]
