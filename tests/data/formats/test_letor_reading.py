"""Reading LETOR text: what is tolerated, what is understood, and the same bits as Python."""

from __future__ import annotations

import bz2
import gzip
import math
import struct
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.formats import letor_chunks
from rankwise.data.formats.letor_reader import read_letor
from rankwise.errors import RankwiseError


@pytest.fixture
def read_text(tmp_path: Path):
    def read(text: str | bytes, **options):
        path = tmp_path / "rows.txt"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_letor(path, **options)

    return read


def test_a_row_has_label_query_features_and_comment(read_text):
    dataset = read_text("2 qid:10 1:0.5 2:-3 #docid = GX1 inc = 1 prob = 0.25\n")
    assert dataset.labels.tolist() == [2.0]
    assert dataset.features.tolist() == [[0.5, -3.0]]
    assert list(dataset.query_ids) == ["10"]
    assert list(dataset.document_ids) == ["GX1"]
    assert list(dataset.comments) == ["docid = GX1 inc = 1 prob = 0.25"]


def test_absent_index_is_zero_and_null_is_nan(read_text):
    dataset = read_text("0 qid:1 3:7\n1 qid:1 1:NULL 2:null\n")
    assert dataset.features[0].tolist() == [0.0, 0.0, 7.0]
    assert np.isnan(dataset.features[1, :2]).all()
    assert dataset.features[1, 2] == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "1 qid:a 1:2 2:3\n0 qid:a 1:4 2:5\n",
        "1 qid:a 1:2 2:3\r\n0 qid:a 1:4 2:5\r\n",
        "1 qid:a 1:2 2:3\n0 qid:a 1:4 2:5",
        "\n\n1 qid:a 1:2 2:3\n   \n0 qid:a 1:4 2:5\n\n",
        "# head\n1 qid:a 1:2 2:3\n  # middle 1:9\n0 qid:a 1:4 2:5\n#",
        "1\tqid:a\t1:2\t2:3 \t \n 0  qid:a   1:4 2:5  \r\n",
        "\ufeff1 qid:a 1:2 2:3\n0 qid:a 1:4 2:5\n",
        "1.0 qid:a 2:3 1:2\n0 qid:a 2:5 1:4\n",
        "+1 qid:a 1:2e0 2:0.3E1\n0e5 qid:a 1:+4 2:5.\n",
    ],
)
def test_layouts_that_mean_the_same(read_text, text):
    dataset = read_text(text)
    assert dataset.labels.tolist() == [1.0, 0.0]
    assert dataset.features.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert list(dataset.query_ids) == ["a"]
    assert dataset.query_offsets.tolist() == [0, 2]


def test_query_ids_are_any_token(read_text):
    dataset = read_text("1 qid:007 1:1\n1 qid:7 1:1\n1 qid:MQ-7:1 1:1\n1 qid:é/% 1:1\n")
    assert list(dataset.query_ids) == ["007", "7", "MQ-7:1", "é/%"]
    assert dataset.n_features == 1


def test_decimal_labels(read_text):
    assert read_text("0.07 qid:1 1:1\n3.5 qid:1 1:1\n").labels.tolist() == [0.07, 3.5]


def test_rows_without_features(read_text):
    dataset = read_text("1 qid:1\n0 qid:1 #docid = b\n")
    assert dataset.features.shape == (2, 0)
    assert dataset.document_ids is None
    assert list(dataset.comments) == ["", "docid = b"]


def test_zero_based_only_when_asked_for(read_text):
    assert read_text("1 qid:1 0:5 2:6\n", zero_based=True).features.tolist() == [[5.0, 0.0, 6.0]]


def test_at_least_so_many_features(read_text):
    assert read_text("1 qid:1 1:5\n", n_features=3).features.tolist() == [[5.0, 0.0, 0.0]]


def test_document_id_elsewhere_in_the_comment(read_text):
    dataset = read_text("1 qid:1 1:5 # rank 3 docid=X-1 inc=1\n0 qid:1 1:5 #docid =  Y\n")
    assert list(dataset.document_ids) == ["X-1", "Y"]


def test_repeated_queries_by_policy(read_text):
    text = "1 qid:a 1:1\n2 qid:b 1:2\n3 qid:a 1:3\n"
    with pytest.raises(RankwiseError, match=r"rows\.txt:3:7: .*'a' again, first seen in line 1"):
        read_text(text)
    separate = read_text(text, repeated_queries="separate")
    assert list(separate.query_ids) == ["a", "b", "a"]
    merged = read_text(text, repeated_queries="merge")
    assert list(merged.query_ids) == ["a", "b"]
    assert merged.labels.tolist() == [1.0, 3.0, 2.0]
    assert merged.query_offsets.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".zst", lambda data: zstandard.ZstdCompressor().compress(data)),
    ],
)
def test_compressed_files(tmp_path, ending, pack):
    text = b"1 qid:1 1:0.25\n0 qid:2 1:0.75\n"
    path = tmp_path / f"rows.txt{ending}"
    path.write_bytes(pack(text))
    assert read_letor(path).features.tolist() == [[0.25], [0.75]]
    path.write_bytes(pack(text[:15]) + pack(text[15:]))
    assert read_letor(path).features.tolist() == [[0.25], [0.75]]
    path.write_bytes(pack(text * 500)[:-9])
    with pytest.raises(RankwiseError, match=r"ends too early|damaged"):
        read_letor(path)


@pytest.mark.parametrize("ending", [".query", ".group"])
def test_side_files(tmp_path, ending):
    path = tmp_path / "rank.train"
    path.write_text("1 1:1\n0 1:2\n2 1:3\n")
    Path(f"{path}{ending}").write_text("1\n2\n")
    dataset = read_letor(path)
    assert dataset.query_offsets.tolist() == [0, 1, 3]
    assert list(dataset.query_ids) == ["1", "2"]


def test_chunks_join_without_a_seam(tmp_path, monkeypatch):
    """Blocks of a few bytes: every row, query run, comment and gap crosses a boundary somewhere."""
    rng = np.random.default_rng(3)
    rows, expected = [], []
    for row in range(300):
        values = rng.integers(0, 100, 4).tolist()
        rows.append(
            f"{row % 3} qid:{row // 7} " + " ".join(f"{i + 1}:{v}" for i, v in enumerate(values))
        )
        rows[-1] += f" #docid = D{row}"
        if row % 11 == 0:
            rows.append("# a remark 9:9" if row % 2 else "")
        expected.append(values)
    path = tmp_path / "rows.txt"
    path.write_text("\n".join(rows))
    whole = read_letor(path)
    for size in (16, 50, 333):
        monkeypatch.setattr(letor_chunks, "BLOCK_BYTES", size)
        cut = read_letor(path)
        assert cut.equals(whole)
        assert cut.features.tolist() == expected
        assert list(cut.document_ids) == [f"D{row}" for row in range(300)]
        assert cut.n_queries == 43


def test_threads_take_turns_where_the_system_cannot_read_at_a_position(tmp_path, monkeypatch):
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"1 qid:{row} 1:{row}\n" for row in range(200)))
    monkeypatch.setattr(letor_chunks, "BLOCK_BYTES", 64)
    monkeypatch.delattr("os.preadv")
    assert read_letor(path).features[:, 0].tolist() == list(range(200))


def test_width_beyond_the_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(letor_chunks, "BLOCK_BYTES", 64)
    monkeypatch.setattr(letor_chunks, "SAMPLE_BYTES", 8)
    rows = [f"1 qid:{row} 1:1" for row in range(100)] + ["1 qid:last 1:1 9:5"]
    path = tmp_path / "rows.txt"
    path.write_text("\n".join(rows))
    dataset = read_letor(path)
    assert dataset.n_features == 9
    assert dataset.features[-1, 8] == 5.0


@pytest.mark.parametrize("sample", [8, 40, 200])
def test_what_looks_like_a_feature_in_a_comment_is_none(tmp_path, monkeypatch, sample):
    monkeypatch.setattr(letor_chunks, "SAMPLE_BYTES", sample)
    comment = " ".join(f"{index}:1" for index in range(90, 99))
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"1 qid:{row} 1:1 2:3 #{comment}\n" for row in range(50)))
    dataset = read_letor(path)
    assert dataset.features.tolist() == [[1, 3]] * 50


def test_more_rows_than_the_samples_promise(tmp_path, monkeypatch):
    """Long lines where samples are taken, short ones elsewhere: rows outgrow the first arrays."""
    monkeypatch.setattr(letor_chunks, "BLOCK_BYTES", 256)
    monkeypatch.setattr(letor_chunks, "SAMPLE_BYTES", 8)
    rows = ["1 qid:0 1:1 #" + "x" * 500, *(f"1 qid:{row} 1:{row}" for row in range(1, 500))]
    path = tmp_path / "rows.txt"
    path.write_text("\n".join(rows))
    dataset = read_letor(path)
    assert dataset.features[:, 0].tolist() == [1, *range(1, 500)]
    assert list(dataset.query_ids) == [str(row) for row in range(500)]


def test_a_line_longer_than_many_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(letor_chunks, "BLOCK_BYTES", 64)
    monkeypatch.setattr(letor_chunks, "LOOK_BYTES", 16)
    long = " ".join(f"{index}:{index}" for index in range(1, 400))
    path = tmp_path / "rows.txt"
    path.write_text(f"1 qid:1 1:1\n2 qid:1 {long}\n3 qid:2 2:1")
    dataset = read_letor(path)
    assert dataset.labels.tolist() == [1, 2, 3]
    assert dataset.features[1].tolist() == list(range(1, 400))


@pytest.mark.parametrize("index", ["00000000000000001", "0" * 5000 + "1"])
def test_leading_zeros_of_an_index_say_nothing(read_text, index):
    assert read_text(f"1 qid:1 {index}:5\n").features.tolist() == [[5.0]]


def test_an_index_after_a_carriage_return(read_text):
    assert read_text("1 qid:1\r5:3\n").features.tolist() == [[0, 0, 0, 0, 3.0]]


def test_few_rows_of_a_large_index_take_no_memory_that_is_not_used(read_text):
    rows = "".join(f"1 qid:1 1:1 1000000:{row}\n" for row in range(20))
    dataset = read_text(rows)
    assert dataset.features.shape == (20, 1_000_000)
    assert dataset.features[:, -1].tolist() == list(range(20))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("count_lines", lambda text: (2, 15)),
        ("LetorFile._line_end", lambda file, position: 20),
    ],
)
def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch, name, found):
    """More lines than were counted, or a line that no longer ends where it did."""
    path = tmp_path / "rows.txt"
    path.write_text("1 qid:1 1:1 2:2\n2 qid:1 1:1 2:2\n")
    monkeypatch.setattr(f"rankwise.data.formats.letor_chunks.{name}", found)
    with pytest.raises(RankwiseError, match="the file changed while it was read"):
        read_letor(path)


finite = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.one_of(
    finite.map(repr),
    finite.map(lambda v: f"{v:.25e}"),
    st.decimals(allow_nan=False, allow_infinity=False, places=9).map(str),
    st.integers().map(str),
    st.tuples(st.integers(1, 10**40), st.integers(-400, 400)).map(lambda p: f"{p[0]}e{p[1]}"),
)


@given(st.lists(NUMBERS, min_size=1, max_size=400))
def test_numbers_have_the_bits_that_python_gives_them(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("numbers") / "rows.txt"
    path.write_text("".join(f"0 qid:1 1:{text}\n" for text in texts))
    read = read_letor(path).features[:, 0]
    assert read.tobytes() == np.array([float(text) for text in texts]).tobytes()


def middle_of(double: float) -> Decimal:
    """The exact middle of a double and the next larger one."""
    after = Decimal(math.nextafter(double, math.inf)) if double < sys.float_info.max else 2**1024
    with localcontext() as context:
        context.prec = 1200
        return (Decimal(double) + after) / 2


@pytest.mark.parametrize(
    "double",
    [0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 0.1, 1.0, 3.0, 2**53 + 2.0, 1e23, 1e300,
     sys.float_info.max],
)  # fmt: skip
def test_the_middle_of_two_doubles_to_the_last_digit(tmp_path, double):
    """Up to 768 digits decide: exactly the middle goes to the even one, any digit more upwards."""
    with localcontext() as context:
        context.prec = 1200
        middle = middle_of(double)
        digits = f"{middle:e}"
        mantissa, _, exponent = digits.partition("e")
        mantissa += "" if "." in mantissa else "."
        below = f"{middle - Decimal(10) ** (int(exponent) - 900):e}"
    texts = [digits, f"{mantissa}{'0' * 900}1e{exponent}", below, f"{middle:f}"]
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"0 qid:1 1:{text}\n" for text in texts))
    read = read_letor(path).features[:, 0]
    assert read.tobytes() == np.array([float(text) for text in texts]).tobytes()
    assert read[1] == math.nextafter(double, math.inf) and read[2] == double


def test_an_exponent_that_makes_up_for_many_zeros(read_text):
    zeros = "0" * 200_000
    dataset = read_text(f"0 qid:1 1:0.{zeros}1e200001 2:1{zeros}e-200000 3:1e-{zeros}1\n")
    assert dataset.features.tolist() == [[1.0, 1.0, 0.1]]


def test_hard_numbers(tmp_path):
    """Halfway cases, subnormals and long digit strings."""
    rng = np.random.default_rng(11)
    bits = rng.integers(0, 2**63, 3000, dtype=np.int64)
    doubles = [struct.unpack("<d", struct.pack("<q", int(b)))[0] for b in bits]
    doubles = [value for value in doubles if math.isfinite(value)]
    texts = [repr(value) for value in doubles] + [f"{value:.40e}" for value in doubles]
    texts += [f"{2**53 + k}e{e}" for k in (1, 3) for e in range(-30, 30)]
    texts += ["4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400", "1e400"]
    texts += [
        "179769313486231580793e289",
        "0.000000000000000000000000000000000000001",
        "-0.0",
        "inf",
    ]
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"0 qid:1 1:{text}\n" for text in texts))
    read = read_letor(path).features[:, 0]
    assert read.tobytes() == np.array([float(text) for text in texts]).tobytes()
