from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.comparison.method_ranking import compare_table
from rankwise.comparison.placement import Placement, place_in_table
from rankwise.comparison.resampling import measure_spread
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

from .tables import Fact, table_of

RIVALS: list[Fact] = [
    (method, dataset, "MAP", value)
    for dataset, values in {
        "d1": {"A": 0.9, "B": 0.5, "C": 0.1},
        "d2": {"A": 0.2, "B": 0.8, "C": 0.5},
        "d3": {"B": 0.3, "C": 0.4},
        "alone": {"A": 0.3},
    }.items()
    for method, value in values.items()
]


def test_a_method_that_beats_all_lands_first_on_the_front() -> None:
    own = table_of([("Mine", d, "MAP", 0.95) for d in ("d1", "d2", "d3")])
    placed = place_in_table(own, table_of(RIVALS))
    comparison, (found,) = placed.comparison, placed.placements
    assert found.place is not None
    assert (found.place.rank, found.ranked, found.place.pareto) == (1, 4, True)
    assert (found.place.wn, found.place.iwn) == (3 + 3 + 2, 3 + 3 + 2)
    assert comparison.front() == ("Mine",)
    # NWN of the others: B (1 + 2 + 0) / 8, A (2 + 0) / 6, C (0 + 1 + 1) / 8.
    assert [near.rival.method for near in found.neighbours] == ["B", "A", "C"]
    assert [(near.wins, near.losses) for near in found.neighbours] == [(3, 0), (2, 0), (3, 0)]


def test_neighbours_are_met_head_to_head_with_ties() -> None:
    own = table_of([("Mine", "d1", "MAP", 0.5), ("Mine", "d2", "MAP", 0.6)])
    (found,) = place_in_table(own, table_of(RIVALS))
    met = {n.rival.method: (n.wins, n.losses, n.ties) for n in found.neighbours}
    assert met == {"A": (1, 1, 0), "B": (0, 1, 1), "C": (2, 0, 0)}


def test_gains_count_rivals_where_the_method_has_no_result() -> None:
    own = table_of([("Mine", "d1", "MAP", 0.5)])
    facts = [*RIVALS, ("A", "d2", "P@5", 0.1), ("B", "d2", "P@5", 0.2)]
    (found,) = place_in_table(own, table_of(facts))
    gained = {gain.dataset: (gain.comparisons, gain.measures) for gain in found.gains}
    # P@5 is a measure the method does not report; a lone result is a rival nonetheless.
    assert gained == {"d2": (3, ("MAP",)), "d3": (2, ("MAP",)), "alone": (1, ("MAP",))}


def test_the_data_set_that_narrows_the_interval_most_comes_first() -> None:
    rng = np.random.default_rng(4)
    rivals: list[Fact] = [
        (f"m{method}", f"d{dataset}", "MAP", float(rng.normal()))
        for method in range(12)
        for dataset in range(8)
        if dataset < 7 or method < 3
    ]
    own = table_of([("Mine", f"d{dataset}", "MAP", float(rng.normal())) for dataset in range(6)])
    (found,) = place_in_table(own, table_of(rivals))
    assert found.interval is not None and found.half_width is not None
    assert found.interval.lower is not None and found.interval.upper is not None
    length = found.interval.upper - found.interval.lower
    assert found.half_width == pytest.approx(length / 2)
    # The one with twelve rivals tells more than the one with three.
    assert [(gain.dataset, gain.comparisons) for gain in found.gains] == [("d6", 12), ("d7", 3)]
    assert found.gains[0].half_width is not None
    assert found.gains[0].half_width < found.half_width


@pytest.mark.parametrize("known", [3, 6])
def test_the_expected_half_width_is_that_of_one_more_data_set_in_the_mean(known: int) -> None:
    """Of a method in the middle, whose intervals do not end at 0 or 1."""
    expected, then = [], []
    for seed in range(40):
        rng = np.random.default_rng([8, seed])
        values = rng.normal(size=(12, 8)) + np.linspace(-1, 1, 12)[:, None]

        def place(datasets: int, values: NDArray[np.float64] = values) -> Placement:
            facts: list[Fact] = [
                (f"m{method}", f"d{dataset}", "MAP", float(values[method, dataset]))
                for method in range(12)
                for dataset in range(datasets if method == 5 else 8)
            ]
            table = table_of(facts)
            own, rivals = table.where(method="m5"), table.without(method="m5")
            return place_in_table(own, rivals, resamples=1).placements[0]

        before, after = place(known), place(known + 1)
        hoped = [gain.half_width for gain in before.gains if gain.half_width is not None]
        expected.append(np.mean(hoped))
        found = after.interval
        assert found is not None and found.lower is not None and found.upper is not None
        then.append((found.upper - found.lower) / 2)
    assert np.mean(expected) == pytest.approx(np.mean(then), rel=0.05)


def test_the_spread_is_the_pooled_weighted_variance() -> None:
    comparison = compare_table(table_of(RIVALS))
    shares = {
        "A": [(1, 2), (0, 2)],
        "B": [(0.5, 2), (1, 2), (0, 1)],
        "C": [(0, 2), (0.5, 2), (1, 1)],
    }
    scatter = freedom = 0.0
    for pairs in shares.values():
        total = sum(weight for _, weight in pairs)
        mean = sum(share * weight for share, weight in pairs) / total
        scatter += sum(weight * (share - mean) ** 2 for share, weight in pairs)
        freedom += total - sum(weight**2 for _, weight in pairs) / total
    spread = measure_spread(comparison)
    assert spread is not None
    assert spread.pooled == pytest.approx(sqrt(scatter / freedom))


def test_where_no_method_has_two_data_sets_nothing_is_known_of_spread() -> None:
    facts: list[Fact] = [("A", "d", "MAP", 0.1), ("B", "d", "MAP", 0.2), ("C", "e", "MAP", 0.2)]
    (found,) = place_in_table(table_of([("Mine", "d", "MAP", 0.3)]), table_of(facts))
    assert found.half_width is None
    assert [(gain.dataset, gain.half_width) for gain in found.gains] == [("e", None)]


def test_a_method_without_a_rival_has_no_place_but_advice() -> None:
    own = table_of([("Mine", "new", "MAP", 0.5)])
    (found,) = place_in_table(own, table_of(RIVALS))
    assert (found.place, found.interval, found.neighbours) == (None, None, ())
    assert found.unmatched == (("new", "MAP"),)
    assert {gain.dataset for gain in found.gains} == {"d1", "d2", "d3", "alone"}


def test_the_table_without_the_new_method_is_not_changed_by_placing() -> None:
    table = table_of(RIVALS)
    before = compare_table(table).rows
    place_in_table(table_of([("Mine", "d1", "MAP", 0.5)]), table)
    assert compare_table(table).rows == before


def test_several_methods_are_placed_against_each_other_too() -> None:
    own = table_of([("One", "d1", "MAP", 0.95), ("Two", "d1", "MAP", 0.96)])
    found = place_in_table(own, table_of(RIVALS))
    assert [one.method for one in found] == ["One", "Two"]
    assert [one.place.wn for one in found if one.place] == [3, 4]


def test_what_cannot_be_placed_is_a_sentence() -> None:
    with pytest.raises(RankwiseError, match="already has a method called A"):
        place_in_table(table_of([("A", "d1", "MAP", 0.5)]), table_of(RIVALS))
    with pytest.raises(RankwiseError, match="no result to place"):
        place_in_table(ResultTable.empty(), table_of(RIVALS))
