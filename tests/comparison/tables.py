"""Result tables made for tests, and literal references that visit every pair."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import strategies as st

from rankwise.results.result_table import ResultTable

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


def dense_facts(
    methods: int, datasets: int, *, signal: float, noise: float, seed: int = 0
) -> list[Fact]:
    """A table without holes: method m00 is the best, and what differs otherwise is by chance.

    Values are quality, from 1 down to 0 times `signal`, what a method gains on a data set, and a
    little in each measure, on a scale of its own in each data set.
    """
    generator = np.random.default_rng(seed)
    facts = []
    for dataset in range(datasets):
        scale = 0.02 * (1 + dataset % 3)
        gains = noise * generator.normal(size=methods)
        for measure in ("MAP", "NDCG@3"):
            rest = noise / 3 * generator.normal(size=methods)
            for method in range(methods):
                quality = signal * (1 - method / (methods - 1))
                value = 0.4 + scale * (quality + gains[method] + rest[method])
                facts.append((f"m{method:02}", f"d{dataset}", measure, float(value)))
    return facts


def punched(facts: list[Fact], holes: float, seed: int = 0) -> list[Fact]:
    """The same with results left out by chance, both measures of a data set together."""
    generator = np.random.default_rng(seed)
    pairs = sorted({(method, dataset) for method, dataset, _, _ in facts})
    kept = {pair for pair in pairs if generator.random() >= holes}
    return [fact for fact in facts if fact[:2] in kept]
