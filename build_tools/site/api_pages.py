"""Pages of the Python API: one for each front, each public name under its own heading.

A name that several fronts offer is described once, in its room; the others lead there.
"""

from __future__ import annotations

from collections.abc import Iterator

from fronts import PublicName, describe_front, list_fronts, list_names

FOLDER = "reference/api"


def make_api_pages() -> Iterator[tuple[str, str]]:
    """Each page's path and its Markdown; mkdocstrings fills in what a name is."""
    top, *rooms = list_fronts()
    described: dict[str, PublicName] = {}
    for front in (*rooms, top):
        yield f"{FOLDER}/{front}.md", _make_page(front, described)
    yield f"{FOLDER}/index.md", _make_index([top, *rooms])


def _make_index(fronts: list[str]) -> str:
    rows = [
        f"| [`{front}`]({front}.md) | {_first_sentence(describe_front(front))} "
        f"| {len(list_names(front))} |"
        for front in fronts
    ]
    return "\n".join(
        [
            "# Python API",
            "",
            "Every command has a function at `import rankwise as rw`, or one step below, in its "
            "room. The names on these pages are what a version promises; modules below them may "
            "change.",
            "",
            "| import | what it holds | names |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _make_page(front: str, described: dict[str, PublicName]) -> str:
    names = list_names(front)
    rooms = [name for name in names if name.is_room]
    parts = [f"# {front}", describe_front(front)]
    if rooms:
        parts.append("Rooms: " + ", ".join(f"[`{one.name}`]({one.path}.md)" for one in rooms) + ".")
    for name in names:
        if name not in rooms:
            known = described.setdefault(name.home, name)
            parts.append(_describe(name) if known == name else _lead_to(name, known))
    return "\n\n".join(parts) + "\n"


def _describe(name: PublicName) -> str:
    """Under the name that users write, which is a target of links as well."""
    lines = [
        f'<a id="{name.path}"></a>',
        "",
        f"::: {name.home}",
        "    options:",
        f"      heading: {name.name}",
        f"      toc_label: {name.name}",
    ]
    return "\n".join(lines)


def _lead_to(name: PublicName, known: PublicName) -> str:
    link = f"[`{known.path}`]({known.front}.md#{known.path})"
    return f"## `{name.name}` {{ #{name.path} }}\n\nThe same as {link}."


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).split(". ")[0].rstrip(".") + "."
