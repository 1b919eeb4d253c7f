"""The program that measures the methods of the comparison: its figures, and that all are named."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.rankers.svm_data import listed_pairs, made

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        import methods
    finally:
        sys.path.remove(str(FOLDER))
    return methods


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
def test_the_exponent_is_that_of_the_last_three_sizes(program: ModuleType, exponent: float) -> None:
    sizes = [100, 200, 400, 800]
    seconds = [5.0, *(1e-6 * size**exponent for size in sizes[1:])]
    assert program.find_exponent(sizes, seconds) == pytest.approx(exponent)
    assert program.find_exponent(sizes[:2], seconds[:2]) is None


def test_sizes_double_along_one_axis(program: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = []

    def fit_once(name: str, data: object) -> float:
        shapes.append((data.n_queries, data.n_documents, data.n_features))  # type: ignore[attr-defined]
        return 1.0

    monkeypatch.setattr(program, "fit_once", fit_once)
    monkeypatch.setattr(program, "SMALLEST", {"queries": 3, "documents": 5, "features": 4})
    sizes, _ = program.measure("listnet", "documents", 20.0)
    assert sizes == [5, 10, 20, 40]
    assert shapes[::2] == [(3, 3 * size, 4) for size in sizes]


def test_listed_pairs_are_all_there_are(program: ModuleType) -> None:
    data = made(1)
    better, worse = program.preferred_pairs(data)
    found = set(zip(better.tolist(), worse.tolist(), strict=True))
    assert found == {tuple(pair) for pair in listed_pairs(data).tolist()}
    first, second = program.all_pairs(data)
    assert len(first) == sum(n * (n - 1) // 2 for n in data.query_lengths)
    assert (data.query_of_rows[first] == data.query_of_rows[second]).all()


def test_ridge_on_listed_pairs_has_the_weights_of_rankrls(
    program: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    program.compare_with_ridge(made(2))
    shown = capsys.readouterr().out
    assert float(shown.rsplit(" ", 1)[1]) < 1e-9


def test_every_training_has_the_same_to_do(program: ModuleType) -> None:
    from rankwise.rankers.registry import find_ranker

    ranker = program.with_fixed_work(find_ranker("grankrls"))
    assert (ranker.features, ranker.patience) == (10, 10)
    data = program.made(4, 6, 20)
    assert (data.n_queries, data.n_documents, data.n_features) == (4, 24, 20)
    assert set(np.unique(data.labels)) <= {0.0, 1.0, 2.0}
