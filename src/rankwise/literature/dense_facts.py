"""What the data sets of a store are like, told by the data themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from rankwise.data.catalog.checksums import compute_checksum
from rankwise.data.folds import FoldFiles
from rankwise.data.folds.reading import read_fold
from rankwise.data.sources import find_source
from rankwise.errors import RankwiseError
from rankwise.literature.dense_table import DenseData
from rankwise.results.store_records import Subject

Checksums = Mapping[str, str]
"""Of the files of a fold, by part."""


def describe_data(
    data: Sequence[str | Path],
    folds: Mapping[Subject, Sequence[int]],
    known: Mapping[tuple[Subject, int], Checksums],
) -> list[DenseData]:
    """The facts of every data set that was run; of those without data their folds only.

    `known` has the checksums of the files that a data set and fold was run on, by which given
    folders are recognised, whatever they are called.
    """
    facts: dict[Subject, DenseData] = {}
    for one in data:
        files, subject = _recognize(one, known)
        facts[subject] = _describe(subject, files, len(folds[subject]))
    return [
        facts.get(subject) or DenseData(*subject, None, None, None, None, None, len(numbers))
        for subject, numbers in folds.items()
    ]


def _recognize(
    data: str | Path, known: Mapping[tuple[Subject, int], Checksums]
) -> tuple[FoldFiles, Subject]:
    for files in find_source(data).folds():
        parts = {"train": files.train, "validation": files.validation, "test": files.test}
        own = {part: compute_checksum(path) for part, path in parts.items() if path is not None}
        for (subject, fold), checksums in known.items():
            if fold == files.number and checksums == own:
                return files, subject
    names = ", ".join(dict.fromkeys(subject.dataset for subject, _ in known))
    raise RankwiseError(
        f"{data} must hold the files that the store was run on ({names}), found others"
    )


def _describe(subject: Subject, files: FoldFiles, folds: int) -> DenseData:
    """All parts of one fold are the whole data set."""
    parts = [part for _, part in read_fold(files).parts()]
    labels = np.concatenate([part.labels for part in parts])
    return DenseData(
        *subject,
        queries=sum(part.n_queries for part in parts),
        documents=len(labels),
        features=max(part.n_features for part in parts),
        highest_label=int(labels.max()),
        relevant_share=float(np.mean(labels > 0)),
        folds=folds,
    )
