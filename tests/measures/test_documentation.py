"""Every measure and tool is documented, and the generated pages are what the source says."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.measures.documentation import measures_page, tools_page
from rankwise.measures.families.registry import BY_MODULE, FAMILIES
from rankwise.measures.tools.registry import TOOLS

DOCS = Path(__file__).parents[2] / "docs" / "measures"
SOURCE = Path(__file__).parents[2] / "src" / "rankwise" / "measures"


@pytest.mark.parametrize(
    ("page", "made"), [("measures.md", measures_page), ("tools.md", tools_page)]
)
def test_the_pages_are_not_stale(page: str, made: object) -> None:
    assert callable(made)
    text = (DOCS / page).read_text(encoding="utf-8")
    assert text == made(), "run: python docs/measures/generate.py"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_measure_is_on_its_page(family: object) -> None:
    page = (DOCS / "measures.md").read_text(encoding="utf-8")
    assert f"**{family.name}**, {family.title}" in page  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_on_its_page(name: str) -> None:
    assert f"\n## {name}\n" in (DOCS / "tools.md").read_text(encoding="utf-8")


def test_every_tool_and_family_file_is_in_a_registry() -> None:
    """A tool or measure that was written but not registered is missing everywhere."""
    shared = {"__init__", "registry", "perl", "letor_labels"}
    tools = {path.stem for path in (SOURCE / "tools").glob("*.py")} - shared
    homes = {str(home).partition(":")[0] for home in TOOLS.homes.values()}
    assert {f"rankwise.measures.tools.{name}" for name in tools} == homes
    shared = {"__init__", "registry", "family", "fields", "terms"}
    families = {path.stem for path in (SOURCE / "families").glob("*.py")} - shared
    assert {f"rankwise.measures.families.{name}" for name in families} == set(BY_MODULE)
