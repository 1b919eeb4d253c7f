"""The hidden test part of a task, and the scores that are judged on it.

It has the labels, and which queries make the public and the private half. Uploads are scores of
folds or a TREC run; both are read as one number a row, and runs without labels. An arena keeps one
number a row of the hidden test parts, in one form: equal scores are equal bytes, -0 is 0, and a
document that a run does not retrieve is NaN in one pattern of bits. The digest is the SHA-256 of
these bytes.
"""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.participation import BadUpload, Half
from rankwise.data.formats.score_files import read_scores
from rankwise.data.formats.trec import read_run
from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.sanitize import cut


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


_FOLD = re.compile(r"fold[-_ ]?0*([1-9][0-9]{0,3})(?![0-9])", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class TestShape:
    """What a participant knows of the test parts: rows of each fold; queries and documents."""

    __test__ = False

    folds: Mapping[int, int]
    query_offsets: NDArray[np.int64]
    query_ids: Sequence[str]
    document_ids: Sequence[str]


def name_fold_files(names: Sequence[str], folds: Sequence[int]) -> dict[int, str]:
    """Which file is of which fold: by the number in its name, or the only one of the only fold."""
    if len(folds) == 1 and len(names) == 1:
        return {folds[0]: names[0]}
    found: dict[int, str] = {}
    for name in names:
        # A part of the package is called Fold1/test.txt: the last number in the name is meant.
        numbers = [int(number) for number in _FOLD.findall(name)]
        if not numbers or numbers[-1] not in folds or numbers[-1] in found:
            raise BadUpload(
                f"each file must have the number of its fold in its name, as Fold1.scores, and "
                f"each fold one file, found {name!r}; the folds are {_listed(folds)}"
            )
        found[numbers[-1]] = name
    missing = [fold for fold in folds if fold not in found]
    if missing:
        raise BadUpload(
            f"there must be a file of scores for each of the folds {_listed(folds)}, found none "
            f"for {_listed(missing)}"
        )
    return found


def read_fold_scores(paths: Mapping[int, Path], shape: TestShape) -> NDArray[np.float64]:
    """The scores of all folds, one after the other."""
    parts = [read_scores(paths[fold], rows).values for fold, rows in shape.folds.items()]
    scores = np.concatenate(parts)
    if np.isinf(scores).any():
        row = int(np.flatnonzero(np.isinf(scores))[0])
        fold, line = _find_line(row, shape.folds)
        raise BadUpload(
            f"{paths[fold].name}:{line}: scores must be finite numbers, found {scores[row]}"
        )
    return scores


def read_run_scores(path: Path, shape: TestShape) -> NDArray[np.float64]:
    """The scores of a run; NaN for documents that it does not retrieve."""
    run = read_run(path).scores
    scores = np.full(len(shape.document_ids), np.nan)
    known = {query: number for number, query in enumerate(shape.query_ids)}
    _refuse_other_queries(path, run, known)
    for query, number in known.items():
        begin, end = shape.query_offsets[number : number + 2].tolist()
        rows = {shape.document_ids[row]: row for row in range(begin, end)}
        for document, score in run[query].items():
            if document not in rows:
                raise BadUpload(
                    f"{path.name}: document {cut(document)!r} of query {cut(query)!r} must be one "
                    "of the test part, found it nowhere there"
                )
            if not np.isfinite(score):
                raise BadUpload(
                    f"{path.name}: scores must be finite numbers, found {score} for document "
                    f"{cut(document)!r} of query {cut(query)!r}"
                )
            scores[rows[document]] = score
    return scores


def _refuse_other_queries(path: Path, run: Mapping[str, object], known: Mapping[str, int]) -> None:
    other = next((query for query in run if query not in known), None)
    if other is not None:
        raise BadUpload(
            f"{path.name}: query {cut(other)!r} must be one of the test part, found it nowhere "
            "there"
        )
    missing = [query for query in known if query not in run]
    if missing:
        raise BadUpload(
            f"{path.name}: a run must have every query of the test part, found {len(missing)} "
            f"missing, the first is {cut(missing[0])!r}"
        )


def _find_line(row: int, folds: Mapping[int, int]) -> tuple[int, int]:
    """The fold and the line of a row."""
    for fold, rows in folds.items():
        if row < rows:
            return fold, row + 1
        row -= rows
    raise ValueError(row)


def _listed(folds: Sequence[int]) -> str:
    return ", ".join(map(str, folds))


Scores = NDArray[np.float64]


def encode_scores(scores: Scores) -> bytes:
    """The scores as little-endian doubles."""
    settled = np.where(np.isnan(scores), np.nan, scores + 0.0)
    return settled.astype("<f8").tobytes()


def decode_scores(content: bytes) -> Scores:
    """What `encode_scores` gave."""
    return np.frombuffer(content, dtype="<f8").astype(np.float64)


def digest_scores(content: bytes) -> str:
    """The SHA-256 of encoded scores."""
    return hashlib.sha256(content).hexdigest()


def pack_scores(content: bytes) -> bytes:
    """Encoded scores as the database keeps them."""
    return zlib.compress(content, 6)


def unpack_scores(packed: bytes) -> bytes:
    """What `pack_scores` was given; damage is an empty answer, which no digest fits."""
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return b""
