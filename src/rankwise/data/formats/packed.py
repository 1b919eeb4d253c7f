"""Packed data: features are read from their file in blocks, so that they need not fit into memory.

Labels, ids and comments are in memory. In the file lie

    RANKWISE DATA 1⏎     16 bytes
    features             rows × features values, little-endian doubles or singles, row by row
    labels               rows doubles
    query offsets        queries + 1 integers of 8 bytes, from 0 to rows
    weights              rows doubles, where there are any
    query features       queries × columns doubles, where there are any
    texts                query ids, document ids, comments, query classes, where there are any:
                         where each text ends, integers of 8 bytes, and then their bytes
    description          JSON: how many of everything there are
    its length           8 bytes
    RANKWISE DATA 1⏎     16 bytes

Everything has one place only, which follows from the description: a file is whole or it is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.feature_matrix import (
    FLOAT32,
    FLOAT64,
    FileFeatures,
    PlacedReader,
    RowFile,
    open_to_keep,
)
from rankwise.data.joining import check_unique_queries, merge_repeated_queries
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
        dataset = _read_whole(reader, Path(path))
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
                self._stream.write(
                    np.ascontiguousarray(_find_array(name, dataset, packed), dtype).data
                )
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


def _find_array(name: str, dataset: Dataset, texts: dict[str, TextColumn | None]) -> NDArray[Any]:
    """The array of a section."""
    column = texts.get(name.removesuffix("_ends"))
    if column is None:
        found: NDArray[Any] = getattr(dataset, name)
        return found
    return column.ends if name.endswith("_ends") else column.data


def _read_whole(reader: PlacedReader, path: Path) -> Dataset:
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


PACKED = ".rwd"
MARK = b"RANKWISE DATA 1\n"
TAIL_BYTES = 8 + len(MARK)
# Names of 10,000 features, of a thousand characters each.
LONGEST_DESCRIPTION = 1 << 24
_LARGEST_COUNT = 1 << 53

TEXTS = ("query_ids", "document_ids", "comments", "query_classes")


def is_packed(path: str | Path) -> bool:
    """Whether a file is packed data, by its ending."""
    return Path(path).suffix.lower() == PACKED


@dataclass(frozen=True)
class PackedDescription:
    """What stands at the end of a packed file; texts are counted in bytes, None: there are none."""

    rows: int
    features: int
    queries: int
    precision: str
    query_ids: int
    document_ids: int | None = None
    comments: int | None = None
    query_classes: int | None = None
    weights: bool = False
    query_features: int | None = None
    feature_names: tuple[str, ...] | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the features."""
        return FLOAT32 if self.precision == "float32" else FLOAT64

    def sections(self) -> Iterator[tuple[str, np.dtype[Any], int]]:
        """What follows the mark, in its order: a name, the type of its values, and how many."""
        offsets = np.dtype("<i8")
        yield "features", self.dtype, self.rows * self.features
        yield "labels", FLOAT64, self.rows
        yield "query_offsets", offsets, self.queries + 1
        if self.weights:
            yield "weights", FLOAT64, self.rows
        if self.query_features is not None:
            yield "query_features", FLOAT64, self.queries * self.query_features
        for name in TEXTS:
            size = getattr(self, name)
            if size is not None:
                count = self.queries if name.startswith("query") else self.rows
                yield f"{name}_ends", offsets, count
                yield name, np.dtype(np.uint8), size

    def places(self) -> dict[str, int]:
        """Where each section begins, and under `end` where the last one ends."""
        found, position = {}, len(MARK)
        for name, dtype, count in self.sections():
            found[name] = position
            position += dtype.itemsize * count
        return {**found, "end": position}

    def encoded(self) -> bytes:
        """What is written: the description, its length, and the mark."""
        text = json.dumps(asdict(self)).encode()
        return text + len(text).to_bytes(8, "little") + MARK


def parse_description(content: bytes) -> PackedDescription:
    """The description of a file that somebody may have damaged; a ValueError says what is wrong."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError("its description is no JSON") from error
    known = {field.name: field.type for field in fields(PackedDescription)}
    if not isinstance(found, dict) or set(found) != set(known):
        raise ValueError(f"its description must name {', '.join(known)}")
    names = found.pop("feature_names")
    for name, value in found.items():
        _check_value(name, value)
    made = PackedDescription(**found, feature_names=None if names is None else _check_names(names))
    if not (made.rows >= 1 and 1 <= made.queries <= made.rows and made.features <= WIDE):
        raise ValueError(
            f"it must have rows, at most as many queries, and at most {WIDE:,} features, found "
            f"{made.rows}, {made.queries} and {made.features}"
        )
    return made


_OPTIONAL = ("document_ids", "comments", "query_classes", "query_features")


def _check_value(name: str, value: object) -> None:
    """Refuse what is no count, no precision, and no answer to whether there are weights."""
    if name == "precision":
        fits = value in ("float64", "float32")
    elif name == "weights":
        fits = isinstance(value, bool)
    elif value is None:
        fits = name in _OPTIONAL
    else:
        fits = type(value) is int and 0 <= value <= _LARGEST_COUNT
    if not fits:
        raise ValueError(f"its {name} cannot be {value!r:.40}")


def _check_names(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("its names of features must be texts")
    return tuple(names)
