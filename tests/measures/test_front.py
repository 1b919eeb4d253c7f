"""The front of the room: what it offers, what it imports, and what results say of themselves."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import rankwise.measures as front
from rankwise.data import JudgedScores
from rankwise.measures import Family, RankedList, evaluate_judged, explain_judged, find_tool, parse


def data() -> JudgedScores:
    return JudgedScores(np.array([1.0, 0, 2]), -np.arange(3.0), np.array([0, 2, 3]), ["a", "<b>"])


@pytest.mark.parametrize("name", front.__all__)
def test_every_name_of_the_front_is_there(name: str) -> None:
    assert getattr(front, name) is not None


def test_modules_and_functions_of_the_front_are_not_mistaken_for_each_other() -> None:
    assert callable(front.explain) and callable(front.identify) and callable(front.evaluate)
    assert (
        explain_judged(data(), "P@1", find_tool("definition"), find_tool("definition")).difference
        == 0
    )


def test_evaluating_imports_no_compiler() -> None:
    """Nothing that evaluates, explains or identifies waits for numba."""
    code = (
        "import sys, numpy as np\n"
        "from rankwise.data import JudgedScores\n"
        "from rankwise.measures import *\n"
        "judged = JudgedScores(np.ones(3), np.zeros(3), np.array([0, 3]), ['1'], ['a', 'b', 'c'])\n"
        "for tool in TOOLS: evaluate_judged(judged, None, tool)\n"
        "evaluate_judged(judged, ['ElevenPoint', 'KendallTau'], ties='expected')\n"
        "explain_judged(judged, 'NDCG@2', find_tool('ranx'), find_tool('letor3'))\n"
        "identify_judged(judged, 'MAP', '0.5')\n"
        "assert 'numba' not in sys.modules and 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_are_short_in_a_terminal() -> None:
    found = evaluate_judged(data(), [family.name for family in front.COMPUTED])
    assert len(repr(found)) <= 200 and "\n" not in repr(found)
    assert repr(evaluate_judged(data(), ["AP"])) == "Evaluation by definition: AP 1.0000"
    assert len(repr(found["AP"])) <= 200


def test_results_are_tables_in_a_notebook_and_frames() -> None:
    found = evaluate_judged(data(), ["P@1", "AP"])
    page = found._repr_html_()
    assert page.startswith("<table>") and "<td>P@1</td>" in page and "1.0000" in page
    frame = found.to_frame()
    assert frame.columns.tolist() == ["tool", "measure", "query", "value"]
    assert frame["query"].tolist() == ["a", "<b>", "all"] * 2
    assert frame["value"].tolist() == [1.0] * 6


def test_types_that_a_measure_of_ones_own_needs() -> None:
    assert Family("Mine", "mine").compute is None
    ranked = RankedList([1.0], [2.0], [1.0], [1.0], None, 1, parse("P"))
    assert ranked.retrieved == 1
