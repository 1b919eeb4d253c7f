"""A digest of what a data set holds, wherever it came from: a file, a frame, arrays."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn


def digest_dataset(dataset: Dataset) -> str:
    """The SHA-256 of everything that rankers and measures see of the data, to the bit.

    Comments are not among it, but what was read out of them is: ids and classes.
    """
    total = hashlib.sha256()
    sparse = dataset.sparse
    if sparse is None:
        shape = (dataset.n_documents, dataset.n_features)
        total.update(f"features {np.dtype(np.float64).str} {shape} ".encode())
        for values in dataset.value_blocks():
            total.update(np.ascontiguousarray(values).data)
    held = ("values", "columns", "row_offsets") if sparse is not None else ()
    parts = (
        *((name, getattr(sparse, name)) for name in held),
        *((name, getattr(dataset, name)) for name in (
            "labels", "query_offsets", "query_ids", "document_ids", "feature_names", "weights",
            "query_classes", "query_features",
        )),
        *((f"{one.name} {name}", getattr(one, name)) for one in dataset.relations
          for name in ("offsets", "places", "weights")),
        ("width", str(dataset.n_features)),
    )  # fmt: skip
    for name, value in parts:
        if value is not None:
            _add(total, name, value)
    return total.hexdigest()


def _add(total: Any, name: str, value: Any) -> None:
    if isinstance(value, np.ndarray):
        content: Any = np.ascontiguousarray(value).data
        shape = f"{value.dtype.str} {value.shape}"
    else:
        texts = [value] if isinstance(value, str) else list(value)
        content = "\0".join(texts).encode("utf-8", "surrogateescape")
        shape = f"{'texts' if isinstance(value, TextColumn) else 'names'} {len(texts)}"
    total.update(f"{name} {shape} ".encode())
    total.update(content)
