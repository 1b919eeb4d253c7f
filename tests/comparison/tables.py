"""Result tables made for tests, and literal references that visit every pair."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import strategies as st

from rankwise.results.table import ResultTable

Fact = tuple[str, str, str, float]


def table_of(facts: list[Fact]) -> ResultTable:
    """A table of (method, data set, measure, value)."""
    return ResultTable.from_rows(
        {"collection": "", "dataset": d, "method": m, "measure": e, "value": v}
        for m, d, e, v in facts
    )


@st.composite
def sparse_facts(draw: st.DrawFn) -> list[Fact]:
    """Results of a few methods on a few data sets, with holes and many ties."""
    keys = st.tuples(
        st.sampled_from("ABCDEF"),
        st.sampled_from(["d1", "d2", "d3", "d4"]),
        st.sampled_from(["MAP", "NDCG@3"]),
    )
    chosen = draw(st.lists(keys, min_size=2, max_size=40, unique=True))
    return [(*key, draw(st.integers(0, 4)) / 4) for key in chosen]


def pairwise(facts: list[Fact]) -> dict[str, dict[str, int]]:
    """Wins, losses, ties, rivals and the top of the cells by comparing every pair."""
    cells: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for method, dataset, measure, value in facts:
        cells[dataset, measure].append((method, value))
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for results in cells.values():
        if len(results) < 2:
            continue
        top = max(sum(a > b for _, b in results) for _, a in results)
        for method, a in results:
            found[method]["wins"] += sum(a > b for _, b in results)
            found[method]["losses"] += sum(a < b for _, b in results)
            found[method]["ties"] += sum(a == b for _, b in results) - 1
            found[method]["rivals"] += len(results) - 1
            found[method]["top"] += top
            found[method]["cells"] += 1
    return found
