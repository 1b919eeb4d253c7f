"""An evaluation tool added as CONTRIBUTING says, a file and a line, evaluates like the others."""

from __future__ import annotations

import json
import math

import pytest

from tests.contributing.package_copy import PackageCopy

TOOL = '''"""A tool whose NDCG has linear gains and whose empty queries score 1."""

from rankwise.measures import Tool

TOOL = Tool(
    name="generous",
    title="a tool made for a test",
    conventions={"NDCG": {"gain": "linear", "empty": 1.0}},
    printed=lambda judged: ("NDCG@2",),
)
'''
ROWS = "0 qid:1 1:0\n2 qid:1 1:0\n0 qid:2 1:0\n0 qid:2 1:0\n"
BY_FUNCTION = """
import rankwise as rw
found = rw.evaluate("test.txt", "scores.txt", "NDCG@2", "generous")
print(repr(found["NDCG@2"].mean))
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> PackageCopy:
    copy = PackageCopy(tmp_path_factory.mktemp("package"))
    copy.write("measures/tools/generous.py", TOOL)
    copy.insert_line(
        "measures/tools/registry.py",
        '        "letor3": "rankwise.measures.tools.letor:LETOR3",\n',
        '        "generous": "rankwise.measures.tools.generous:TOOL",\n',
    )
    (copy.folder / "test.txt").write_text(ROWS)
    (copy.folder / "scores.txt").write_text("2\n1\n2\n1\n")
    return copy


def test_by_command_and_by_function(extended: PackageCopy) -> None:
    words = ("evaluate", "test.txt", "scores.txt", "--tool", "generous", "--format", "json")
    evaluated, by_function = extended.answer(words, program=BY_FUNCTION)
    (printed,) = json.loads(evaluated)
    mean = printed["measures"]["NDCG@2"]["mean"]
    # The relevant document is second: 2 / log2(3) of 2; the query without one scores 1.
    assert mean == pytest.approx((1 / math.log2(3) + 1) / 2, rel=1e-15)
    assert float(by_function) == mean


def test_it_is_among_all_tools_and_explained(extended: PackageCopy) -> None:
    words = ("test.txt", "scores.txt", "-m", "NDCG@2", "--format", "json")
    evaluated, explained, _ = extended.answer(
        ("evaluate", *words, "--tool", "all"), ("explain", *words, "--tool", "definition,generous")
    )
    assert "generous" in [one["tool"] for one in json.loads(evaluated)]
    assert json.loads(explained)[0]["parts"]["empty queries"] == pytest.approx(1 / 2)
