"""Slips put into a table are found; a table without slips is left in peace."""

from __future__ import annotations

import math

import pytest

from rankwise.results.published.copying_slips import (
    find_identical_rows,
    find_outliers,
    find_repeated_values,
)
from rankwise.results.published.suspicion import Official

from .made import random_table, result, table


def place(rows: list[dict[str, object]], method: str, dataset: str, measure: str) -> int:
    wanted = (method, dataset, measure)
    return next(
        n for n, row in enumerate(rows) if (row["method"], row["dataset"], row["measure"]) == wanted
    )


@pytest.mark.parametrize("other", [("d3", "MAP"), ("d1", "MAP")])
def test_one_value_on_two_data_sets(other: tuple[str, str]) -> None:
    rows = random_table()
    first, second = place(rows, "m3", "d2", "MAP"), place(rows, "m3", *other)
    rows[second]["value"] = rows[first]["value"]
    (finding,) = find_repeated_values(table(rows))
    assert set(finding.rows) == {first, second}
    assert "m3 has" in finding.sentence


def test_one_value_at_two_cut_offs() -> None:
    rows = random_table()
    first, second = place(rows, "m3", "d2", "NDCG@3"), place(rows, "m3", "d2", "NDCG@5")
    rows[second]["value"] = rows[first]["value"]
    assert [finding.rows for finding in find_repeated_values(table(rows))] == [(first, second)]


def test_one_value_in_two_measures_or_two_sources_is_no_neighbour() -> None:
    rows = random_table()
    rows[place(rows, "m3", "d2", "NDCG@3")]["value"] = rows[place(rows, "m3", "d2", "MAP")]["value"]
    rows[place(rows, "m4", "d2", "MAP")]["value"] = rows[place(rows, "m4", "d3", "MAP")]["value"]
    rows[place(rows, "m4", "d2", "MAP")]["source"] = "another study"
    assert find_repeated_values(table(rows)) == []


def test_the_chance_of_one_value_twice_is_the_one_in_the_docstring() -> None:
    differences = [0.01, 0.02, 0.03, 0.04, 0.05]
    rows = [result(f"m{n}", 0.4 + d, "X") for n, d in enumerate(differences)]
    rows += [result(f"m{n}", 0.4, "Y") for n in range(5)]
    rows += [result("slip", 0.4123, "X"), result("slip", 0.4123, "Y")]
    u, m, s = 0.0001, 0.03, 1.4826 * 0.01
    chance = u * s / (math.pi * (s**2 + m**2))
    (finding,) = find_repeated_values(table(rows))
    assert finding.sentence.endswith(f"by chance about once in {1 / chance:,.0f}")


def test_figures_of_three_decimals_that_lie_close_are_left_in_peace() -> None:
    rows = [
        result(f"m{n}", round(0.81 + n / 1000 + k // 2 / 1000, 3), measure=f"NDCG@{7 + k}")
        for n in range(8)
        for k in range(4)
    ]
    assert find_repeated_values(table(rows)) == []


def test_two_methods_with_the_same_row() -> None:
    rows = random_table()
    shown = [("d0", "MAP"), ("d1", "MAP"), ("d2", "MAP")]
    rows += [
        result("copy", float(rows[place(rows, "m5", *column)]["value"]), *column)  # type: ignore[arg-type]
        for column in shown
    ]
    (finding,) = find_identical_rows(table(rows))
    assert "copy and m5 have the same value in 3 of the 3 columns" in finding.sentence
    assert set(finding.rows) == {
        place(rows, m, *column) for m in ("m5", "copy") for column in shown
    }


def test_many_neighbours_make_a_coincidence_less_surprising() -> None:
    rows = random_table(datasets=10)
    first, second = place(rows, "m3", "d2", "NDCG@3"), place(rows, "m3", "d2", "NDCG@5")
    rows[second]["value"] = rows[first]["value"]
    assert (first, second) not in [finding.rows for finding in find_repeated_values(table(rows))]


def test_one_equal_value_of_two_methods_is_no_identical_row() -> None:
    rows = random_table()
    rows[place(rows, "m5", "d0", "MAP")]["value"] = rows[place(rows, "m6", "d0", "MAP")]["value"]
    assert find_identical_rows(table(rows)) == []


@pytest.mark.parametrize(("value", "sign"), [(0.05, "-"), (0.9, "+")])
def test_a_value_far_off_all_rivals(value: float, sign: str) -> None:
    rows = random_table()
    rows[place(rows, "m7", "d1", "MAP")]["value"] = value
    rows[place(rows, "m7", "d1", "NDCG@5")]["value"] = value
    (finding,) = [f for f in find_outliers(table(rows), {}) if f.sentence.startswith("m7 ")]
    assert set(finding.rows) == {place(rows, "m7", "d1", m) for m in ("MAP", "NDCG@5")}
    assert f"robust z {sign}" in finding.sentence
    assert "and 1 more measures there" in finding.sentence


def test_the_robust_z_is_the_distance_from_the_median_in_deviations() -> None:
    rivals = [0.38, 0.39, 0.40, 0.41, 0.42]
    rows = [result(f"m{n}", value) for n, value in enumerate(rivals)] + [result("far", 0.6)]
    (finding,) = find_outliers(table(rows), {})
    assert f"robust z +{(0.6 - 0.40) / (1.4826 * 0.01):.1f}" in finding.sentence


def test_an_official_value_is_not_told_as_far_off() -> None:
    rows = random_table()
    rows[place(rows, "m7", "d1", "MAP")]["value"] = 0.05
    row = place(rows, "m7", "d1", "MAP")
    official = {("C d1", "m7", "MAP"): Official(0.05, 0.01, "official")}
    assert (row,) in [finding.rows for finding in find_outliers(table(rows), {})]
    assert (row,) not in [finding.rows for finding in find_outliers(table(rows), official)]


def test_a_value_between_its_rivals_is_not_far_off() -> None:
    values = [0.2, 0.201, 0.202, 0.203, 0.204, 0.5, 0.8]
    rows = [result(f"m{n}", value) for n, value in enumerate(values)]
    told = {row for finding in find_outliers(table(rows), {}) for row in finding.rows}
    assert told == {6}


def test_four_rivals_are_too_few() -> None:
    rows = [result(f"m{n}", 0.2 + n / 1000) for n in range(4)] + [result("far", 0.9)]
    assert find_outliers(table(rows), {}) == []


TABLES = [table(random_table(seed)) for seed in range(12)]


def test_by_chance_no_more_than_one_method_in_twenty_is_told_to_have_a_value_twice() -> None:
    told = sum(len({one.method[f.rows[0]] for f in find_repeated_values(one)}) for one in TABLES)
    assert told <= 0.05 * sum(len(one.methods()) for one in TABLES)


def test_by_chance_no_rows_are_told_to_be_identical() -> None:
    assert [find_identical_rows(one) for one in TABLES] == [[]] * len(TABLES)


def test_of_normal_values_one_in_two_hundred_is_told_as_far_off_at_most() -> None:
    told = sum(len(finding.rows) for one in TABLES for finding in find_outliers(one, {}))
    assert told <= sum(map(len, TABLES)) / 200
