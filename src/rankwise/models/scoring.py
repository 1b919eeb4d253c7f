"""Scores of data by a model, either of which may be a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.formats.relation_files import attach_relations, find_relations_beside
from rankwise.data.query_classes import with_query_classes
from rankwise.data.reading import read
from rankwise.errors import Advice, RankwiseError
from rankwise.models.model import Model
from rankwise.models.model_file import load_model


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
