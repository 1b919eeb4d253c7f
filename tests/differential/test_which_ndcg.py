"""The figures on the page *Which tool's NDCG?* are recomputed from MQ2008."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from rankwise.data import judge
from rankwise.data.joining import concatenate
from rankwise.data.reading import read
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged, tie_ranges
from rankwise.measures.explanation import explain_judged, identify_judged
from rankwise.measures.tools.registry import TOOLS, find_tool

PAGE = (Path(__file__).parents[2] / "docs/measures/which-ndcg.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def mq2008(shared: Path) -> JudgedScores:
    parts = [read(shared / f"data/letor4/MQ2008/Fold{fold}/test.txt") for fold in range(1, 6)]
    data = concatenate(parts)
    return judge(data, data.features[:, 24])


def table_rows() -> list[list[str]]:
    return [re.split(r" *\| *", line.strip("| ")) for line in PAGE.splitlines() if line[:1] == "|"]


def test_the_table_of_tools(mq2008: JudgedScores) -> None:
    table = {row[0]: row[1:] for row in table_rows() if len(row) == 5}
    assert set(TOOLS) <= set(table)
    for tool in TOOLS:
        for name, shown in zip(("NDCG@10", "NDCG@5", "P@10", "MAP"), table[tool], strict=True):
            try:
                figure = f"{evaluate_judged(mq2008, [name], tool)[name].mean:.4f}"
            except RankwiseError:
                figure = "-"
            assert shown == figure, (tool, name)


def test_the_table_of_causes(mq2008: JudgedScores) -> None:
    table = [row for row in table_rows() if len(row) == 9 and row[0].isdigit()]
    assert len(table) == 12
    for cutoff, first, second, *figures in table:
        found = explain_judged(mq2008, f"NDCG@{cutoff}", find_tool(first), find_tool(second))
        parts = [found.parts[axis] for axis in ("discount", "empty queries", "short queries")]
        values = [found.first_value, found.second_value, found.difference, *parts]
        assert [f"{value + 0.0:.4f}" for value in values] == figures, (cutoff, first, second)
        others = set(found.parts) - {"discount", "empty queries", "short queries"}
        assert all(found.parts[axis] == 0 for axis in others)


def test_the_facts_in_the_text(mq2008: JudgedScores) -> None:
    starts = mq2008.query_offsets[:-1]
    empty = np.maximum.reduceat(mq2008.labels, starts) == 0
    short = mq2008.lengths < 10
    facts = [len(empty), empty.sum(), short.sum(), (empty & short).sum()]
    assert facts == [784, 220, 403, 132]
    found = explain_judged(mq2008, "MAP", find_tool("letor4"), find_tool("mslr"))
    assert f"{found.parts['threshold']:.4f}" == f"{found.difference:.4f}" == "-0.1827"
    tools = {match.tool for match in identify_judged(mq2008, "NDCG@10", "0.1623")}
    assert tools - {None} == {"letor3", "letor4", "mslr"}


def test_ties_of_one_decimal(mq2008: JudgedScores) -> None:
    rounded = JudgedScores(mq2008.labels, [float(f"{score:.1f}") for score in mq2008.scores],  # type: ignore[arg-type]
                           mq2008.query_offsets, mq2008.query_ids)  # fmt: skip
    low, high = tie_ranges(rounded, ["MAP"])["MAP"]
    expected = evaluate_judged(rounded, ["MAP"], ties="expected")["MAP"].mean
    assert [f"{value:.4f}" for value in (low, high, expected)] == ["0.3106", "0.4497", "0.3625"]
