"""Tables of methods that are hard to draw: one data set, equal points, long names, very many."""

from __future__ import annotations

import random

from rankwise.comparison import Comparison, compare_table
from rankwise.results.result_table import ResultTable

LONG = "A method whose name nobody can say in one breath (with all of its settings, twice)"


def make_comparison(
    names: list[str], datasets: int, *, level: bool = False, holes: float = 0.0, seed: int = 1
) -> Comparison:
    """Methods with values in two measures; `level` ones are all alike."""
    rng = random.Random(seed)
    rows = []
    for method in names:
        skill = rng.gauss(0.0, 0.08)
        for dataset in range(datasets):
            if rng.random() < holes:
                continue
            for measure in ("NDCG@10", "MAP"):
                value = 0.5 if level else min(1.0, max(0.0, 0.5 + skill + rng.gauss(0.0, 0.03)))
                rows.append(
                    {"collection": "C", "dataset": f"d{dataset}", "method": method,
                     "measure": measure, "value": round(value, 4), "source": "Study"}
                )  # fmt: skip
    return compare_table(ResultTable.from_rows(rows))


def _pairs() -> Comparison:
    """Pairs of methods with the same results: each mark covers another."""
    rows = [
        {"collection": "C", "dataset": f"d{dataset}", "method": f"{pair}{twin}", "measure": "MAP",
         "value": 0.9 - 0.1 * place, "source": "Study"}
        for place, pair in enumerate(("first", "second", "third", "fourth"))
        for twin in ("", " again")
        for dataset in range(6 - place)
    ]  # fmt: skip
    return compare_table(ResultTable.from_rows(rows))


EXTREMES = {
    "one data set": make_comparison(["a", "b", "c"], 1),
    "equal points": _pairs(),
    "all level but one": make_comparison(["a", "b", "c"], 3, level=False, seed=5),
    "long names": make_comparison([f"{LONG} {n}" for n in range(9)], 6, holes=0.4),
    "two methods": make_comparison(["a", "b"], 2),
    "300 methods": make_comparison([f"Method {n}" for n in range(300)], 12, holes=0.5),
}
