"""What a recommendation looks at in data: their size, labels, and what a ranker may refuse.

Data are described as the data sets of the dense table are: documents, queries and labels of all
parts of the first fold together, which are the whole data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import FoldFiles
from rankwise.data.formats.relation_files import find_relations_beside
from rankwise.data.joining import equally_wide
from rankwise.data.reading import read
from rankwise.data.sources import find_source
from rankwise.data.sparse_features import refuse_dense
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_file

if TYPE_CHECKING:
    import pandas
    import polars

    Given = Dataset | str | Path | pandas.DataFrame | polars.DataFrame

PARTS = 5
"""Into how many parts data without folds are cut for tuning."""


@dataclass(frozen=True)
class DataFacts:
    """What is known of data.

    Attributes:
        name: what they are called: a path, a name of the data home, or nothing.
        documents, queries, features: how many; queries None where they were not told.
        highest_label: None where it was not told.
        relevant_share: the share of documents with a label above 0, None where it was not told.
        folds: how many tunings they mean: their folds, or the parts of a cross-validation.
        has_folds: whether they come in folds, for `rankwise bench`.
        has_nulls, has_relations, has_weights: what only some rankers take, or need.
        too_wide: why these data cannot be held as a dense array, where they cannot.
    """

    name: str
    documents: int
    queries: int | None
    features: int
    highest_label: float | None = None
    relevant_share: float | None = None
    folds: int = PARTS
    has_folds: bool = False
    has_nulls: bool = False
    has_relations: bool = False
    has_weights: bool = False
    too_wide: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        queries = "" if self.queries is None else f" of {self.queries:,} queries"
        return f"{self.documents:,} documents{queries}, {self.features:,} features"


def find_facts(
    data: Given | None,
    documents: int | None = None,
    queries: int | None = None,
    features: int | None = None,
) -> DataFacts:
    """The facts of data at hand, or of data given by their numbers."""
    numbers = {"documents": documents, "queries": queries, "features": features}
    if data is None:
        return _take_numbers(numbers)
    given = [name for name, number in numbers.items() if number is not None]
    if given:
        raise RankwiseError(
            f"data are described by themselves or by numbers, found both; leave {given[0]} out"
        )
    if isinstance(data, str | Path) and not is_file(data):
        source = find_source(data)
        return _describe_folds(str(data), source.folds())
    name = str(data) if isinstance(data, str | Path) else ""
    dataset = data if isinstance(data, Dataset) else read(data)
    related = bool(dataset.relations) or bool(name and find_relations_beside(name))
    return _describe(name, [dataset], related)


def _take_numbers(numbers: dict[str, int | None]) -> DataFacts:
    documents, queries, features = (numbers[one] for one in ("documents", "queries", "features"))
    if documents is None or features is None:
        raise RankwiseError(
            "data are needed, or how many documents and features they have, found no number of "
            + ("documents" if documents is None else "features"),
            Advice("give {}", "documents", "N") if documents is None
            else Advice("give {}", "features", "N"),
        )  # fmt: skip
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise RankwiseError(f"the number of {name} must be at least 1, found {number}")
    if queries is not None and queries > documents:
        raise RankwiseError(
            f"every query must have a document, found {queries:,} queries and {documents:,} "
            "documents"
        )
    return DataFacts("", documents, queries, features)


def _describe_folds(name: str, folds: Sequence[FoldFiles]) -> DataFacts:
    first = folds[0]
    paths = [path for path in (first.train, first.validation, first.test) if path is not None]
    parts = equally_wide([read(path) for path in paths])
    return _describe(name, parts, bool(first.relations), len(folds))


def _describe(
    name: str, parts: Sequence[Dataset], has_relations: bool, folds: int | None = None
) -> DataFacts:
    labels = np.concatenate([part.labels for part in parts])
    if not len(labels):
        raise RankwiseError(f"{name or 'data'} must have documents, found none")
    if not parts[0].n_features:
        raise RankwiseError(f"{name or 'data'} must have features, found none")
    return DataFacts(
        name=name,
        documents=len(labels),
        queries=sum(part.n_queries for part in parts),
        features=parts[0].n_features,
        highest_label=float(labels.max()),
        relevant_share=float((labels > 0).mean()),
        folds=folds or PARTS,
        has_folds=folds is not None,
        has_nulls=any(bool(np.isnan(part.stored_values).any()) for part in parts),
        has_relations=has_relations,
        has_weights=any(_has_weights(part) for part in parts),
        too_wide=next(filter(None, map(_refusal, parts)), None),
    )


def _has_weights(part: Dataset) -> bool:
    return part.weights is not None and bool((part.weights != part.weights[0]).any())


def _refusal(part: Dataset) -> str | None:
    if part.sparse is None:
        return None
    try:
        refuse_dense(part.sparse)
    except RankwiseError as error:
        return str(error)
    return None
