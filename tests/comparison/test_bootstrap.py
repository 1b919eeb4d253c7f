from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.resampling import (
    FRONT_SHARE,
    NWN_INTERVALS,
    NwnInterval,
    describe_resampling,
    find_confidences,
    resample_datasets,
)
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable, separate_versions

from .tables import Fact, table_of

TESTS = Path(__file__).parents[1]
FACTS: list[Fact] = [
    (method, dataset, "MAP", value)
    for dataset, values in {
        "d1": {"A": 0.9, "B": 0.5, "C": 0.1},
        "d2": {"A": 0.2, "B": 0.8, "C": 0.5},
        "d3": {"B": 0.3, "C": 0.4},
        "d4": {"D": 0.3, "C": 0.2},
    }.items()
    for method, value in values.items()
]


def test_a_resample_is_the_comparison_of_the_table_drawn() -> None:
    # Each data set drawn is entered as often as it was drawn, under a new name, and compared.
    comparison = compare_table(table_of(FACTS))
    seed, resamples = 5, 40
    drawn_anew = resample_datasets(comparison, resamples, seed, interval="percentile")
    found = {one.method: one for one in drawn_anew.intervals}
    generator = np.random.default_rng(seed)
    expected: dict[str, list[float]] = {method: [] for method in "ABCD"}
    fronts = dict.fromkeys("ABCD", 0)
    for _ in range(resamples):
        drawn = [f"d{i + 1}" for i in generator.choice(4, 4)]
        again = compare_table(_copies(drawn))
        for row in again.rows:
            expected[row.method].append(row.nwn)
            fronts[row.method] += row.pareto
    for method in "ABC":
        place = 1 + min(
            sum(row.nwn > comparison.by_method[method].nwn for row in comparison.rows),
            sum(row.nwn < comparison.by_method[method].nwn for row in comparison.rows),
        )
        tail = 0.05 * place / len(comparison.rows) / 2
        bounds = np.quantile(expected[method], [tail, 1 - tail])
        assert (found[method].lower, found[method].upper) == pytest.approx(tuple(bounds))
    for method in "ABCD":
        assert found[method].front_share == fronts[method] / resamples
        assert found[method].present == len(expected[method]) / resamples


def test_a_single_data_set_gives_no_interval() -> None:
    found = {
        one.method: one for one in resample_datasets(compare_table(table_of(FACTS)), 50).intervals
    }
    assert (found["D"].lower, found["D"].upper) == (None, None)
    assert found["D"].present < 1


def test_the_interval_is_that_of_the_equation() -> None:
    """NWN ± max(t_ν s, t_{k_i - 1} s_i) / √n_i, written out from the wins on each data set.

    The pooled quantile is that of the place, the own one that of a method chosen beforehand.
    """
    # (wins, ideal) by data set: d1 A > B > C, d2 B > C > A, d3 C > B, d4 D > C.
    shares = {
        "A": [(2, 2), (0, 2)],
        "B": [(1, 2), (2, 2), (0, 1)],
        "C": [(0, 2), (1, 2), (1, 1), (0, 1)],
        "D": [(1, 1)],
    }
    own, scatter, free = {}, 0.0, 0.0
    for method, pairs in shares.items():
        total = sum(i for _, i in pairs)
        nwn = sum(w for w, _ in pairs) / total
        s = sum(i * (w / i - nwn) ** 2 for w, i in pairs)
        f = total - sum(i * i for _, i in pairs) / total
        own[method] = (
            nwn,
            np.sqrt(s / f) if f else np.nan,
            total**2 / sum(i * i for _, i in pairs),
        )
        scatter, free = scatter + s, free + f
    freedom = int((1 - 1 / 4) * (1 + 2 + 3 + 0))
    pooled = np.sqrt(scatter / free)
    found = resample_datasets(compare_table(table_of(FACTS)), 1, confidence=0.5)
    for one in found.intervals:
        nwn, scatter_i, effective = own[one.method]
        assert one.nwn == pytest.approx(nwn)
        if one.method != "D":
            place = 1 + min(
                sum(other[0] > nwn for other in own.values()),
                sum(other[0] < nwn for other in own.values()),
            )
            apart = stats.t.ppf(1 - 0.5 * place / 4 / 2, freedom) * pooled
            alone = stats.t.ppf(0.75, len(shares[one.method]) - 1) * scatter_i
            reach = max(apart, alone) / np.sqrt(effective)
            assert one.lower == pytest.approx(max(0.0, nwn - reach))
            assert one.upper == pytest.approx(min(1.0, nwn + reach))


def test_one_data_set_gives_no_share_of_draws_on_the_front() -> None:
    facts: list[Fact] = [
        (m, "d1", e, v) for e in ("MAP", "P@5") for m, v in zip("ABC", (1, 2, 3), strict=True)
    ]
    found = resample_datasets(compare_table(table_of(facts)), 50)
    assert {(one.front_share, one.lower, one.warning) for one in found.intervals} == {
        (None, None, "one data set")
    }
    assert found.remarks == (
        "there is one data set, and nothing to draw anew: there are no intervals of NWN and no "
        "shares of draws on the front",
    )


def table_in_versions(datasets: int, versions: tuple[str | None, ...], seed: int) -> ResultTable:
    """Results that are nearly the same on every version of a data set."""
    rng = np.random.default_rng(seed)
    values = rng.random((5, datasets))
    return separate_versions(
        ResultTable.from_rows(
            {"collection": "c", "dataset": f"d{d}", "version": version, "method": "ABCDE"[m],
             "measure": "MAP", "value": values[m, d] + 0.01 * rng.random()}
            for version in versions for d in range(datasets) for m in range(5)
        )
    )  # fmt: skip


@pytest.mark.parametrize("versions", [("x",), ("x", "y"), ("NULL", "MIN", None)])
@pytest.mark.parametrize("kind", NWN_INTERVALS)
def test_versions_of_a_data_set_are_drawn_together(
    versions: tuple[str | None, ...], kind: NwnInterval
) -> None:
    """A data set entered in k versions is as much evidence as one with k measures, not as k."""
    table = table_in_versions(6, versions, seed=3)
    as_measures = ResultTable.from_columns(
        table.collection, [name.partition(",")[0] for name in table.dataset], table.method,
        [f"P@{versions.index(version) + 1}" for version in table.version], table.value,
    )  # fmt: skip
    found, expected = (
        resample_datasets(compare_table(one), 60, seed=1, interval=kind)
        for one in (table, as_measures)
    )
    assert len(table.datasets()) == 6 * len(versions)
    for one, other in zip(found.intervals, expected.intervals, strict=True):
        assert (one.method, one.datasets) == (other.method, 6)
        assert one == other
    said = any(f"{6 * len(versions)} data sets are versions of 6" in r for r in found.remarks)
    assert said == (len(versions) > 1)


def test_few_results_and_few_data_sets_are_warned_of() -> None:
    few = resample_datasets(compare_table(table_in_versions(3, ("x",), 1)), 20)
    assert {one.warning for one in few.intervals} == {"few results"}
    assert any("may cover less than 90 %" in remark for remark in few.remarks)
    comparison = compare_table(table_in_versions(8, ("x",), 1))
    many = resample_datasets(comparison, 20)
    assert {one.warning for one in many.intervals} == {None}
    assert not any("may cover less" in remark for remark in many.remarks)
    narrow = resample_datasets(comparison, 20, interval="percentile")
    assert {one.warning for one in narrow.intervals} == {"few data sets"}
    assert any("fewer than 20 data sets" in remark for remark in narrow.remarks)


@pytest.mark.parametrize(("count", "named"), [(1, "1 method"), (3, "3 methods")])
def test_methods_are_counted_in_words(count: int, named: str) -> None:
    comparison = compare_table(table_in_versions(8, ("x",), 1))
    warnings = ["one data set"] * count + [None] * (5 - count)
    assert describe_resampling(comparison, warnings, "spread", 0.95) == (
        FRONT_SHARE,
        f"{named} with results on one data set: no interval, which is ignorance and not certainty",
    )


def test_a_method_on_few_data_sets_is_warned_of() -> None:
    """An erratic one shows no scatter on few data sets too often."""
    table = table_in_versions(8, ("x",), 1)
    for number, warning in ((5, "few data sets"), (6, None)):
        names = table.datasets()[number:]
        kept = table.without(method="A", dataset=names)
        found = {one.method: one for one in resample_datasets(compare_table(kept), 5).intervals}
        assert (found["A"].datasets, found["A"].warning) == (number, warning)
        assert {one.warning for name, one in found.items() if name != "A"} == {None}


def test_one_order_on_all_data_sets_is_no_certainty() -> None:
    """Twenty methods in one order on few data sets have no interval, not one of a point."""
    facts: list[Fact] = [
        (f"m{method}", f"d{dataset}", "MAP", float(method))
        for method in range(20)
        for dataset in range(7)
    ]
    found = resample_datasets(compare_table(table_of(facts)), 5)
    assert {(one.lower, one.upper, one.warning) for one in found.intervals} == {
        (None, None, "no scatter")
    }
    assert any("does not tell how shares would vary" in remark for remark in found.remarks)


def test_the_first_and_the_last_have_wider_intervals_than_methods_chosen_beforehand(
    tax_comparison: Comparison,
) -> None:
    """The place r of m, from the nearer end, has the confidence 1 - α r / m."""
    names = [row.method for row in tax_comparison.rows]
    selected = resample_datasets(tax_comparison, 1).intervals
    before = resample_datasets(tax_comparison, 1, beforehand=names).intervals
    scores = np.array([one.nwn for one in selected])
    levels = find_confidences(scores, 0.95)
    assert levels[0] == levels[-1] == pytest.approx(1 - 0.05 / 87)
    assert levels.min() == pytest.approx(1 - 0.05 * 44 / 87)
    assert np.isnan(find_confidences(np.array([0.1, np.nan]), 0.95)[1])
    wider = 0
    for one, other in zip(selected, before, strict=True):
        if one.lower is not None and one.upper is not None:
            assert other.lower is not None and other.upper is not None
            assert one.lower <= other.lower and one.upper >= other.upper
            wider += one.upper - one.lower > other.upper - other.lower
    assert wider > 20
    assert any(
        "because of their places" in one for one in resample_datasets(tax_comparison, 1).remarks
    )


def test_the_interval_of_the_first_method_holds_its_true_number() -> None:
    """Where all methods are alike: true is .5, and the first owes its place to luck."""
    held = {False: 0, True: 0}
    for seed in range(60):
        rng = np.random.default_rng([3, seed])
        facts: list[Fact] = [
            (f"m{method:02}", f"d{dataset}", "MAP", float(rng.normal()))
            for method in range(20)
            for dataset in range(7)
        ]
        comparison = compare_table(table_of(facts))
        for known in held:
            names = [row.method for row in comparison.rows] if known else []
            first = resample_datasets(comparison, 1, beforehand=names).intervals[0]
            assert first.lower is not None
            held[known] += first.lower <= 0.5
    assert held[False] >= 0.9 * 60 > held[True]


def test_intervals_hold_what_they_should(tax_comparison: Comparison) -> None:
    found = resample_datasets(tax_comparison, 200, seed=1)
    assert [one.method for one in found.intervals] == [row.method for row in tax_comparison.rows]
    bounded = [one for one in found.intervals if one.lower is not None and one.upper is not None]
    assert len(bounded) > 40
    assert all(0 <= (one.lower or 0) <= (one.upper or 0) <= 1 for one in bounded)
    for one in found.intervals:
        assert one.front_share is not None
        assert 0 <= one.front_share <= one.present <= 1
    probability = {one.method: one.front_share or 0.0 for one in found.intervals}
    assert probability["ListNet"] > 0.7
    assert probability["Linear Regression"] == 0
    # The front is less certain than it looks: nobody is on it in nine of ten draws.
    assert max(probability.values()) < 0.9


def test_a_wider_confidence_is_a_wider_interval(tax_comparison: Comparison) -> None:
    narrow, wide = (
        resample_datasets(tax_comparison, 100, confidence=c).intervals for c in (0.5, 0.95)
    )
    bounded = 0
    for one, other in zip(narrow, wide, strict=True):
        assert (one.lower is None, one.upper is None) == (other.lower is None, other.upper is None)
        if one.lower is not None and one.upper is not None:
            assert other.lower is not None and other.upper is not None
            # Both intervals end at 0 and 1 at the latest.
            assert other.lower < one.lower or other.lower == one.lower == 0
            assert other.upper > one.upper or other.upper == one.upper == 1
            bounded += 1
    assert bounded > 40


def test_the_same_seed_gives_the_same_figures_in_another_process() -> None:
    script = "from comparison.test_bootstrap import figures\nprint(figures())"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=TESTS
    )
    assert ran.stdout.strip() == figures()
    assert figures(seed=4) != figures(seed=3)


def test_progress_is_told() -> None:
    done: list[float] = []
    resample_datasets(compare_table(table_of(FACTS)), 3, advance=done.append)
    assert done == [1, 2, 3]


def test_senseless_settings_are_sentences() -> None:
    comparison = compare_table(table_of(FACTS))
    with pytest.raises(RankwiseError, match="at least one resample; found 0"):
        resample_datasets(comparison, 0)
    with pytest.raises(RankwiseError, match="between 0 and 1; found 95"):
        resample_datasets(comparison, 10, confidence=95)
    with pytest.raises(RankwiseError, match="one of spread, percentile; found 'bca'"):
        resample_datasets(comparison, 10, interval="bca")  # type: ignore[arg-type]


def figures(seed: int = 3) -> str:
    return repr(resample_datasets(compare_table(table_of(FACTS)), 30, seed).intervals)


def _copies(drawn: list[str]) -> ResultTable:
    return table_of(
        [
            (method, f"{dataset} draw {number}", measure, value)
            for number, name in enumerate(drawn)
            for method, dataset, measure, value in FACTS
            if dataset == name
        ]
    )
