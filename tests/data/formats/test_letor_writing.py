"""Writing LETOR text: reading, writing and reading again gives the same arrays to the bit."""

from __future__ import annotations

import math
import struct
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankwise import Dataset, read, write
from rankwise.data.formats.letor_writer import fixed, shortest
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

TOKEN = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\r\n#\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028"),
    min_size=1,
    max_size=8,
).filter(lambda text: min(text) > " ")
VALUES = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0, 1).map(lambda value: round(value, 6)),
    st.integers(-1000, 1000).map(float),
)


@st.composite
def datasets(draw):
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    rows, width = sum(lengths), draw(st.integers(1, 5))
    ids = draw(st.lists(TOKEN, min_size=len(lengths), max_size=len(lengths), unique=True))
    documents = draw(st.none() | st.lists(TOKEN, min_size=rows, max_size=rows))
    comments = None if documents is None else [f"docid = {text}" for text in documents]
    return Dataset(
        features=draw(arrays(np.float64, (rows, width), elements=VALUES)),
        labels=draw(arrays(np.float64, rows, elements=st.floats(-9, 9))),
        query_offsets=np.append(0, np.cumsum(lengths)),
        query_ids=TextColumn.from_texts(ids),
        document_ids=None if documents is None else TextColumn.from_texts(documents),
        comments=None if comments is None else TextColumn.from_texts(comments),
    )


@given(datasets(), st.sampled_from(["", ".gz", ".bz2", ".zst"]))
def test_write_then_read_is_the_identity(tmp_path_factory, dataset, ending):
    path = tmp_path_factory.mktemp("written") / f"rows.txt{ending}"
    write(dataset, path)
    again = read(path)
    assert again.equals(dataset)
    write(again, path.with_name("again.txt"))
    assert read(path.with_name("again.txt")).equals(again)


@given(datasets())
def test_parquet_and_frames_are_the_identity(tmp_path_factory, dataset):
    path = tmp_path_factory.mktemp("parquet") / "rows.parquet"
    write(dataset, path)
    assert read(path).equals(dataset)
    assert Dataset.from_frame(dataset.to_pandas()).equals(dataset)
    assert Dataset.from_frame(dataset.to_polars()).equals(dataset)


def test_fewest_places():
    values = np.array([0.1, 0.5, 3.0, 1e-5, 123.456789, 1 / 3, -2.25])
    printed = shortest(values)
    assert printed.places.tolist()[:5] == [1, 1, 0, 5, 6]
    assert printed.digits.tolist()[:5] == [1, 5, 3, 1, 123456789]
    assert (printed.digits[5], printed.places[5]) == (3333333333333333, 16)
    assert (printed.digits[6], printed.places[6]) == (-225, 2)


def test_fixed_places_round_ties_away_from_zero():
    """1/128 = 0.0078125 is an exact tie, printed as 0.007813; the double 5e-7 lies below one."""
    printed = fixed(np.array([1 / 128, -1 / 128, 2 / 3, 0.0000005]), 6)
    assert printed.digits.tolist() == [7813, -7813, 666667, 0]


def fewest_digits(value: float) -> str:
    """The fewest places p for which round(x · 10^p) / 10^p is x, literally; else Python's repr."""
    if math.isnan(value):
        return "NULL"
    negative_zero = value == 0 and math.copysign(1, value) < 0
    if math.isfinite(value) and abs(value) < 2**53 and not negative_zero:
        for places in range(18):
            scaled = np.rint(value * 10.0**places)
            if abs(scaled) <= 2**53 and scaled / 10.0**places == value:
                return f"{Decimal(int(scaled)).scaleb(-places):f}"
    return repr(value)


def six_places(value: float) -> str:
    """Seventeen digits, rounded to six places, ties away from zero; larger ones as Python does."""
    if math.isnan(value):
        return "NULL"
    if math.isfinite(value) and abs(value) * 1e6 < 2**53:
        rounded = Decimal(f"{value:.17g}").quantize(Decimal("0.000001"), ROUND_HALF_UP)
        return f"{abs(rounded) if rounded == 0 else rounded:f}"
    return f"{value:.6f}"


HARD_NUMBERS = st.one_of(
    VALUES,
    st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0]),
    st.tuples(st.integers(0, 10**12), st.integers(-3, 3)).map(
        lambda pair: (pair[0] + 0.5) / 1e6 * (1 + pair[1] * 2.0**-52)
    ),
    st.tuples(st.integers(0, 2**53), st.integers(0, 60)).map(lambda pair: pair[0] / 2.0 ** pair[1]),
    st.tuples(st.integers(2**53 - 10**6, 2**53), st.integers(0, 22)).map(
        lambda pair: pair[0] / 10.0 ** pair[1]
    ),
    st.sampled_from([2.0**power for power in range(-1074, 1024)]),
    st.sampled_from([-0.0, 5e-324, 1e-5, 1e-4, 1e15, 1e16, 1e22, 1e23, 1.7976931348623157e308]),
)


@given(st.lists(HARD_NUMBERS, min_size=1, max_size=200))
def test_numbers_are_printed_by_the_letter_of_the_rule(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("numbers") / "rows.txt"
    dataset = Dataset.from_arrays(
        np.array(values)[:, None], np.zeros(len(values)), qid=[1] * len(values)
    )
    for style, rule in (("shortest", fewest_digits), ("fixed6", six_places)):
        write(dataset, path, numbers=style)
        printed = [line.split(":")[2] for line in path.read_text().splitlines()]
        assert printed == [rule(value) for value in values]


def test_a_row_longer_than_the_room_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr("rankwise.data.formats.letor_writer.ROOM", 64)
    dataset = Dataset.from_arrays(
        np.full((3, 40), 1 / 3), [1, 0, 2], qid=["a", "a", "b"], document_ids=["x" * 99, "y", "z"]
    )
    write(dataset, tmp_path / "rows.txt", numbers="fixed6")
    row = " ".join(f"{index}:0.333333" for index in range(1, 41))
    assert (tmp_path / "rows.txt").read_text().splitlines() == [
        f"1 qid:a {row} #docid = {'x' * 99}",
        f"0 qid:a {row} #docid = y",
        f"2 qid:b {row} #docid = z",
    ]


def test_numbers_in_fixed_style(tmp_path):
    dataset = Dataset.from_arrays([[1 / 128, 0.0], [np.nan, 0.0]], [1, 0], qid=[5, 5])
    write(dataset, tmp_path / "a.txt", numbers="fixed6")
    assert (tmp_path / "a.txt").read_text() == (
        "1 qid:5 1:0.007813 2:0.000000\n0 qid:5 1:NULL 2:0.000000\n"
    )
    write(dataset, tmp_path / "b.txt", numbers="letor3-normalized")
    assert (tmp_path / "b.txt").read_text() == "1 qid:5 1:0.007813 2:0\n0 qid:5 1:NULL 2:0\n"


def test_side_file_and_zero_based(tmp_path):
    dataset = Dataset.from_arrays([[1.0], [2.0], [3.0]], [1, 0, 2], group=[1, 2])
    write(dataset, tmp_path / "rank", side_file=".query", zero_based=True)
    assert (tmp_path / "rank").read_text() == "1 0:1\n0 0:2\n2 0:3\n"
    assert (tmp_path / "rank.query").read_text() == "1\n2\n"
    assert read(tmp_path / "rank", zero_based=True).equals(dataset)


def test_document_ids_without_comments_become_comments(tmp_path):
    dataset = Dataset.from_arrays([[1.0]], [1], qid=["q"], document_ids=["D-7"])
    write(dataset, tmp_path / "rows.txt")
    assert (tmp_path / "rows.txt").read_text() == "1 qid:q 1:1 #docid = D-7\n"


@pytest.mark.parametrize("query_id", ["two words", "", "a#b", "tab\there"])
def test_query_ids_that_cannot_be_written(tmp_path, query_id):
    dataset = Dataset.from_arrays([[1.0]], [1], qid=[query_id])
    with pytest.raises(RankwiseError, match="must not be empty or hold blanks"):
        write(dataset, tmp_path / "rows.txt")
    assert list(tmp_path.iterdir()) == []


def test_real_files_are_rewritten_byte_for_byte(shared, tmp_path):
    ohsumed = shared / "data/letor3/OHSUMED"
    for source, numbers in (
        (ohsumed / "Feature-null/ALL/OHSUMED.txt", "fixed6"),
        (ohsumed / "Feature-min/ALL/OHSUMED.txt", "fixed6"),
        (ohsumed / "QueryLevelNorm/Fold1/train.txt", "letor3-normalized"),
        (shared / "data/letor4/MQ2008/Fold1/train.txt", "fixed6"),
    ):
        write(read(source), tmp_path / "copy.txt", numbers=numbers)
        assert (tmp_path / "copy.txt").read_bytes() == source.read_bytes()
