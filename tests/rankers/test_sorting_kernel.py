"""The core's sort as kernels call it, compiled anew and loaded from what is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankwise.rankers.losses.sorting_kernel import sort_descending

CALL = """
import numpy as np
from rankwise.rankers.losses import sorting_kernel
keys, rows = np.array([1.0, 3.0, 2.0, 0.0, 0.0, 0.0]), np.arange(6)
sorting_kernel.sort_descending(keys, rows, 0, 3)
print(rows[:3].tolist(), sum(sorting_kernel.sort_descending.stats.cache_hits.values()))
"""


@pytest.mark.parametrize("size", [0, 1, 2, 16, 17, 100])
def test_keys_fall_and_equal_ones_keep_their_order(size: int) -> None:
    keys = np.random.default_rng(size).integers(0, 9, 2 * size).astype(np.float64)
    rows = np.arange(2 * size)
    expected = np.argsort(-keys[:size], kind="stable")
    sort_descending(keys, rows, 0, size)
    assert rows[:size].tolist() == expected.tolist()


def test_a_part_is_sorted_where_it_stands() -> None:
    keys, rows = np.array([1.0, 2.0, 3.0, 4.0] * 2), np.arange(8)
    sort_descending(keys, rows, 1, 3)
    assert rows[:4].tolist() == [0, 2, 1, 3]


def test_kept_code_finds_the_sort_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said = [
        subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True, timeout=1200)
        for _ in range(2)
    ]
    assert [one.stdout for one in said] == ["[1, 2, 0] 0\n", "[1, 2, 0] 1\n"], said[1].stderr
