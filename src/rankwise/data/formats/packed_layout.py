"""How packed data lie in their file: features, other arrays, texts, and a description at the end.

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
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.file_features import FLOAT32, FLOAT64
from rankwise.data.sparse_features import WIDE

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
