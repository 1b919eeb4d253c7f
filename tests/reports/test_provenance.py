"""Reports say how they were made and what they found, the same bytes on the same day."""

from __future__ import annotations

from datetime import date

import pytest

from rankwise.comparison import Comparison, compare_table
from rankwise.reports.comparison_report import DAY, Provenance, find_day
from rankwise.reports.query_figures import find_findings
from rankwise.reports.ranking_figures import find_own_methods
from rankwise.results.result_table import ResultTable


def make_table(*rows: tuple[str, str | None]) -> ResultTable:
    return ResultTable.from_rows(
        {"collection": "", "dataset": "d", "method": method, "measure": "MAP",
         "value": 0.1 * place, "source": source}
        for place, (method, source) in enumerate(rows, start=1)
    )  # fmt: skip


def test_the_day_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DAY, "86400")
    assert find_day() == date(1970, 1, 2)
    monkeypatch.setenv(DAY, "not a number")
    assert find_day().year >= 2024


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            Provenance("rankwise compare", date(2026, 1, 2)),
            "Made on 2026-01-02 by: rankwise compare",
        ),
        (Provenance(None, date(2026, 1, 2)), "Made on 2026-01-02."),
        (Provenance(), ""),
    ],
)
def test_how_a_report_was_made_is_a_sentence(made: Provenance, said: str) -> None:
    assert made.describe() == said


def test_methods_run_here_are_the_readers_own() -> None:
    table = make_table(("a", "rankwise bench"), ("b", "Study"), ("c", None))
    assert find_own_methods(table) == {"a", "c"}


@pytest.mark.parametrize("source", [None, "Study", "rankwise bench"])
def test_where_all_are_alike_none_is_set_apart(source: str | None) -> None:
    assert find_own_methods(make_table(("a", source), ("b", source))) == frozenset()


def test_a_front_is_told(tax: Comparison) -> None:
    (finding,) = find_findings(tax, ())
    assert finding.startswith("LambdaNeuralRank, LARF, LRUF, ")
    assert "on the Pareto front" in finding


def test_one_table_without_queries_tells_the_best_and_how_little_that_is() -> None:
    comparison = compare_table(make_table(("a", "S"), ("b", "S")))
    (finding,) = find_findings(comparison, ())
    assert finding.startswith("b has the best MAP, 0.2000.")
    assert "cannot tell whether that is more than luck" in finding
