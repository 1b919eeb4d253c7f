"""Sparse LETOR text: the same bits, the same sentences and the same text as in the dense form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data import Dataset, write
from rankwise.data import sparse_features as rule
from rankwise.data.formats import letor_chunks
from rankwise.data.formats.letor_reader import read_letor
from rankwise.data.sparse_features import same_bits
from rankwise.errors import FormatError

from ..sparse_data import data_sets, held_sparse

VALUES = st.sampled_from(["0", "-0", "NULL", "1", "0.1", "-2.5e-300", "1e22", "00", "+3", "0.30"])
CELLS = st.dictionaries(st.integers(1, 60), VALUES, max_size=5)


def in_form(patch: pytest.MonkeyPatch, sparse: bool) -> None:
    """Have the reader take one form for everything."""
    patch.setattr(letor_chunks, "is_sparse", lambda *size: sparse)
    patch.setattr(letor_chunks, "_seems_sparse", lambda *size: sparse)


@given(rows=st.lists(st.tuples(CELLS, st.randoms()), min_size=1, max_size=8))
def test_both_forms_have_the_same_bits(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("sparse") / "rows.txt"
    lines = []
    for cells, random in rows:
        shuffled = random.sample(sorted(cells.items()), len(cells))
        lines.append(" ".join(["1 qid:1", *(f"{index}:{value}" for index, value in shuffled)]))
    path.write_text("\n".join(lines) + "\n")
    found = {}
    for sparse in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            in_form(patch, sparse)
            found[sparse] = read_letor(path)
        assert (found[sparse].sparse is not None) == sparse
    assert found[True].equals(found[False])
    width = max([index for cells, _ in rows for index in cells], default=0)
    expected = np.zeros((len(rows), width))
    for row, (cells, _) in zip(expected, rows, strict=True):
        for index, value in cells.items():
            row[index - 1] = math.nan if value == "NULL" else float(value)
    assert same_bits(found[True].features, expected)


@given(dense=data_sets())
def test_what_is_written_reads_back(tmp_path_factory, dense):
    path = tmp_path_factory.mktemp("sparse") / "rows.txt"
    sparse = held_sparse(dense)
    write(sparse, path)
    assert read_letor(path).equals(dense)
    write(sparse, path, zero_based=True, side_file=".query")
    again = read_letor(path, zero_based=True)
    assert same_bits(again.features, dense.features)
    assert again.query_offsets.tolist() == dense.query_offsets.tolist()


def test_only_what_is_not_zero_is_written_and_the_last_feature_once(tmp_path):
    features = np.array([[0.0, 2.5, 0.0, 0.0], [-0.0, 0.0, np.nan, 0.0], [0.0, 0.0, 0.0, 0.0]])
    sparse = held_sparse(Dataset.from_arrays(features, [1, 0, 2], ["a", "a", "b"]))
    write(sparse, tmp_path / "rows.txt")
    expected = "1 qid:a 2:2.5 4:0\n0 qid:a 1:-0.0 3:NULL\n2 qid:b\n"
    assert (tmp_path / "rows.txt").read_text() == expected
    write(sparse, tmp_path / "rows.txt", numbers="fixed6")
    assert "2:2.500000" in (tmp_path / "rows.txt").read_text()


def test_large_sparse_data_are_written_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("rankwise.data.formats.letor_writer.CELLS_AT_ONCE", 5)
    monkeypatch.setattr("rankwise.data.formats.letor_writer.ROOM", 64)
    rng = np.random.default_rng(0)
    features = np.where(rng.random((40, 50)) < 0.1, rng.random((40, 50)), 0.0)
    sparse = held_sparse(Dataset.from_arrays(features, np.arange(40) % 3, np.arange(40) // 4))
    write(sparse, tmp_path / "rows.txt")
    assert read_letor(tmp_path / "rows.txt").equals(sparse)


@pytest.mark.parametrize("late", [False, True])
def test_a_large_index_in_few_rows_makes_the_data_sparse(tmp_path, monkeypatch, late):
    """300 rows with a feature 1,000,000 would be 2.2 GiB; the reader may see it late."""
    if late:
        monkeypatch.setattr(letor_chunks, "SAMPLE_BYTES", 4)
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"1 qid:1 1:1 1000000:{row}\n" for row in range(300)))
    dataset = read_letor(path)
    assert dataset.sparse is not None
    assert dataset.n_features == 1_000_000
    assert dataset.sparse.column(999_999).tolist() == list(range(300))


@pytest.mark.parametrize("order", [1, -1])
def test_chunks_of_both_kinds_become_one_data_set(tmp_path, monkeypatch, order):
    """Rows that write all of their ten features, and rows with a feature far away."""
    monkeypatch.setattr(letor_chunks, "BLOCK_BYTES", 200)
    monkeypatch.setattr(letor_chunks, "SAMPLE_BYTES", 50)
    full = [" ".join(f"{index}:{row + index}" for index in range(1, 11)) for row in range(30)]
    far = [f"3:{row} {20_000 + row}:1" for row in range(30)]
    path = tmp_path / "rows.txt"
    rows = full + far if order > 0 else far + full
    path.write_text("".join(f"1 qid:1 {cells}\n" for cells in rows))
    dataset = read_letor(path)
    assert dataset.sparse is not None
    monkeypatch.setattr(rule, "WIDE", 10**9)
    dense = read_letor(path)
    assert dense.sparse is None
    assert dense.equals(dataset)


@pytest.mark.parametrize(
    "row",
    [
        "1 qid:1 5:1 3:2 5:4",
        "1 qid:1 5:x",
        "1 qid:1 five:1",
        "1 qid:1 0:1",
        "1 qid:1 5:1 99999999:1",
        "x qid:1 5:1",
        "1 5:1",
    ],
)
def test_the_sentence_for_a_wrong_row_is_the_same(tmp_path, monkeypatch, row):
    path = tmp_path / "rows.txt"
    path.write_text(f"1 qid:1 2:1\n{row}\n")
    sentences = set()
    for sparse in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            in_form(patch, sparse)
            with pytest.raises(FormatError, match=r"rows\.txt:2:") as error:
                read_letor(path)
        sentences.add(str(error.value))
    assert len(sentences) == 1
