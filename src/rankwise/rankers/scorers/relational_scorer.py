"""What scorers that need relations between documents have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.scorer import Scorer

_LONGEST_NAME = 1000


class RelationalScorer(Scorer):
    """A function of a data set with relations; rows alone are refused."""

    needs_relations: ClassVar[bool] = True

    @property
    def row_by_row(self) -> bool:
        """A score depends on the related documents of the query."""
        return False

    def score(self, features: NDArray[np.float64]) -> NoReturn:
        """Refused: rows say nothing of relations."""
        raise RankwiseError(
            "the model scores documents by how they are related and needs a data set with "
            "relations, found rows alone"
        )

    def score_sparse(self, sparse: SparseFeatures) -> NoReturn:
        """Refused as well."""
        self.score(np.empty((0, 0)))


def read_name(values: Mapping[str, Any], key: str) -> str:
    """The short text under `key`."""
    found = values.get(key)
    if not isinstance(found, str) or len(found) > _LONGEST_NAME:
        raise RankwiseError(f"a model file must hold a short text under {key!r}, found none")
    return found


def read_number(values: Mapping[str, Any], key: str, highest: float) -> float:
    """The number under `key`, from 0 up to `highest`."""
    found = values.get(key)
    number = isinstance(found, int | float) and not isinstance(found, bool)
    if not number or not 0 <= float(str(found)) <= highest:
        raise RankwiseError(
            f"a model file must hold a number from 0 to {highest:g} under {key!r}, found none"
        )
    return float(str(found))


def read_count(values: Mapping[str, Any], key: str, highest: int) -> int:
    """The whole number under `key`, from 0 up to `highest`."""
    found = values.get(key)
    if type(found) is not int or not 0 <= found <= highest:
        raise RankwiseError(
            f"a model file must hold a whole number from 0 to {highest} under {key!r}, found none"
        )
    return found
