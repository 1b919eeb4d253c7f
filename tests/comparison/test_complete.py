from __future__ import annotations

from itertools import combinations

from hypothesis import given

from rankwise.comparison.cells import group_cells
from rankwise.comparison.rank_tests import find_largest_complete

from .tables import Fact, sparse_facts, table_of


def test_the_block_of_results_without_a_hole_is_found() -> None:
    facts: list[Fact] = [
        (m, d, "MAP", float(i)) for i, m in enumerate("ABC") for d in ("d1", "d2", "d3")
    ]
    facts += [("D", "d1", "MAP", 0.5), ("A", "d4", "MAP", 0.5), ("D", "d4", "MAP", 0.7)]
    found = find_largest_complete(group_cells(table_of(facts)), 2, 2)
    assert found is not None
    assert found.methods == ("A", "B", "C")
    assert found.blocks == (("d1", "MAP"), ("d2", "MAP"), ("d3", "MAP"))
    assert found.values.tolist() == [[0.0] * 3, [1.0] * 3, [2.0] * 3]


@given(sparse_facts())
def test_what_is_found_is_complete_and_nothing_is_missed_when_none_is(facts: list[Fact]) -> None:
    found = find_largest_complete(group_cells(table_of(facts)), 2, 2)
    values = {fact[:3]: fact[3] for fact in facts}
    if found is None:
        assert _largest(facts, 2, 2) == 0
        return
    assert len(found.methods) >= 2
    assert len(found.blocks) >= 2
    for i, method in enumerate(found.methods):
        for j, (dataset, measure) in enumerate(found.blocks):
            assert found.values[i, j] == values[method, dataset, measure]
    # The greedy search may miss the largest, but never finds one that is larger.
    assert found.values.size <= _largest(facts, 2, 2)


def _largest(facts: list[Fact], least_methods: int, least_blocks: int) -> int:
    """The number of results of the largest complete sub-table, by trying all sets of blocks."""
    held: dict[tuple[str, str], set[str]] = {}
    for method, dataset, measure, _ in facts:
        held.setdefault((dataset, measure), set()).add(method)
    sizes = [0]
    for count in range(least_blocks, len(held) + 1):
        for blocks in combinations(held.values(), count):
            common = set.intersection(*blocks)
            if len(common) >= least_methods:
                sizes.append(count * len(common))
    return max(sizes)
