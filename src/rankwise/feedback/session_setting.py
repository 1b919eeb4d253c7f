"""What all sessions of a simulation share, as compiled code reads it (sessions.h)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feedback.click_models.model import ClickModel
from rankwise.feedback.click_models.registry import count_grades, make_user
from rankwise.native import ADDRESS, DOUBLE, INT64

Floats = NDArray[np.float64]

_ARRAYS = (
    "offsets",
    "grades",
    "features",
    "attraction",
    "satisfaction",
    "positions",
    "gains",
    "discounts",
    "ideals",
)


class _Fields(ctypes.Structure):
    """`session_setting` of sessions.h."""

    _fields_ = (
        ("queries", INT64),
        ("documents", INT64),
        ("width", INT64),
        ("shown", INT64),
        ("grade_count", INT64),
        ("independent", INT64),
        ("in_turn", INT64),
        ("perseverance", DOUBLE),
        *((name, ADDRESS) for name in _ARRAYS),
    )


class SessionSetting:
    """The documents, the user and the length of lists; it keeps the arrays that C points to.

    The value of a list that is shown is its NDCG, gain 2^grade − 1, discount 1 / log2(1 + k), at
    the length of the list.

    Args:
        dataset: whose labels are what the user goes by; NULL features count as 0.
        user: the click model.
        shown: how many documents a list has at most; 0 means all.
        in_turn: whether sessions go through the queries in turn, instead of drawing one.
    """

    def __init__(
        self, dataset: Dataset, user: ClickModel, shown: int, *, in_turn: bool = False
    ) -> None:
        if dataset.n_queries == 0 or dataset.query_lengths.min() == 0:
            raise RankwiseError("simulated users need queries with documents, found none")
        # Compiled code takes a label as an index into the tables of the user.
        make_user(user, count_grades(dataset))
        longest = int(dataset.query_lengths.max())
        self.dataset = dataset
        self.user = user
        self.shown = min(shown, longest) if shown else longest
        tables = user.tables(self.shown)
        features = dataset.to_dense().features
        if features.size and not np.isfinite(features).all():
            features = np.nan_to_num(features)
        self._arrays: dict[str, NDArray[Any]] = {
            "offsets": np.ascontiguousarray(dataset.query_offsets),
            "grades": dataset.labels.astype(np.int32),
            "features": np.ascontiguousarray(features),
            "attraction": np.ascontiguousarray(tables.attraction),
            "satisfaction": np.ascontiguousarray(tables.satisfaction),
            "positions": np.ascontiguousarray(tables.positions),
            "gains": np.exp2(np.arange(len(tables.attraction))) - 1.0,
            "discounts": 1.0 / np.log2(np.arange(2.0, self.shown + 2.0)),
        }
        self._arrays["ideals"] = self._ideals()
        self._fields = _Fields(
            dataset.n_queries,
            dataset.n_documents,
            dataset.n_features,
            self.shown,
            len(tables.attraction),
            int(tables.independent),
            int(in_turn),
            tables.perseverance,
            *(self._arrays[name].ctypes.data for name in _ARRAYS),
        )

    @property
    def address(self) -> int:
        """Where the structure stands, while this object lives."""
        return ctypes.addressof(self._fields)

    @property
    def list_lengths(self) -> NDArray[np.int64]:
        """By query, how many documents a session is shown."""
        return np.minimum(self.dataset.query_lengths, self.shown)

    def _ideals(self) -> Floats:
        gains, discounts = self._arrays["gains"], self._arrays["discounts"]
        found = []
        for labels in np.split(self._arrays["grades"], self.dataset.query_offsets[1:-1]):
            best = -np.sort(-gains[labels])[: self.shown]
            found.append(float(best @ discounts[: len(best)]))
        return np.array(found)
