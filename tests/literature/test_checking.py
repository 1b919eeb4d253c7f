"""The checks on real tables: what they find of the 16 results known to be wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankwise.results import find_suspicions, inspect_results, read_shipped
from rankwise.results.published.suspicion import Suspicion
from rankwise.results.result_table import ResultTable, stack_results

SLIPS = ("no exact figures", "official figure differs", "value twice", "rows identical", "far off")


def test_the_shipped_tables_give_no_finding() -> None:
    assert find_suspicions(read_shipped()) == []


def test_an_empty_table_gives_no_finding() -> None:
    assert find_suspicions(ResultTable.empty()) == []


def known_slips(shared: Path) -> tuple[ResultTable, set[int], list[Suspicion]]:
    """The 1,050 results of the meta-analysis, the rows marked SUSPECT, and what the checks find.

    The notes, which mark them, are taken away before the checks see the table.
    """
    compiled = inspect_results(shared / "literature/compiled/published_results.csv").table
    table = compiled.where(source=lambda source: "as collected by Tax" in source)
    suspect = {row for row, note in enumerate(table.note) if note and "SUSPECT" in note}
    table = replace(table, note=np.full(len(table), None, dtype=object))
    return table, suspect, [found for found in find_suspicions(table) if found.kind in SLIPS]


def test_12_of_the_16_known_slips_are_found(shared: Path) -> None:
    table, suspect, findings = known_slips(shared)
    assert (len(table), len(suspect)) == (1050, 16)
    found = {row for finding in findings for row in finding.rows}
    assert len(suspect & found) == 12
    # The four others are plausible values of another measure on another labelling of TD2003.
    missed = {
        (table.method[row], table.dataset[row], table.measure[row]) for row in suspect - found
    }
    methods = ("FocusedSVM", "FocusedBoost", "FocusedNet", "RankNet")
    assert missed == {(method, "TD2003", "NDCG@10") for method in methods}


def test_half_of_the_findings_on_the_meta_analysis_are_known_slips(shared: Path) -> None:
    """The table of docs/literature.md."""
    _, suspect, findings = known_slips(shared)
    true = Counter(finding.kind for finding in findings if suspect & set(finding.rows))
    false = Counter(finding.kind for finding in findings if not suspect & set(finding.rows))
    assert true == {
        "value twice": 5,
        "rows identical": 1,
        "official figure differs": 1,
        "no exact figures": 1,
        "far off": 1,
    }
    assert false == {"no exact figures": 2, "far off": 7}


def test_two_protocols_on_mq2008_are_told_apart(shared: Path) -> None:
    table = inspect_results(shared / "literature/compiled/published_results.csv").table
    levels = [found for found in find_suspicions(table) if "two levels" in found.sentence]
    (finding,) = levels
    assert finding.sentence.startswith("NDCG@10 on LETOR 4.0 MQ2008 has two levels")
    assert table.value[list(finding.rows)].min() > 0.7


def test_some_reasons_on_the_larger_compilation(shared: Path) -> None:
    table = inspect_results(shared / "literature/compiled/published_results.csv").table
    findings = find_suspicions(table)
    (higher,) = [found for found in findings if found.kind == "baseline higher"]
    assert "allRank" in higher.sentence
    (measure,) = [found for found in findings if found.kind == "other measure"]
    assert "reports ERR only" in measure.sentence
    altered = {found.sentence for found in findings if found.kind == "altered data set"}
    assert any("all seven pooled" in sentence for sentence in altered)


def own(value: float, **cells: object) -> dict[str, object]:
    fixed = {"collection": "LETOR 3.0", "dataset": "TD2003", "measure": "MAP", "tool": "letor3"}
    return {**fixed, "method": "mine", "value": value, **cells}


def checked(*rows: dict[str, object]) -> list[Suspicion]:
    """What is found in own rows beside Tables 2-5 of Jiang and Lin."""
    mine = ResultTable.from_rows(rows)
    size = len(rows)
    found = find_suspicions(stack_results([mine, read_shipped()]))
    return [one for one in found if any(row < size for row in one.rows)]


def test_folds_are_compared_as_their_mean_only() -> None:
    typical = float(np.median(read_shipped().where(dataset="TD2003", measure="MAP").value))
    spread = (-0.2, -0.1, 0.0, 0.1, 0.2)
    folds = [own(typical + by, fold=str(n)) for n, by in enumerate(spread, start=1)]
    assert not any(one.kind == "far off" for one in checked(*folds))
    far = [own(0.9 + by / 10, fold=str(n)) for n, by in enumerate(spread, start=1)]
    (finding,) = (one for one in checked(*far) if one.kind == "far off")
    assert finding.rows == (0, 1, 2, 3, 4)


def test_a_single_fold_is_told_and_not_compared_with_means() -> None:
    (finding,) = checked(own(0.9, fold="1"))
    assert (finding.kind, finding.rows) == ("other protocol", (0,))
    assert "on one fold beside results over all folds" in finding.sentence


def test_another_tool_beside_published_figures_is_told_and_not_compared() -> None:
    (finding,) = checked(own(0.9, measure="NDCG@10", tool="yahoo"))
    assert (finding.kind, finding.rows) == ("other protocol", (0,))
    assert "2 tools (the collection's script, yahoo)" in finding.sentence
