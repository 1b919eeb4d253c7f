"""Anybody's own measures, `module:name`: a Python function of one ranked list."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.explanation import explain_judged, identify_judged
from rankwise.measures.families.registry import COMPUTED, load_family
from rankwise.measures.measure import (
    UnknownMeasure,
    family_of,
    find_family,
    lower_is_better,
    parse,
    result_name,
)
from rankwise.measures.tool import ToolRefusal
from rankwise.measures.tools.registry import TOOLS, find_tool
from rankwise.measures.values import measure_values

MODULE = """
from rankwise.measures import Family

def cumulated_gain(ranked):
    return sum(label for label in ranked.labels if label == label)

cumulated_gain.title = "cumulated gain"
cumulated_gain.range = (0, float("inf"))

def seen(ranked):
    assert ranked.cutoff == ranked.measure.cutoff == 2
    assert (ranked.labels, ranked.scores) == ([3.0, 0.0], [9.0, 7.0])
    assert (ranked.judged, ranked.ideal, ranked.retrieved) == ([3.0, 1.0, 0.0], [3.0, 1.0, 0.0], 3)
    return 1

def position(ranked):
    return 1 + max(range(len(ranked.labels)), key=ranked.labels.__getitem__)

position.lower_is_better = True

described = Family("anything", "the rank of a best document", compute=position, range=(1, 9),
                   lower_is_better=True)

def odd_only(ranked):
    return float("nan") if len(ranked.labels) % 2 == 0 else 1

def failing(ranked):
    raise KeyError("no such thing")

def wordy(ranked):
    return "many"

class Holder:
    def inner(ranked):
        return 2.5

number = 3
wrong_range = lambda ranked: 0
wrong_range.range = (1, 0)
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_measures_of_a_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))


def name(function: str, rest: str = "") -> str:
    return f"own_measures_of_a_test:{function}{rest}"


def data(labels: list[float], scores: list[float] | None = None) -> JudgedScores:
    falling = [-float(row) for row in range(len(labels))] if scores is None else scores
    return JudgedScores(np.array(labels), np.array(falling), offsets_of([len(labels)]), ["1"])


def test_a_function_of_one_ranked_list_is_a_measure() -> None:
    judged = JudgedScores(np.array([1.0, 2, 0, 3, np.nan]), np.array([1.0, 2, 3, 0, 1]),
                          offsets_of([3, 2]), ["a", "b"])  # fmt: skip
    found = evaluate_judged(judged, [name("cumulated_gain"), name("cumulated_gain", "@2"), "AP"])
    assert found[name("cumulated_gain")].values.tolist() == [3, 3]
    assert found[name("cumulated_gain", "@2")].per_query == {"a": 2, "b": 3}
    assert found.means()[name("cumulated_gain", "@2")] == (2 + 3) / 2
    assert found["AP"].values.tolist() == [(1 / 2 + 2 / 3) / 2, 1 / 2]


def test_it_sees_the_list_up_to_the_cut_off() -> None:
    assert evaluate_judged(data([0, 1, 3], [7, 5, 9]), [name("seen", "@2")]).means() == {
        name("seen", "@2"): 1
    }


@pytest.mark.parametrize(
    "written",
    ["cumulated_gain", "cumulated_gain@10", "cumulated_gain(ties=worst,comparison=single)@3",
     "Holder.inner(table=2,short=absent)@5"],
)  # fmt: skip
def test_its_name_is_read_back(written: str) -> None:
    measure = parse(name(written))
    assert parse(str(measure)) == measure
    assert str(measure) == result_name(name(written)) == name(written)


def test_fields_that_every_list_has_are_obeyed() -> None:
    judged = data([0, 5, 1], [1, 1, 2])
    written = {
        name("position", "(ties=best)"): 2,
        name("position", "(table=4)"): 1,
        name("cumulated_gain", "(short=zero)@4"): 0,
        name("cumulated_gain", "(average=sum,rounding=0)"): 6,
        name("Holder.inner"): 2.5,
    }
    assert evaluate_judged(judged, written).means() == written


def test_a_value_that_is_no_number_leaves_the_query_out() -> None:
    judged = JudgedScores(np.zeros(3), np.zeros(3), offsets_of([1, 2]), ["a", "b"])
    assert evaluate_judged(judged, [name("odd_only")])[name("odd_only")].per_query == {"a": 1}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_takes_it_in_its_own_order(tool: str) -> None:
    """Tied documents stand as the tool has them; where it has none, it says so."""
    judged = JudgedScores(np.array([1.0, 0, 2]), np.array([5.0, 5, 4]), offsets_of([3]), ["1"],
                          ["a", "b", "c"])  # fmt: skip
    measure = name("cumulated_gain", "@1")
    expected = {"trec_eval": 0, "trec_eval-9": 0, "pytrec_eval": 0, "ir_measures": 0,
                "gdeval": 0, "catboost": 0}.get(tool, 1)  # fmt: skip
    if tool == "sklearn":
        with pytest.raises(RankwiseError, match="cannot leave ties open"):
            evaluate_judged(judged, [measure], tool)
    else:
        assert evaluate_judged(judged, [measure], tool).means() == {measure: expected}


def test_open_ties_are_refused() -> None:
    with pytest.raises(RankwiseError, match="choose another tie rule than 'expected'"):
        evaluate_judged(data([1, 0]), [name("cumulated_gain")], ties="expected")
    found = evaluate_judged(data([1, 0], [1, 1]), [name("cumulated_gain")], ties="undefined")
    assert math.isnan(found.means()[name("cumulated_gain")])


def test_what_its_module_says_of_it() -> None:
    for function in ("position", "described"):
        assert load_family(name(function)).lower_is_better
        assert lower_is_better(name(function, "@3"))
    assert family_of(name("described")).title == "the rank of a best document"
    assert family_of(name("described")).range == (1.0, 9.0)
    assert load_family(name("cumulated_gain")).range == (0.0, math.inf)
    assert not lower_is_better(name("cumulated_gain"))


def test_reading_a_name_runs_nothing(tmp_path: Path) -> None:
    """A table of results from elsewhere may hold any name."""
    (tmp_path / "trap_of_a_test.py").write_text("raise SystemExit('ran')")
    code = (
        "from rankwise.measures.measure import *; import sys\n"
        "assert result_name('trap_of_a_test:measure@3') == 'trap_of_a_test:measure@3'\n"
        "assert not lower_is_better('trap_of_a_test:measure')\n"
        "assert family_of('trap_of_a_test:measure').range == (float('-inf'), float('inf'))\n"
        "assert 'trap_of_a_test' not in sys.modules"
    )
    command = [sys.executable, "-c", code]
    subprocess.run(command, check=True, cwd=tmp_path)


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (name("failing"), "failing fails on query number 1 with KeyError: 'no such thing'"),
        (name("wordy"), "must return a number for every ranked list"),
        (name("cumulative_gain"), "did you mean 'cumulated_gain'"),
        (name("number"), "must be a function of one ranked list"),
        (name("wrong_range"), "must be two rising numbers"),
        ("no_such_module_of_a_test:gain", "there is no module 'no_such_module_of_a_test'"),
        (name("cumulated_gain", "(gain=linear)"), "has no field 'gain'"),
        (name("cumulated_gain", "@ten"), "must be a whole number"),
        ("folder/own.py:gain", "one of your own is written module:function"),
    ],
)
def test_what_goes_wrong_is_one_sentence(written: str, sentence: str) -> None:
    with pytest.raises(RankwiseError) as caught:
        evaluate_judged(data([1, 0]), [written])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tools_keep_their_own_names_with_colons() -> None:
    assert find_tool("catboost").measure("NDCG:top=3").cutoff == 3
    assert find_tool("trec_eval").measure("l2:map").threshold == 2
    with pytest.raises(UnknownMeasure, match="one of your own is written module:function"):
        find_tool("letor4").measure("NDCG:top=3")


def test_numbers_that_nobody_writes_get_a_sentence_from_every_tool() -> None:
    for tool in TOOLS:
        for written in ("ndcg@" + "9" * 5000, "ndcg@" + "9" * 20):
            with pytest.raises(RankwiseError, match=r"cut-off|short|known here|does not"):
                find_tool(tool).measure(written)


def test_it_is_explained_and_identified() -> None:
    judged = data([0, 1, 1], [1, 1, 0])
    found = explain_judged(judged, name("cumulated_gain", "@1"), find_tool("definition"),
                    find_tool("xgboost").__class__(
                        name="reversed", title="", printed=lambda seen: [],
                        conventions={"P": {"ties": "reversed"}}))  # fmt: skip
    assert found.parts["ties"] == found.difference == 1
    matches = identify_judged(judged, name("cumulated_gain", "@1"), "1")
    assert {match.measure.ties for match in matches if match.tool is None} == {"reversed", "best"}


def test_the_page_on_own_measures_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module and its two examples, run as they stand."""
    page = (Path(__file__).parents[2] / "docs/measures/own-measures.md").read_text("utf-8")
    module, command, function = re.findall(r"^```(?:python|sh)\n(.*?)^```", page, re.M | re.S)
    monkeypatch.chdir(tmp_path)
    Path("mymeasures.py").write_text(module)
    Path("test.txt").write_text("0 qid:1 1:0\n2 qid:1 1:0\n0 qid:2 1:0\n")
    Path("my.scores").write_text("3\n2\n1\n")
    shown = subprocess.run(
        [sys.executable, "-m", *command.split()], check=True, capture_output=True, text=True
    ).stdout
    assert re.search(r"mymeasures:first_good_rank@10 +2\.0000", shown), shown
    last = function.strip().splitlines()[-1]
    code, _, comment = last.partition("  # ")
    checked = function.replace(last, f"assert {code} == {comment}")
    subprocess.run([sys.executable, "-c", checked], check=True)


def test_registered_families_are_found_as_before() -> None:
    assert all(find_family(family.name) is family for family in COMPUTED)
    with pytest.raises(ToolRefusal, match="does not compute"):
        find_tool("yahoo").measure("Bpref")
    assert measure_values(data([1.0, 0]), [parse("AP")]).tolist() == [[1.0]]
