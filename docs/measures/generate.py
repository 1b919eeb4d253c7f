"""Write the generated pages of this folder: python docs/measures/generate.py

They are made from the registries and the docstrings beside the code.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

from rankwise.files import write_text
from rankwise.measures.families.family import Family
from rankwise.measures.families.registry import BY_HOME
from rankwise.measures.measure import Measure, parse
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import TOOLS, find_tool

FOLDER = Path(__file__).parent
GENERATED = "<!-- Made by docs/measures/generate.py from the source; do not edit. -->\n"


def measures_page() -> str:
    """Every family: its equation, its fields, its names."""
    text = GENERATED + "\n# Measures\n\n" + inspect.cleandoc(Measure.__doc__ or "") + "\n"
    text = text.replace("\nAttributes:\n", "\n## Fields\n\n```\n") + "```\n"
    sections: dict[str, tuple[Family, ...]] = {}
    for home, families in BY_HOME.items():
        module = home.partition(":")[0]
        sections[module] = (*sections.get(module, ()), *families)
    for module, families in sections.items():
        text += "\n" + _family_section(module, families)
    return text


def tools_page() -> str:
    """Every tool: what it does, how it reads, what its measures are in our names."""
    text = GENERATED + "\n# Tools\n\n"
    text += "| name | tool |\n|---|---|\n"
    text += "".join(
        f"| [`{name}`](#{_anchor(name)}) | {find_tool(name).title} |\n" for name in TOOLS
    )
    described: dict[str, str] = {}
    for name, home in TOOLS.homes.items():
        module = str(home).partition(":")[0]
        first = described.setdefault(module, name)
        facts = _docstring(module) if first == name else f"See [`{first}`](#{_anchor(first)})."
        text += "\n" + _tool_section(find_tool(name), facts)
    return text


def _family_section(module: str, families: tuple[Family, ...]) -> str:
    names = ", ".join(family.name for family in families)
    text = f"## {names}\n\n{_docstring(module)}\n"
    for family in families:
        fields = ", ".join(f"`{name}={_value(value)}`" for name, value in family.fields.items())
        fields = fields or "none"
        aliases = ", ".join(f"`{alias}`" for alias in family.aliases) or "none"
        text += f"\n**{family.name}**, {family.title}. Cut-off: {family.cutoff}. "
        text += f"Fields and their textbook values: {fields}. Other names: {aliases}. "
        text += f"{family.citation}.\n"
    return text


def _tool_section(tool: Tool, facts: str) -> str:
    text = f"## {tool.name}\n\n{facts}\n\n"
    text += f"- Reads: a query id that comes back: {tool.queries}; a repeated document id: "
    text += f"{tool.documents}.\n- Queries are shown in this order: {tool.order}.\n"
    text += f"- Its own layout (`--format tool`): {'yes' if tool.layout else 'no'}.\n"
    if tool.name == "definition":
        return text + "- Measures: all, with the values on the [measures](measures.md) page.\n"
    text += "- Measures, in our names:\n\n"
    for family in tool.conventions:
        text += f"  - `{parse(family, tool.conventions)}`\n"
    return text


def _docstring(name: str) -> str:
    module = importlib.import_module(name)
    return inspect.cleandoc(module.__doc__ or "")


def _anchor(name: str) -> str:
    return name.replace(".", "")


def _value(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    write_text(FOLDER / "measures.md", measures_page())
    write_text(FOLDER / "tools.md", tools_page())
