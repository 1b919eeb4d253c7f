"""Packed data: features are read from their file in blocks, so that they need not fit into memory.

`packed_layout` says what stands where in it. Labels, ids and comments are in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.file_features import FLOAT32, FLOAT64, FileFeatures, RowFile, open_to_keep
from rankwise.data.formats.packed_layout import (
    LONGEST_DESCRIPTION,
    MARK,
    TAIL_BYTES,
    TEXTS,
    PackedDescription,
    parse_description,
)
from rankwise.data.joining import check_unique_queries, merge_repeated_queries
from rankwise.data.placed_reading import PlacedReader
from rankwise.data.sparse_features import WIDE, SparseFeatures
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import reading_failure, written_whole


def read_packed(path: str | Path, *, repeated_queries: str = "error") -> Dataset:
    """Open packed data; the features stay in the file, which is held open.

    `repeated_queries` is what a query id that stands for two queries means, as in `read_letor`.
    """
    reader = PlacedReader(path, open_to_keep(path))
    try:
        dataset = _read(reader, Path(path))
        if repeated_queries == "merge":
            return merge_repeated_queries(dataset)
        if repeated_queries == "error":
            check_unique_queries(dataset)
        return dataset
    except FormatError:
        raise
    except OSError as error:
        raise RankwiseError(reading_failure(path, error)) from error
    except (ValueError, RankwiseError) as error:
        raise FormatError(f"this is no whole file of packed data: {error}", path) from error


def write_packed(dataset: Dataset, path: str | Path, *, float32: bool = False) -> None:
    """Write packed data, whole or not at all, some rows at a time; relations are not among them.

    Features are doubles, or singles where `float32` asks for them or where the data hold singles.
    """
    if isinstance(dataset.stored, SparseFeatures):
        refuse_wide(dataset.n_features)
        dataset = dataset.to_dense()
    single = float32 or (dataset.in_file is not None and dataset.in_file.is_single)
    with packed_writer(path, dataset.n_features, single) as writer:
        for _, _, values in dataset.row_blocks():
            writer.add(values)
        writer.finish(dataset)


def refuse_wide(features: int) -> None:
    """Refuse rows of which every cell would be written though nearly all are 0."""
    if features > WIDE:
        raise RankwiseError(
            f"packed data write every cell of at most {WIDE:,} features, found {features:,}; leave "
            "such data in LETOR text, which is read sparse, or keep fewer features"
        )


@contextmanager
def packed_writer(path: str | Path, width: int, single: bool) -> Iterator[PackedWriter]:
    """A file of packed data in the making; it takes its place when all is written."""
    refuse_wide(width)
    with written_whole(path) as stream:
        yield PackedWriter(stream, width, single)


class PackedWriter:
    """Takes rows as they come, and what else a data set has at the end."""

    def __init__(self, stream: BinaryIO, width: int, single: bool) -> None:
        self.width = width
        self._stream = stream
        self._dtype = FLOAT32 if single else FLOAT64
        self._rows = 0
        stream.write(MARK)

    def add(self, values: NDArray[np.float64]) -> None:
        """Write the features of some rows; those that are narrower have 0 in their last ones."""
        if values.shape[1] > self.width:
            raise RankwiseError("the file changed while it was read: its rows became wider")
        room = np.zeros((len(values), self.width), self._dtype)
        with np.errstate(over="ignore"):
            room[:, : values.shape[1]] = values
        if self._dtype == FLOAT32 and bool(np.isinf(room).any()):
            self._refuse_infinite(values, room)
        self._stream.write(room.data)
        self._rows += len(values)

    def features(self) -> FileFeatures:
        """The rows that were written, for a data set of them."""
        reader = PlacedReader("packed data in the making", self._stream)
        file = RowFile(None, reader, len(MARK), self.width, self._dtype)
        return FileFeatures(file, range(self._rows))

    def finish(self, dataset: Dataset, names: tuple[str, ...] | None = None) -> None:
        """Write everything else of the data set whose rows were written; `names` if it has none."""
        texts = {name: getattr(dataset, name) for name in TEXTS}
        packed = {name: None if one is None else one.packed() for name, one in texts.items()}
        sizes: dict[str, Any] = {
            name: None if one is None else len(one.data) for name, one in packed.items()
        }
        described = PackedDescription(
            rows=self._rows,
            features=self.width,
            queries=dataset.n_queries,
            precision=self._dtype.name,
            weights=dataset.weights is not None,
            query_features=None
            if dataset.query_features is None
            else int(dataset.query_features.shape[1]),
            feature_names=dataset.feature_names or names,
            **sizes,
        )
        for name, dtype, _ in described.sections():
            if name != "features":
                self._stream.write(np.ascontiguousarray(_find(name, dataset, packed), dtype).data)
        self._stream.write(described.encoded())

    def _refuse_infinite(self, values: NDArray[np.float64], room: NDArray[Any]) -> None:
        beyond = np.isinf(room[:, : values.shape[1]]) & np.isfinite(values)
        if beyond.any():
            row, feature = (int(place) for place in np.argwhere(beyond)[0])
            raise RankwiseError(
                f"values must fit single precision to be written as float32, found "
                f"{values[row, feature]:g} in row {self._rows + row + 1}, feature {feature + 1}; "
                "write them as doubles, or scale them down first"
            )


def _find(name: str, dataset: Dataset, texts: dict[str, TextColumn | None]) -> NDArray[Any]:
    """The array of a section."""
    column = texts.get(name.removesuffix("_ends"))
    if column is None:
        found: NDArray[Any] = getattr(dataset, name)
        return found
    return column.ends if name.endswith("_ends") else column.data


def _read(reader: PlacedReader, path: Path) -> Dataset:
    described = _read_description(reader)
    places = described.places()
    arrays: dict[str, Any] = {}
    for name, dtype, count in described.sections():
        if name != "features":
            arrays[name] = _read_array(reader, places[name], dtype, count)
    offsets = arrays["query_offsets"]
    if offsets[0] != 0 or not bool((offsets[1:] > offsets[:-1]).all()):
        raise ValueError("its query offsets do not rise from 0")
    texts: dict[str, Any] = {name: _read_texts(arrays, name) for name in TEXTS if name in arrays}
    file = RowFile(path.absolute(), reader, places["features"], described.features, described.dtype)
    columns = described.query_features
    return Dataset(
        features=as_features(FileFeatures(file, range(described.rows))),
        labels=arrays["labels"],
        query_offsets=offsets,
        weights=arrays.get("weights"),
        query_features=None
        if columns is None
        else arrays["query_features"].reshape(described.queries, columns),
        feature_names=described.feature_names,
        **texts,
    )


def _read_description(reader: PlacedReader) -> PackedDescription:
    """What the end of the file says, once it is known that the file is as long as that says."""
    size = reader.size
    if size < len(MARK) + TAIL_BYTES:
        raise ValueError(f"it has {size} bytes")
    if _read_bytes(reader, 0, len(MARK)) != MARK:
        raise ValueError(f"it must begin with {MARK.decode().strip()!r}")
    tail = _read_bytes(reader, size - TAIL_BYTES, TAIL_BYTES)
    if tail[8:] != MARK:
        raise ValueError("it was cut off, or more was added")
    length = int.from_bytes(tail[:8], "little")
    begin = size - TAIL_BYTES - length
    if length > LONGEST_DESCRIPTION or begin < len(MARK):
        raise ValueError(f"its description cannot have {length} bytes")
    described = parse_description(_read_bytes(reader, begin, length))
    end = described.places()["end"]
    if end != begin:
        raise ValueError(f"what it describes takes {end} bytes, found {begin}")
    return described


def _read_bytes(reader: PlacedReader, position: int, length: int) -> bytes:
    return _read_array(reader, position, np.dtype(np.uint8), length).tobytes()


def _read_array(
    reader: PlacedReader, position: int, dtype: np.dtype[Any], count: int
) -> NDArray[Any]:
    found = np.empty(count, dtype)
    reader.fill(found.view(np.uint8), position)
    return found


def _read_texts(arrays: dict[str, Any], name: str) -> TextColumn:
    data, ends = arrays[name], arrays[f"{name}_ends"]
    # No differences, which may be larger than an integer holds.
    rises = len(ends) > 0 and ends[0] >= 0 and bool((ends[1:] >= ends[:-1]).all())
    if not rises or ends[-1] != len(data):
        raise ValueError(f"its {name} do not end one after the other")
    return TextColumn.from_ends(data, ends)
