"""Findings in words and tables: corrected certainty, what is luck, and which end is the top."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from rankwise.experiments.conventions import (
    Question,
    compare_conventions,
    explain_conventions,
)
from rankwise.experiments.summary import summarize
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, Subject, TaskName, TaskOutcome, TaskValue
from tests.stores import ask

QUERIES = 40
RNG = np.random.default_rng(8)
BASE = RNG.uniform(0.4, 0.6, QUERIES)
# One clearly below the best, one beside it as chance has it.
VALUES = {
    "yahoo": BASE,
    "letor4": BASE - 0.06 + RNG.normal(0, 0.08, QUERIES),
    "definition": BASE - 0.001 + np.tile([0.1, -0.1], QUERIES // 2),
}
MODELS = {f"AdaRank ({tool})": ("AdaRank", tool) for tool in VALUES}
QUESTION = Question(Subject("", "MQ2008", None), "NDCG@10", "definition", MODELS)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("findings") / "s.sqlite"
    queries = tuple(map(str, range(QUERIES)))
    with Store.open(path) as opened:
        for tool, values in VALUES.items():
            name = TaskName("", "MQ2008", None, 1, f"AdaRank ({tool})", "adarank", 0, "definition")
            mean = float(values.mean())
            figure = StoredValue("test", "definition", "NDCG@10", mean, queries, values)
            opened.add(tool, name, {"selection": tool}, TaskOutcome("done", values=(figure,)))
    return path


def corrected() -> dict[frozenset[str], float]:
    """Holm's procedure written out: the i-th least p-value times the number that are left."""
    pairs = [("yahoo", "letor4"), ("yahoo", "definition"), ("letor4", "definition")]
    raw = {frozenset(pair): float(ttest_rel(VALUES[pair[0]], VALUES[pair[1]]).pvalue)
           for pair in pairs}  # fmt: skip
    found, least = {}, 0.0
    for left, pair in zip((3, 2, 1), sorted(raw, key=raw.__getitem__), strict=True):
        least = max(least, min(1.0, left * raw[pair]))
        found[pair] = least
    return found


def test_the_p_values_of_three_conventions_are_corrected_together(store: Path) -> None:
    expected = corrected()
    found = ask(compare_conventions, store, QUESTION)
    assert {frozenset((one.better, one.worse)) for one in found} == set(expected)
    for one in found:
        pair = frozenset((one.better, one.worse))
        assert one.p_value == pytest.approx(expected[pair], rel=1e-9, abs=0)
        assert one.difference == VALUES[one.better].mean() - VALUES[one.worse].mean() > 0
    assert found == sorted(found, key=lambda one: one.p_value)


def test_a_clear_difference_and_one_of_chance_get_their_words(store: Path) -> None:
    expected = corrected()
    clear, chance = (expected[frozenset(("yahoo", one))] for one in ("letor4", "definition"))
    assert 1e-6 < clear < 0.01 and chance > 0.5
    (sentence,) = ask(explain_conventions, store, QUESTION)
    gap = BASE.mean() - VALUES["letor4"].mean()
    assert sentence.endswith(
        f"; best is yahoo, over letor4 by {gap:.4f} (significant, p = {clear:.3g}); "
        f"over definition by 0.0010 (not significant, p = {chance:.3g})."
    )
    least = ask(compare_conventions, store, QUESTION)[0].p_value
    assert "(significant" not in ask(explain_conventions, store, QUESTION, level=least)[0]


@pytest.mark.parametrize(
    ("measure", "order"), [("ARP", "abc"), ("RMSE", "abc"), ("MAP", "cba"), ("NDCG@10", "cba")]
)
def test_the_best_figure_stands_on_top_whichever_end_that_is(measure: str, order: str) -> None:
    names = {
        method: TaskName("", "made", None, 1, method, method, 0, "definition") for method in "bca"
    }
    means = [
        TaskValue(place, names[method], "test", "definition", one, value)
        for one in (measure, "P@5")
        for place, (method, value) in enumerate({"b": 0.5, "c": 0.75, "a": 0.25}.items())
    ]
    (summary,) = summarize(means)
    assert summary.measures[0] == measure
    assert "".join(row.method for row in summary.rows) == order
