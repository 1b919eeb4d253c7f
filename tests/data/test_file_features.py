"""Features that stay in their file: what is read, when, and what happens to the file meanwhile."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data import feature_matrix
from rankwise.data.dataset import Dataset
from rankwise.data.feature_matrix import FileFeatures
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError


@pytest.fixture(autouse=True, params=[1, 1 << 20], ids=["a row a block", "one block"])
def block_cells(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_matrix, "BLOCK_CELLS", request.param)
    monkeypatch.setattr(feature_matrix, "CELLS_AT_ONCE", request.param)


@pytest.fixture
def array() -> Dataset:
    return rw.normalize(make_dataset(6, seed=3), "min").with_feature_names(None)


@pytest.fixture
def packed(array: Dataset, tmp_path: Path) -> Dataset:
    rw.write(array, tmp_path / "d.rwd")
    return rw.read(tmp_path / "d.rwd")


def held(dataset: Dataset) -> FileFeatures:
    """The features, which must be in a file, and never have been made an array."""
    assert dataset.in_file is not None
    assert "features" not in vars(dataset)
    return dataset.in_file


@pytest.mark.parametrize("chosen", [slice(1, 4), [5, 0, 3], [2], slice(0, 6, 2), slice(2, 2)])
def test_choosing_queries_reads_nothing(array: Dataset, packed: Dataset, chosen: object) -> None:
    found = packed.select_queries(chosen)  # type: ignore[arg-type]
    assert held(found).file is held(packed).file
    assert found.equals(array.select_queries(chosen))  # type: ignore[arg-type]
    assert "features" not in vars(found)


def test_parts_of_one_file_are_joined_where_they_are(array: Dataset, packed: Dataset) -> None:
    parts = [packed.select_queries([4, 1]), packed.select_queries([0])]
    joined = rw.data.concatenate(parts)
    assert held(joined).file is held(packed).file
    assert joined.equals(array.select_queries([4, 1, 0]))


def test_parts_of_several_files_come_into_one(array: Dataset, packed: Dataset) -> None:
    first, last = array.select_queries(slice(0, 2)), packed.select_queries(slice(2, 6))
    assert rw.data.concatenate([first, last]).equals(array)
    joined = rw.data.concatenate([first, last])
    assert held(joined).file is not held(packed).file


def test_other_columns_come_into_a_file_of_their_own(array: Dataset, packed: Dataset) -> None:
    width = array.n_features
    wide = packed.widened(width + 2)
    assert held(wide).shape == (array.n_documents, width + 2)
    assert wide.equals(array.widened(width + 2))
    names = [f"f{n}" for n in range(width)]
    backwards = packed.with_feature_names(names).ordered_as(names[::-1], "the model")
    assert held(backwards).read().tolist() == array.features[:, ::-1].tolist()
    assert packed.column(2).tolist() == array.features[:, 2].tolist()
    other = held(packed).replace_column(1, array.labels).read()
    assert other[:, 1].tolist() == array.labels.tolist()
    added, expected = (rw.data.add_feature(one, array.labels, "new") for one in (packed, array))
    held(added.dataset)
    assert added.dataset.equals(expected.dataset)


def test_queries_one_at_a_time(array: Dataset, packed: Dataset) -> None:
    for mine, its in zip(packed.queries(), array.queries(), strict=True):
        assert (mine.id, mine.features.tolist()) == (its.id, its.features.tolist())
    held(packed)


@pytest.mark.parametrize("chosen", [slice(1, 4), [5, 0, 3]])
def test_the_array_is_mapped_where_it_is_large(
    array: Dataset, packed: Dataset, monkeypatch: pytest.MonkeyPatch, chosen: object
) -> None:
    monkeypatch.setattr(feature_matrix, "ALWAYS_DENSE", 0)
    found = packed.select_queries(chosen)  # type: ignore[arg-type]
    features = found.features
    assert isinstance(features.base, np.memmap)
    assert not features.flags.writeable
    assert features.tolist() == array.select_queries(chosen).features.tolist()  # type: ignore[arg-type]


def test_another_process_opens_the_file_again(packed: Dataset, tmp_path: Path) -> None:
    again = pickle.loads(pickle.dumps(packed.select_queries([3, 1])))
    assert again.equals(packed.select_queries([3, 1]))
    scaled = rw.normalize(packed, "z-score")
    with pytest.raises(RankwiseError, match="a file without a name cannot be sent"):
        pickle.dumps(scaled)
    sent = pickle.dumps(packed)
    rw.write(packed.select_queries([0]), tmp_path / "d.rwd")
    with pytest.raises(RankwiseError, match="the file changed while it was used"):
        pickle.loads(sent)


def test_a_file_that_is_replaced_stays_what_it_was(
    array: Dataset, packed: Dataset, tmp_path: Path
) -> None:
    rw.write(packed.select_queries([2]), tmp_path / "d.rwd")
    assert packed.equals(array)
    assert rw.read(tmp_path / "d.rwd").equals(array.select_queries([2]))


def test_a_file_that_becomes_shorter_is_told(packed: Dataset, tmp_path: Path) -> None:
    with (tmp_path / "d.rwd").open("r+b") as stream:
        stream.truncate(100)
    with pytest.raises(RankwiseError, match="became shorter while it was read"):
        rw.describe(packed)


def test_a_full_disk_is_told(packed: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("wb") as full:
        monkeypatch.setattr(feature_matrix, "open_spill", lambda: full)
        with pytest.raises(RankwiseError, match="make room there, or set TMPDIR to another disk"):
            rw.normalize(packed, "sum")


def test_other_values_are_other_data(array: Dataset, packed: Dataset) -> None:
    other = array.features.copy()
    other[-1, -1] += 1.0
    assert not packed.equals(array.with_features(other))
    assert not array.with_features(other).equals(packed)
    assert not packed.equals(array.widened(array.n_features + 1))
