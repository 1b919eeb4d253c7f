"""How arrays are handed to the compiled core."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from rankwise.native import DOUBLES, DOUBLES_OUT, INT64S


def read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


@pytest.mark.parametrize(
    "array",
    [np.arange(3.0), np.arange(9.0).reshape(3, 3)[1:], np.empty(0), read_only(np.ones(2))],
    ids=["plain", "from the second row", "empty", "read-only"],
)
def test_c_is_given_the_address_that_numpy_tells(array: np.ndarray) -> None:
    assert (DOUBLES.from_param(array).value or 0) == array.ctypes.data
    gc.collect()
    assert (DOUBLES.from_param(array).value or 0) == array.ctypes.data


def test_maps_of_files_are_arrays(tmp_path: Path) -> None:
    array = np.memmap(tmp_path / "a", dtype=np.float64, mode="w+", shape=(4,))
    assert DOUBLES.from_param(array).value == array.ctypes.data


@pytest.mark.parametrize(
    ("kind", "array", "sentence"),
    [
        (DOUBLES, np.arange(3), "an array of float64 is needed, found int64"),
        (INT64S, np.arange(3.0), "an array of int64 is needed, found float64"),
        (DOUBLES, [1.0], "an array of float64 is needed, found list"),
        (
            DOUBLES,
            np.ma.masked_array([1.0], [True]),
            "an array of float64 is needed, found float64",
        ),
        (DOUBLES, np.arange(9.0).reshape(3, 3)[:, 1], "must be contiguous"),
        (DOUBLES_OUT, read_only(np.ones(2)), "writable where it is written to"),
    ],
    ids=["whole numbers", "doubles", "list", "masked", "column", "read-only"],
)
def test_what_c_cannot_read_is_refused(kind: object, array: object, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        kind.from_param(array)  # type: ignore[attr-defined]
