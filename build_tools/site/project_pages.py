"""Pages that live at the top of the repository and belong to the site too, links adjusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Files that pages outside docs/ and pages of the site both link to, and where the site has them.
PAGES = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "src/rankwise/arena/web/api.md": "reference/arena-api.md",
}
_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def make_project_pages() -> Iterator[tuple[str, str]]:
    """Each page's path in the site and its Markdown."""
    for file, place in PAGES.items():
        text = (ROOT / file).read_text("utf-8")
        yield place, adjust_links(text, (ROOT / file).parent, place)


def adjust_links(text: str, folder: Path, place: str) -> str:
    """Links of a page in `folder`, as they are from `place` of the site.

    Files that the site does not have are named instead of linked.
    """

    def adjust(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        path = (folder / target).resolve()
        inside = _find_place(path)
        if inside is None:
            return f"]({found[1]})" if not path.is_relative_to(ROOT) else _NAMED
        return f"]({_relative(inside, place)}{anchor})"

    text = _LINK.sub(adjust, text)
    return re.sub(r"(?<!!)\[([^\]]*)" + re.escape(_NAMED), r"\1", text)


_NAMED = "](named)"


def _find_place(path: Path) -> str | None:
    """Where the site has a file of the repository."""
    if not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT).as_posix()
    if name in PAGES:
        return PAGES[name]
    return name.removeprefix("docs/") if name.startswith("docs/") else None


def _relative(target: str, place: str) -> str:
    return "../" * place.count("/") + target
