"""Every measure and tool is documented, and the generated pages are what the source says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.families.registry import BY_HOME, FAMILIES
from rankwise.measures.measure import find_family, measure_list, parse, split_names
from rankwise.measures.tools.registry import TOOLS, find_tool

DOCS = Path(__file__).parents[2] / "docs" / "measures"
SOURCE = Path(__file__).parents[2] / "src" / "rankwise" / "measures"


@pytest.mark.parametrize(
    ("page", "maker"), [("measures.md", "measures_page"), ("tools.md", "tools_page")]
)
def test_the_pages_are_not_stale(page: str, maker: str) -> None:
    script = runpy.run_path(str(DOCS / "generate.py"))
    text = (DOCS / page).read_text(encoding="utf-8")
    assert text == script[maker](), "run: python docs/measures/generate.py"


# In backquotes on the generated pages, and neither a measure nor a field with its value.
NO_MEASURES = {
    "tools.md": {*TOOLS, "--format tool", "@0", "-gmax 2", "-l 2 -m map", "-", "gain=exp",
                 "ignore_ties=True", "type=Exp", "denominator=Position", "border"},
    "measures.md": {"empty", "highest", "hits@k", "persistence", "skip", "level_rule"},
}  # fmt: skip


def spans(page: str) -> list[tuple[str, str]]:
    """(section, text) of everything in backquotes outside blocks of code."""
    text = re.sub(r"^```.*?^```", "", (DOCS / page).read_text(encoding="utf-8"), flags=re.S | re.M)
    sections = [part.partition("\n") for part in text.split("\n## ")[1:]]
    return [(name, span) for name, _, rest in sections for span in re.findall("`([^`]+)`", rest)]


@pytest.mark.parametrize("tool", [name for name in TOOLS if name != "definition"])
def test_every_example_of_a_tool_is_taken_as_it_stands(tool: str) -> None:
    data = JudgedScores(
        np.array([1.0, 0, 0]), np.arange(3.0), offsets_of([3]), ["1"], ["a", "b", "c"]
    )
    examples = [span for section, span in spans("tools.md") if section == tool]
    examples = [span for span in examples if span not in NO_MEASURES["tools.md"]]
    assert examples
    for name in examples:
        assert measure_list(f"MAP,{name},P@5") == ["MAP", name, "P@5"]
        assert name in evaluate_judged(data, [name], tool).results, name


def test_every_name_and_field_of_the_measures_is_taken() -> None:
    taken = 0
    for section, span in spans("measures.md"):
        if section == "Fields" or span in NO_MEASURES["measures.md"]:
            continue
        families = [name for name in section.split(", ") if has_field(name, span.partition("=")[0])]
        if "=" in span and "(" not in span:
            assert families, span
            assert all(str(parse(f"{name}({span})")).startswith(name) for name in families)
        else:
            assert parse(span)
        taken += 1
    assert taken > 100


def has_field(family: str, field: str) -> bool:
    return field in find_family(family).fields


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_measures_of_commands_on_the_pages_are_taken(page: str) -> None:
    """What follows `-m` is taken by the tool that the command names, or by the definition."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for line in text.replace("\\\n", " ").splitlines():
        tools = re.findall(r"--tool ([\w,.-]+)", line) or ["definition"]
        for given in re.findall(r"-m ['\"]?([^\s'\"`]+)", line):
            for name in split_names(given):
                # Own measures, one that a page adds, variables of a shell, `trec_eval -m map`.
                if ":" not in name and "$" not in name and name not in ("map", "CG@10"):
                    for tool in tools[0].replace("all", "definition").split(","):
                        assert find_tool(tool).measure(name), line


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_measure_is_on_its_page(family: object) -> None:
    page = (DOCS / "measures.md").read_text(encoding="utf-8")
    assert f"**{family.name}**, {family.title}" in page  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_on_its_page(name: str) -> None:
    assert f"\n## {name}\n" in (DOCS / "tools.md").read_text(encoding="utf-8")


def test_every_tool_and_family_file_is_in_a_registry() -> None:
    """A tool or measure that was written but not registered is missing everywhere."""
    shared = {"__init__", "registry"}
    tools = {path.stem for path in (SOURCE / "tools").glob("*.py")} - shared
    homes = {str(home).partition(":")[0] for home in TOOLS.homes.values()}
    assert {f"rankwise.measures.tools.{name}" for name in tools} == homes
    shared = {"__init__", "registry", "family"}
    families = {path.stem for path in (SOURCE / "families").glob("*.py")} - shared
    homes = {home.partition(":")[0] for home in BY_HOME}
    assert {f"rankwise.measures.families.{name}" for name in families} == homes
