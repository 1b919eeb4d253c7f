"""Small made-up tables for the checks."""

from __future__ import annotations

import numpy as np

from rankwise.results.result_table import ResultTable


def result(
    method: str, value: float, dataset: str = "X", measure: str = "MAP", **cells: object
) -> dict[str, object]:
    basis = {"collection": "C", "source": "a study"}
    return {
        **basis,
        "method": method,
        "value": value,
        "dataset": dataset,
        "measure": measure,
        **cells,
    }


def random_table(seed: int = 0, methods: int = 12, datasets: int = 4) -> list[dict[str, object]]:
    """Methods by data sets by four measures, four decimals, nothing suspicious by design."""
    draw = np.random.default_rng(seed)
    return [
        result(
            f"m{m}",
            round(float(draw.normal(0.3 + 0.05 * d, 0.03)), 4),
            f"d{d}",
            measure,
        )
        for m in range(methods)
        for d in range(datasets)
        for measure in ("MAP", "NDCG@3", "NDCG@5", "NDCG@10")
    ]


def table(rows: list[dict[str, object]]) -> ResultTable:
    return ResultTable.from_rows(rows)
