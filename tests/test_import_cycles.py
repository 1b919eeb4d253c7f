"""No module of the package imports itself through others, wherever in its file that happens."""

import runpy
from pathlib import Path

DESCRIPTORS = runpy.run_path(
    str(Path(__file__).parents[1] / "build_tools" / "descriptors.py"), run_name="descriptors"
)


def test_modules_that_reach_each_other_are_one_group():
    imports = {
        "a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"f"}, "f": {"e"}, "g": {"a"},
    }  # fmt: skip
    assert DESCRIPTORS["find_components"](imports) == [["a", "b", "c"], ["e", "f"]]


def test_a_chain_has_no_cycle():
    assert DESCRIPTORS["find_components"]({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_the_package_has_no_import_cycle():
    assert DESCRIPTORS["find_cycles"](Path(__file__).parents[1] / "src" / "rankwise") == []
