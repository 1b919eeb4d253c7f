"""A model and data are brought together, either of which may be a file: to score, or to explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import attach_relations, find_relations_beside
from rankwise.data.queries import with_query_classes
from rankwise.data.reading import read
from rankwise.errors import Advice, RankwiseError
from rankwise.models.model import Model
from rankwise.models.model_file import load_model
from rankwise.models.scorers.scorer import Scorer


def score(
    model: Model | str | Path,
    data: Dataset | str | Path,
    *,
    zero_based: bool = False,
    absent_as_zero: bool = False,
    class_column: int | str | None = None,
    relations: Sequence[str | Path] = (),
) -> NDArray[np.float64]:
    """One score per row of the data, higher is better, in the order of the rows.

    Args:
        model: a model or its file.
        data: a data set or its file.
        zero_based: the feature indices of the file begin at 0.
        absent_as_zero: the data are sparse and leave out their last features, which are then 0;
            otherwise data with fewer features than the model are refused.
        class_column: the feature, by number from 1 or by name, that holds the class of a query,
            for models that tell classes apart.
        relations: files or folders of relations between documents, for models that need them;
            those of a build are found by themselves.
    """
    found = model if isinstance(model, Model) else load_model(model)
    rows = (
        data if isinstance(data, Dataset) else read(data, zero_based=zero_based, needs_labels=False)
    )
    if relations and found.scorer.row_by_row:
        raise RankwiseError(
            f"the model of {found.ranker} scores row by row and has no use for relations, found "
            "files of them"
        )
    if not relations and found.scorer.needs_relations and not isinstance(data, Dataset):
        relations = find_relations_beside(data)
    if relations:
        rows = attach_relations(rows, relations)
    wanted = found.scorer.n_features
    if rows.n_features < wanted and rows.feature_names is None:
        if not absent_as_zero:
            raise _too_narrow(data, rows.n_features, wanted)
        rows = rows.widened(wanted)
    if class_column is not None:
        rows = with_query_classes(rows, class_column)
    return found.score(rows)


def _too_narrow(data: Dataset | str | Path, found: int, wanted: int) -> RankwiseError:
    where = "" if isinstance(data, Dataset) else f"{data}: "
    return RankwiseError(
        f"{where}the model was trained on {wanted} features, found {found}",
        Advice(
            "if the data are sparse and leave their last features out, say so: {}",
            "absent_as_zero",
            True,
        ),
    )


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GivenModel:
    """A model with the data in the order of its features.

    Attributes:
        model: the learned function.
        data: rows that it can score.
        names: of the features; their numbers from 1 where they have none.
    """

    model: Model
    data: Dataset
    names: tuple[str, ...]

    def find_feature(self, wanted: str | int) -> int:
        """The column of a feature, by its name or its number from 1."""
        if str(wanted) in self.names:
            return self.names.index(str(wanted))
        if str(wanted).isdigit() and 1 <= int(wanted) <= len(self.names):
            return int(wanted) - 1
        raise RankwiseError(
            f"a feature must be one of the names of the model or a number from 1 to "
            f"{len(self.names)}, found {wanted!r}"
        )

    def find_query(self, wanted: str | None, fewest: int = 1) -> int:
        """The number of a query, by its id; where none is named the first of enough documents."""
        enough = self.data.query_lengths >= fewest
        if wanted is None:
            if not enough.any():
                raise RankwiseError(f"the data must have a query of {fewest} documents, found none")
            return int(enough.argmax())
        found = next((n for n, name in enumerate(self.data.query_ids) if name == wanted), None)
        if found is None:
            raise RankwiseError(
                f"the query must be one of the data's {self.data.n_queries}, found {wanted!r}"
            )
        if not enough[found]:
            raise RankwiseError(
                f"the query must have {fewest} documents, found {self.data.query_lengths[found]} "
                f"of {wanted!r}"
            )
        return found

    def document_names(self, start: int, end: int) -> list[str]:
        """The ids of rows of one query; where there are none their numbers in it, from 1."""
        if self.data.document_ids is None:
            return [str(number) for number in range(1, end - start + 1)]
        return list(self.data.document_ids[start:end])


def give(model: Model | str | Path, data: Dataset | str | Path) -> GivenModel:
    """Read what are files, and bring the features into the order of the model."""
    found = model if isinstance(model, Model) else load_model(model)
    rows = data if isinstance(data, Dataset) else read(data)
    rows = rows.ordered_as(found.feature_names, "the model").to_dense()
    width = found.scorer.n_features
    if rows.n_features != width:
        raise RankwiseError(
            f"the model was trained on {width} features, found {rows.n_features}; bring the data "
            "to the same features first"
        )
    if not rows.n_documents:
        raise RankwiseError("the data must have documents to explain a model on, found none")
    names = found.feature_names or rows.feature_names
    return GivenModel(found, rows, names or tuple(str(n + 1) for n in range(width)))


def refuse_whole_lists(scorer: Scorer, what: str) -> None:
    """Refuse a model in which changing one document changes the scores of others."""
    if not scorer.row_by_row:
        raise RankwiseError(
            f"{what} are those of models that score one document at a time, found one of the kind "
            f"{scorer.kind!r}, whose scores depend on the whole list; importance by permutation "
            "takes it"
        )
