"""The hidden test part of a task: labels, and which queries make the public and private half."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.task import Half
from rankwise.measures.judged import JudgedScores, offsets_of


@dataclass(frozen=True, eq=False)
class HiddenTest:
    """All hidden test parts of a task, one fold after the other.

    Attributes:
        labels: one per row.
        query_offsets: (queries + 1,) where queries begin.
        query_ids, document_ids: as in the package.
        public: one per query: whether it is of the public half.
    """

    labels: NDArray[np.float64]
    query_offsets: NDArray[np.int64]
    query_ids: tuple[str, ...]
    document_ids: tuple[str, ...]
    public: NDArray[np.bool_]

    def to_bytes(self) -> bytes:
        """The content, to be sealed."""
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            labels=self.labels,
            query_offsets=self.query_offsets,
            query_ids=np.array(self.query_ids, dtype=np.str_),
            document_ids=np.array(self.document_ids, dtype=np.str_),
            public=self.public,
        )
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> HiddenTest:
        """What `to_bytes` gave."""
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            return cls(
                found["labels"],
                found["query_offsets"],
                tuple(found["query_ids"].tolist()),
                tuple(found["document_ids"].tolist()),
                found["public"],
            )

    @property
    def rows(self) -> int:
        """Documents."""
        return len(self.labels)

    def judge(self, scores: NDArray[np.float64], half: Half) -> JudgedScores:
        """The labels of one half with scores; a NaN is a document that was not retrieved.

        Such documents stand at the end of their query.
        """
        rows, lengths, names = self._rows_of(half)
        chosen = scores[rows]
        absent = np.isnan(chosen)
        retrieved = None
        if absent.any():
            query = np.repeat(np.arange(len(lengths)), lengths)
            order = np.lexsort((np.arange(len(rows)), absent, query))
            rows, chosen = rows[order], np.where(absent, 0.0, chosen)[order]
            retrieved = lengths - np.bincount(query[absent], minlength=len(lengths))
        return JudgedScores(
            self.labels[rows],
            chosen,
            offsets_of(lengths),
            names,
            [self.document_ids[row] for row in rows.tolist()],
            retrieved=retrieved,
        )

    def _rows_of(self, half: Half) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
        return self._public_rows if half == "public" else self._private_rows

    @cached_property
    def _public_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
        return self._select(self.public)

    @cached_property
    def _private_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
        return self._select(~self.public)

    def _select(
        self, wanted: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
        lengths = np.diff(self.query_offsets)
        rows = np.flatnonzero(np.repeat(wanted, lengths)).astype(np.int64)
        names = [name for name, take in zip(self.query_ids, wanted, strict=True) if take]
        return rows, lengths[wanted], names
