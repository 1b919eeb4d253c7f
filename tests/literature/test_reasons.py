"""The seven reasons for leaving a study out: tables that show one, and tables that do not."""

from __future__ import annotations

import pytest

from rankwise.results.published.exclusion_reasons import (
    find_differing_officials,
    find_higher_baselines,
    find_inexact_values,
    find_missing_baselines,
    find_named_reasons,
    find_other_measures,
    find_other_protocols,
    find_two_levels,
)
from rankwise.results.published.suspicion import Official, find_official_values

from .made import result, table

LISTNET_TD2003 = 0.275
"""MAP of the official ListNet run on TD2003, as Jiang and Lin (2014) reprint it."""


def listnet(value: float, **cells: object) -> dict[str, object]:
    return {**result("ListNet", value, "TD2003"), "collection": "LETOR 3.0", **cells}


def test_official_values_are_the_reprinted_baselines_and_what_calls_itself_official() -> None:
    official = find_official_values(
        table([result("A", 0.4, source="Official MSLR run"), result("B", 0.5)])
    )
    assert official["LETOR 3.0 TD2003", "ListNet", "MAP"].value == LISTNET_TD2003
    assert official["C X", "A", "MAP"] == Official(0.4, 0.01, "Official MSLR run")
    assert ("C X", "B", "MAP") not in official
    assert not any(method.startswith("DEARank") for _, method, _ in official)


@pytest.mark.parametrize(
    ("value", "found"), [(0.279, True), (0.276, False), (0.2764, True), (0.1, False)]
)
def test_reason_6_a_baseline_above_its_official_run(value: float, found: bool) -> None:
    # 0.276 is within one unit of the print; 0.2764 is 1.4 units above 0.275.
    made = table([listnet(value)])
    findings = find_higher_baselines(made, find_official_values(made))
    assert [finding.rows for finding in findings] == ([(0,)] if found else [])
    if found:
        assert f"MAP {value:g} for ListNet" in findings[0].sentence
        assert "the official value is 0.275" in findings[0].sentence
        assert findings[0].reason == 6


def test_reason_6_is_one_finding_per_study_with_its_worst_row() -> None:
    rows = [listnet(0.301), listnet(0.4, measure="NDCG@3"), listnet(0.501, source="other")]
    found = find_higher_baselines(table(rows), find_official_values(table(rows)))
    assert [finding.rows for finding in found] == [(0, 1), (2,)]
    assert "NDCG@3 0.4 for ListNet" in found[0].sentence
    assert "and 1 more" in found[0].sentence


@pytest.mark.parametrize("value", [0.271, 0.279])
def test_an_official_figure_that_is_not_the_official_one(value: float) -> None:
    made = table([listnet(value, source="official LETOR 3.0 baseline")])
    (finding,) = find_differing_officials(made, find_official_values(made))
    assert finding.rows == (0,)
    assert finding.reason is None
    assert find_higher_baselines(made, find_official_values(made)) == []


def test_reason_7_no_baseline_at_all() -> None:
    rows = [
        result("Mine", 0.5, source="alone"),
        result("Theirs", 0.5, source="pair 1"),
        result("Theirs", 0.6, source="pair 2"),
        listnet(LISTNET_TD2003, source="with a baseline"),
        result("Other", 0.5, source="with a baseline"),
    ]
    (finding,) = find_missing_baselines(table(rows), find_official_values(table(rows)))
    assert finding.rows == (0,)
    assert finding.reason == 7


def test_reason_5_none_of_the_measures_compared() -> None:
    rows = [
        result("A", 0.5, measure="ERR", source="errs"),
        result("A", 0.5, measure="P@1", source="errs"),
        result("A", 0.5, measure="ERR", source="both"),
        result("A", 0.5, measure="MAP", source="both"),
    ]
    (finding,) = find_other_measures(table(rows))
    assert finding.rows == (0, 1)
    assert "ERR, P@1 only" in finding.sentence
    assert find_other_measures(table(rows), ["ERR"]) == []


def test_reason_4_two_decimals_where_rivals_print_four() -> None:
    rivals = [result("A", v, d, source="fine") for d in "XYZ" for v in (0.1234, 0.2345, 0.3456)]
    coarse = [result("B", v, d, source="coarse") for d, v in zip("XY", (0.21, 0.41), strict=True)]
    (finding,) = find_inexact_values(table(rivals + coarse))
    assert finding.rows == (9, 10)
    assert finding.reason == 4
    # One value of two decimals among values of four happens once in a hundred.
    assert find_inexact_values(table(rivals + coarse[:1])) == []


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ({"note": "first fold only"}, "other protocol"),
        ({"note": "queries without relevant documents count 1"}, "other protocol"),
        ({"dataset": "MQ2007-agg"}, "other task"),
        ({"note": "semi-supervised"}, "other task"),
        ({"dataset": "TD2003 (relabelled)"}, "altered data set"),
        ({"version": "with additional features"}, "altered data set"),
        ({"dataset": "all seven pooled"}, "altered data set"),
        ({"note": "read off Figure 3"}, "no exact figures"),
    ],
)
def test_reasons_1_to_4_in_words(cells: dict[str, str], kind: str) -> None:
    (finding,) = find_named_reasons(table([result("A", 0.5), {**result("B", 0.5), **cells}]))
    assert (finding.kind, finding.rows) == (kind, (1,))


def test_pooled_folds_are_no_altered_data_set() -> None:
    assert find_named_reasons(table([result("A", 0.5, note="five folds pooled")])) == []


def test_reason_1_several_tools() -> None:
    rows = [result(m, 0.5, tool=tool) for m, tool in zip("ABC", ("x", "x", "y"), strict=True)]
    (finding,) = find_other_protocols(table(rows))
    assert finding.rows == (2,)
    assert "2 tools (x, y)" in finding.sentence
    assert find_other_protocols(table(rows[:2])) == []


def test_reason_1_one_fold_beside_results_over_all_folds() -> None:
    rows = [result("A", 0.5), result("B", 0.4, fold="1"), *(result("C", 0.4, fold=f) for f in "12")]
    (finding,) = find_other_protocols(table(rows))
    assert finding.rows == (1,)
    assert find_other_protocols(table(rows[1:2])) == []


def test_reason_1_two_levels_in_one_column() -> None:
    low = [result(f"l{n}", 0.23 + n / 1000, source="script") for n in range(4)]
    high = [result(f"h{n}", 0.75 + n / 1000, source="own code") for n in range(5)]
    (finding,) = find_two_levels(table(low + high), {})
    assert finding.rows == (0, 1, 2, 3)
    # Where an official run is on the smaller side, the other one is to be doubted.
    official = {("C X", "l0", "MAP"): Official(0.23, 0.001, "official")}
    (finding,) = find_two_levels(table(low + high), official)
    assert finding.rows == (4, 5, 6, 7, 8)
    assert "own code probably evaluated in another way" in finding.sentence


def test_one_level_with_a_few_stragglers_is_no_second_level() -> None:
    rows = [
        result(f"m{n}", value) for n, value in enumerate([0.2, 0.5, 0.51, 0.52, 0.53, 0.54, 0.55])
    ]
    assert find_two_levels(table(rows), {}) == []
