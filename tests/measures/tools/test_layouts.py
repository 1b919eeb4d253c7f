"""The tools' own output, byte for byte: put together from the figures that they printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.tools.registry import find_tool
from tests.differential import golden

CASES = ["basic-02-0", "basic-04-1", "ties-many-0", "short-0", "queries-12-0", "norel-some-1"]


def stored(case: str, tool: str) -> dict[str, Any]:
    expected = json.loads((golden.CASES / case / "expected.json").read_text())
    return dict(expected["expected"][tool])


def printed(case: str, tool: str, per_query: bool) -> str:
    judged = golden.case_input(golden.CASES / case)
    assert isinstance(judged, JudgedScores)
    layout = find_tool(tool).layout
    assert layout is not None
    return layout(evaluate_judged(judged, None, tool), per_query, "tag")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("per_query", [False, True])
def test_letor3(case: str, per_query: bool) -> None:
    figures = stored(case, "letor-3.0")
    queries = sorted(figures["MAP"]["per_query"], key=float)
    depth = sum(name.startswith("P@") for name in figures)
    text = ""
    for title, stem in (("precision", "P"), ("", ""), ("NDCG", "NDCG")):
        if not stem:
            for place, query in enumerate(queries if per_query else []):
                text += f"Map of query{place}:\t{figures['MAP']['per_query'][query]}\n"
            text += f"MAP:\t{figures['MAP']['mean'][0]}\n\n"
            continue
        rows = [figures[f"{stem}@{k}"] for k in range(1, depth + 1)]
        for place, query in enumerate(queries if per_query else []):
            row = [figure["per_query"][query] for figure in rows if query in figure["per_query"]]
            text += f"{title} of query{place}:\t" + "".join(f"{value}\t" for value in row) + "\n"
        text += f"{title}:\t" + "".join(f"{figure['mean'][0]}\t" for figure in rows) + "\n\n"
    assert printed(case, "letor3", per_query) == text


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("tool", "key"), [("letor4", "letor-4.0"), ("mslr", "mslr")])
@pytest.mark.parametrize("per_query", [False, True])
def test_letor4_and_mslr(case: str, tool: str, key: str, per_query: bool) -> None:
    figures = stored(case, key)
    queries = sorted(figures["MAP"]["per_query"], key=float)
    text = ""
    for stem, last in (("P", "MAP"), ("NDCG", "MeanNDCG")):
        names = [*(f"{stem}@{k}" for k in range(1, 11)), last]
        text += "\t".join(["qid", *names]) + "\n"
        for query in queries if per_query else []:
            text += "\t".join([query, *(figures[n]["per_query"][query] for n in names)]) + "\n"
        text += "\t".join(["Average", *(figures[name]["mean"][0] for name in names)]) + "\n\n"
    assert printed(case, tool, per_query) == text


@pytest.mark.parametrize("case", CASES)
def test_yahoo(case: str) -> None:
    figures = stored(case, "yahoo")
    rmse, err, ndcg = (figures[name]["mean"][0] for name in ("RMSE", "ERR", "NDCG@10"))
    assert printed(case, "yahoo", True) == f"rmse: {rmse}, err: {err}, ndcg: {ndcg}\n"


@pytest.mark.parametrize("case", CASES)
def test_trec_eval(case: str) -> None:
    """The figures that were asked for, in that order; counts are whole numbers."""
    figures = stored(case, "trec_eval-10.0-rc3")
    names = [name for name in figures if ":" not in name and not name.startswith("ndcg.")]
    judged = golden.case_input(golden.CASES / case)
    assert isinstance(judged, JudgedScores)
    tool = find_tool("trec_eval")
    assert tool.layout is not None
    text = ""
    for query in sorted(figures["map"]["per_query"]):
        for name in names:
            if name != "gm_map":
                text += f"{name:<22}\t{query}\t{figures[name]['per_query'][query]}\n"
    text += "".join(f"{name:<22}\tall\t{figures[name]['mean'][0]}\n" for name in names)
    assert tool.layout(evaluate_judged(judged, names, tool), True, "tag") == text


def test_trec_eval_prints_its_official_measures_unasked() -> None:
    lines = printed("basic-02-0", "trec_eval", False).splitlines()
    assert lines[0] == "runid                 \tall\ttag"
    assert lines[1] == "num_q                 \tall\t2"
    assert len(lines) == 1 + 9 + 11 + 9
