"""The mark by which a folder is known as that of a build."""

from __future__ import annotations

from pathlib import Path

from rankwise.files import readable

MARK = "build.txt"
MARK_TEXT = "A folder of rankwise build; data-card.json says what is in it.\n"


def is_mark(path: Path) -> bool:
    """Whether a file is the mark of a build, and not another file of the same name."""
    if path.name != MARK:
        return False
    with readable(path) as stream:
        return stream.read(len(MARK_TEXT)) == MARK_TEXT.encode()
