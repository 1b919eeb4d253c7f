from __future__ import annotations

import bz2
import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.formats.score_files import read_scores
from rankwise.errors import RankwiseError


def scores_file(folder: Path, text: str) -> Path:
    path = folder / "a.scores"
    path.write_text(text, newline="")
    return path


@pytest.mark.parametrize("text", ["1\n-2.5\n3e-2\n", "1\r\n-2.5\r\n3e-2\r\n", "1\n-2.5\n3e-2\n\n "])
def test_one_score_a_line(tmp_path: Path, text: str) -> None:
    assert read_scores(scores_file(tmp_path, text), 3).values.tolist() == [1, -2.5, 0.03]


def test_compressed_files(tmp_path: Path) -> None:
    import zstandard

    text = b"1\n2\n"
    packed = {"gz": gzip.compress(text), "bz2": bz2.compress(text),
              "zst": zstandard.ZstdCompressor().compress(text)}  # fmt: skip
    for ending, content in packed.items():
        path = tmp_path / f"a.{ending}"
        path.write_bytes(content)
        assert read_scores(path, 2).values.tolist() == [1, 2]


@given(st.lists(st.floats(allow_nan=False)))
def test_written_scores_are_read_back(values: list[float]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = scores_file(Path(folder), "".join(f"{value!r}\n" for value in values))
        np.testing.assert_array_equal(read_scores(path).values, values)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1\n", "found 1 scores for 2 rows"),
        ("1\n2\n3\n", "3 scores for 2 rows; are they the scores of another file or fold?"),
        ("1\nabc\n", "a.scores:2: expected one score, a number, found 'abc'"),
        ("1\n2 3\n", "a.scores:2: expected one score, a number, found '2 3'"),
        ("1\n\n2\n", "found 3 scores for 2 rows"),
        ("1_0\n2\n", "a.scores:1: expected one score, a number, found '1_0'"),
        ("1\nnan\n", "a.scores:2: scores must be numbers, found 'nan'; 1 of 2 scores are NaN"),
        ("", "found 0 scores for 2 rows"),
    ],
)
def test_what_is_wrong_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(RankwiseError) as caught:
        read_scores(scores_file(tmp_path, text), 2)
    assert sentence in str(caught.value)


def test_a_blank_line_in_between_is_no_score(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="expected one score, a number, found ''"):
        read_scores(scores_file(tmp_path, "1\n\n2\n"))


def test_surplus_scores_are_counted(tmp_path: Path) -> None:
    scores = read_scores(scores_file(tmp_path, "1\n2\n3\n"), 2, reading="surplus")
    assert scores.values.tolist() == [1, 2] and scores.surplus == 1


def test_numbers_as_perl_reads_them(tmp_path: Path) -> None:
    text = "1 5\nabc\n\n0x10\ninf\n-3.5e2xyz\n.5\n"
    values = read_scores(scores_file(tmp_path, text), 7, reading="prefix").values
    assert values.tolist() == [1, 0, 0, 0, math.inf, -350, 0.5]


@pytest.mark.parametrize(("rule", "value"), [("last", -math.inf), ("first", math.inf), ("zero", 0)])
def test_rules_for_nan(tmp_path: Path, rule: str, value: float) -> None:
    scores = read_scores(scores_file(tmp_path, "1\nnan\n"), 2, nan=rule)  # type: ignore[arg-type]
    assert scores.values.tolist() == [1, value] and scores.replaced == 1


def test_large_whole_numbers_are_kept(tmp_path: Path) -> None:
    text = "9007199254740993\n9007199254740992\n12\n9007199254740993.0\n1e300\n"
    scores = read_scores(scores_file(tmp_path, text), 5)
    assert scores.large_integers == {0: 9007199254740993, 1: 9007199254740992}


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="there is no such file"):
        read_scores(tmp_path / "none", 1)


@pytest.mark.parametrize("sign", ["", "-", "+"])
def test_whole_numbers_after_thousands_of_zeros(tmp_path: Path, sign: str) -> None:
    """Python refuses to make an integer of more than 4,300 digits; these have 16 that count."""
    text = f"{sign}{'0' * 5000}9007199254740993\n{sign}{'9' * 5000}\n"
    scores = read_scores(scores_file(tmp_path, text), 2)
    size = -9007199254740993 if sign == "-" else 9007199254740993
    assert scores.large_integers == {0: size}
    assert scores.values[1] == (-math.inf if sign == "-" else math.inf)


def test_the_largest_whole_numbers_of_64_bits(tmp_path: Path) -> None:
    """Up to 2^64 as a double: the last 1,024 whole numbers below it are rounded up to it."""
    largest = 2**64 - 1025
    text = f"{largest}\n{-largest}\n{largest + 1}\n"
    assert read_scores(scores_file(tmp_path, text), 3).large_integers == {0: largest, 1: -largest}


SCORES = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.text(" \t\r\x0b\x0c+-.0123456789eEinfatyx_", max_size=12),
    st.sampled_from(["nan", "-NaN", "inf", "+Infinity", "infin", "1e", " 1 ", "1\r", "0x1"]),
)


@given(st.lists(SCORES, min_size=1, max_size=30))
def test_a_line_is_a_number_where_python_says_so(texts: list[str]) -> None:
    """But for underscores, and for NaN where all lines are numbers."""
    import tempfile

    texts.append("0")
    expected = [_python_number(text) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        path = scores_file(Path(folder), "".join(f"{text}\n" for text in texts))
        wrong = [number for number, value in enumerate(expected, 1) if value is None] or [
            number for number, value in enumerate(expected, 1) if value != value
        ]
        if wrong:
            with pytest.raises(RankwiseError, match=rf":{wrong[0]}: (expected one|scores must)"):
                read_scores(path)
        else:
            assert read_scores(path).values.tolist() == expected


def _python_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if "_" in text else value


def test_a_long_line_is_shown_in_part(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError) as caught:
        read_scores(scores_file(tmp_path, "x" * 5000))
    assert str(caught.value).endswith(f"found '{'x' * 40}…'")


def test_rules_of_reading_that_there_are_not_are_refused(tmp_path: Path) -> None:
    path = scores_file(tmp_path, "1\n2\n3\n")
    wrong: Any = "loose"
    with pytest.raises(RankwiseError, match="reading must be one of strict, surplus, prefix"):
        read_scores(path, 2, reading=wrong)
    with pytest.raises(RankwiseError, match="nan must be one of error, last, first, zero"):
        read_scores(path, nan=wrong)
