"""Packed data: written and read to the bit, from text of any kind, and refused where damaged."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.data.formats import letor_chunks
from rankwise.data.formats.packed import MARK, read_packed, write_packed
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError, RankwiseError
from tests.data.sparse_data import data_sets, held_sparse

TEXT = (
    "2 qid:a 1:0.5 2:NULL 3:-0 #docid = D1 inc = 1\n"
    "0 qid:a 1:1e-300 #docid = D2\n"
    "\n# a comment line\n"
    "1.5 qid:b 5:3 #docid = D3\n"
)


def make_full() -> Dataset:
    """Data with everything that they may have but relations."""
    return Dataset(
        features=np.array([[0.1, np.nan], [-0.0, 1e300], [2.0, 3.0]]),
        labels=np.array([0.0, 1.5, 2.0]),
        query_offsets=np.array([0, 2, 3]),
        query_ids=TextColumn.from_texts(["a b", "é"]),
        document_ids=TextColumn.from_texts(["d", "", "f"]),
        comments=TextColumn.from_encoded([b"x", b"\xff", b"\n"]),
        feature_names=("bm25", "length"),
        weights=np.array([1.0, 0.0, 2.5]),
        query_classes=TextColumn.from_texts(["1", "2"]),
        query_features=np.array([[1.0], [np.nan]]),
    )


@given(data_sets())
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, dataset: Dataset
) -> None:
    path = tmp_path_factory.mktemp("packed") / "d.rwd"
    for form in (dataset, held_sparse(dataset)):
        rw.write(form, path)
        found = rw.read(path)
        assert found.in_file is not None
        assert found.equals(dataset)


def test_everything_that_data_have_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "d.rwd"
    rw.write(make_full(), path)
    assert rw.read(path).equals(make_full())
    again = tmp_path / "again.rwd"
    rw.write(rw.read(path), again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("block_bytes", [16, 1 << 22], ids=["a line a chunk", "one chunk"])
@pytest.mark.parametrize("packing", ["plain", "gzip"])
def test_text_becomes_what_reading_it_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int, packing: str
) -> None:
    monkeypatch.setattr(letor_chunks, "BLOCK_BYTES", block_bytes)
    source = tmp_path / "data.txt"
    source.write_bytes(TEXT.encode() if packing == "plain" else gzip.compress(TEXT.encode()))
    found = rw.data.convert(source, tmp_path / "d.rwd")
    assert found.in_file is not None
    assert found.equals(rw.read(source))
    assert found.n_features == 5


def test_sparse_text_zero_based_indices_and_side_files(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse.txt"
    sparse.write_text("".join(f"1 qid:{n} {n + 1}:1\n" for n in range(400)))
    assert rw.data.convert(sparse, tmp_path / "a.rwd").equals(rw.read(sparse))
    bare = tmp_path / "bare.txt"
    bare.write_text("1 0:1 1:2\n0 0:3 1:4\n2 1:5\n")
    (tmp_path / "bare.txt.query").write_text("2\n1\n")
    found = rw.data.convert(bare, tmp_path / "b.rwd", zero_based=True)
    assert found.equals(rw.read(bare, zero_based=True))


def test_classes_that_comments_name_are_kept(tmp_path: Path) -> None:
    classed = replace(make_full(), comments=None, weights=None, query_features=None)
    text = tmp_path / "classed.txt"
    ids = TextColumn.from_texts(["a", "b"])
    rw.write(replace(classed, query_ids=ids, feature_names=None), text)
    found = rw.data.convert(text, tmp_path / "d.rwd")
    assert found.query_classes is not None and [*found.query_classes] == ["1", "2"]
    assert found.equals(rw.read(text))


def test_single_precision_rounds_once_and_is_told(tmp_path: Path) -> None:
    dataset = replace(make_full(), features=np.array([[0.1, np.nan], [-0.0, np.inf], [2.0, 3.0]]))
    rw.write(dataset, tmp_path / "d.rwd", float32=True)
    found = rw.read(tmp_path / "d.rwd")
    rounded = dataset.features.astype(np.float32).astype(np.float64)
    assert found.equals(dataset.with_features(rounded))
    assert found.in_file is not None and found.in_file.is_single
    rw.write(found, tmp_path / "again.rwd")
    assert (tmp_path / "again.rwd").read_bytes() == (tmp_path / "d.rwd").read_bytes()
    with pytest.raises(RankwiseError, match=r"found 1e\+300 in row 2, feature 2"):
        rw.write(make_full(), tmp_path / "e.rwd", float32=True)
    assert not (tmp_path / "e.rwd").exists()
    with pytest.raises(RankwiseError, match=r"single precision is for packed data"):
        rw.write(make_full(), tmp_path / "e.parquet", float32=True)


def test_errors_of_text_leave_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "data.txt", tmp_path / "d.rwd"
    for text, message in (
        ("1 qid:1 1:1\n1 qid:1 1:x\n", "data.txt:2:11"),
        ("1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n", "data.txt:3"),
        ("\n", "at least one row"),
        ("1 qid:1 10001:1\n", "at most 10,000 features, found 10,001"),
    ):
        source.write_text(text)
        with pytest.raises(RankwiseError, match=message):
            rw.data.convert(source, target)
        assert not target.exists()


def test_text_that_would_fill_a_disk_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "data.txt"
    source.write_text("".join(f"1 qid:{n} 1:1\n" for n in range(8000)) + "1 qid:last 9999:1\n")
    with pytest.raises(FormatError, match=r"100 times the text, found 8,001 written features"):
        rw.data.convert(source, tmp_path / "d.rwd")


def test_a_query_that_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "d.rwd"
    twice = Dataset.from_arrays([[1.0], [2.0], [3.0]], [0, 1, 2], group=[1, 1, 1])
    write_packed(replace(twice, query_ids=TextColumn.from_texts(["a", "b", "a"])), path)
    with pytest.raises(FormatError, match="query id 'a' stands for more than one query"):
        rw.read(path)
    assert read_packed(path, repeated_queries="separate").n_queries == 3
    merged = rw.read(path, repeated_queries="merge")
    assert [*merged.query_ids] == ["a", "b"]
    assert merged.features.tolist() == [[1.0], [3.0], [2.0]]


def test_columns_are_named_of_tables_only(tmp_path: Path) -> None:
    write_packed(make_full(), tmp_path / "d.rwd")
    with pytest.raises(RankwiseError, match="packed data have none, found 'q'"):
        rw.read(tmp_path / "d.rwd", query_column="q")


class TestDamage:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        write_packed(make_full(), tmp_path / "d.rwd")
        return tmp_path / "d.rwd"

    def refuse(self, path: Path, content: bytes, message: str) -> None:
        path.write_bytes(content)
        with pytest.raises(FormatError, match=message) as error:
            rw.read(path)
        assert str(path) in str(error.value)
        assert "\n" not in str(error.value)

    def described(self, path: Path, **changes: object) -> bytes:
        """The same file with other things in its description."""
        content = path.read_bytes()
        length = int.from_bytes(content[-24:-16], "little")
        body, text = content[: -24 - length], content[-24 - length : -24]
        changed = json.dumps({**json.loads(text), **changes}).encode()
        return body + changed + len(changed).to_bytes(8, "little") + MARK

    def test_no_byte_may_be_missing_or_too_many(self, path: Path) -> None:
        whole = path.read_bytes()
        for length in range(len(whole)):
            self.refuse(path, whole[:length], "no whole file of packed data")
        self.refuse(path, whole + b"x", "cut off, or more was added")
        self.refuse(path, whole[:16] + whole[17:], "takes .* bytes, found")

    def test_other_files(self, path: Path) -> None:
        self.refuse(path, b"", "it has 0 bytes")
        self.refuse(path, b"1 qid:1 1:1 # a row of LETOR text, longer than that\n", "begin with")

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"rows": 4}, "takes .* bytes, found"),
            ({"rows": 2**53}, "takes .* bytes, found"),
            ({"rows": 2**54}, "its rows cannot be"),
            ({"rows": -1}, "its rows cannot be -1"),
            ({"rows": True}, "its rows cannot be True"),
            ({"rows": 0, "queries": 0}, "must have rows"),
            ({"rows": 1e300}, "its rows cannot be"),
            ({"queries": 3}, "takes .* bytes|at most as many"),
            ({"features": 20_000}, "at most 10,000 features"),
            ({"features": None}, "its features cannot be None"),
            ({"precision": "float16"}, "its precision cannot be"),
            ({"precision": []}, "its precision cannot be"),
            ({"comments": None}, "takes .* bytes"),
            ({"weights": 1}, "its weights cannot be 1"),
            ({"feature_names": ["a"]}, "one name per feature, found 1 for 2"),
            ({"feature_names": "ab"}, "must be texts"),
            ({"more": 1}, "must name rows"),
        ],
    )
    def test_counts_that_lie(self, path: Path, changes: dict[str, object], message: str) -> None:
        self.refuse(path, self.described(path, **changes), message)

    def test_descriptions_that_are_none(self, path: Path) -> None:
        whole = path.read_bytes()
        length = int.from_bytes(whole[-24:-16], "little")
        for text in (b"{", b"[]", b"\xff", b"[" * 100_000, b"1"):
            body = whole[: -24 - length] + text + len(text).to_bytes(8, "little") + MARK
            self.refuse(path, body, "its description")
        body = whole[:-24] + (1 << 60).to_bytes(8, "little") + MARK
        self.refuse(path, body, "cannot have 1152921504606846976 bytes")

    @pytest.mark.parametrize("far", [2**62, -(2**62), -(2**63)])
    def test_offsets_and_ends_that_leave_their_array(self, path: Path, far: int) -> None:
        whole = path.read_bytes()
        offsets = 16 + 6 * 8 + 3 * 8
        ends = offsets + 3 * 8 + 3 * 8 + 2 * 8
        for place, message in ((offsets, "query offsets"), (offsets + 8, "query offsets|rise"),
                               (ends, "query_ids do not end")):  # fmt: skip
            value = far.to_bytes(8, "little", signed=True)
            self.refuse(path, whole[:place] + value + whole[place + 8 :], message)

    def test_labels_that_are_none(self, path: Path) -> None:
        whole = path.read_bytes()
        nan = np.array([np.nan]).tobytes()
        self.refuse(path, whole[:64] + nan + whole[72:], "labels must be finite")
