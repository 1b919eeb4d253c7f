"""Reading uploads: scores of folds or a TREC run, as one number a row; runs without labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.errors import BadUpload
from rankwise.data.formats.scores import read_scores
from rankwise.data.formats.trec import read_run
from rankwise.shown import cut

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
        fold, line = _locate(row, shape.folds)
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


def _locate(row: int, folds: Mapping[int, int]) -> tuple[int, int]:
    """The fold and the line of a row."""
    for fold, rows in folds.items():
        if row < rows:
            return fold, row + 1
        row -= rows
    raise ValueError(row)


def _listed(folds: Sequence[int]) -> str:
    return ", ".join(map(str, folds))
