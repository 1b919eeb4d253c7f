"""A measure on the documents of a data set, as C code that takes it again and again reads it."""

from __future__ import annotations

import ctypes
from typing import Any

from rankwise.measures.computation import RECORD, Lists, MeasurePlan
from rankwise.native import ADDRESS, INT64

_ARRAYS = ("offsets", "retrieved", "ideal_of", "labels", "priority", "ideal_labels")
_TABLES = ("gains", "weights", "divisors")


class _Fields(ctypes.Structure):
    """`prepared_measure` of prepared_measure.h."""

    _fields_ = (
        ("queries", INT64),
        ("documents", INT64),
        *((name, ADDRESS) for name in (*_ARRAYS, *_TABLES)),
        ("reach", INT64),
        ("record", ADDRESS),
        ("record_size", INT64),
        ("tie_mode", INT64),
    )


class PreparedMeasure:
    """One measure, the lists that it judges, and how it treats ties, in one C structure.

    It keeps the arrays that the structure points to.
    """

    def __init__(self, lists: Lists, plan: MeasurePlan, tie_mode: int) -> None:
        documents = len(lists.labels)
        if any(len(one) not in (0, documents) for one in (lists.priority, lists.ideal_labels)):
            raise ValueError("the arrays of the lists must have the same length")
        self.documents = documents
        self.queries = len(lists.offsets) - 1
        self._kept: tuple[Any, ...] = lists, plan
        self._fields = _Fields(
            self.queries,
            documents,
            *(_address(getattr(lists, name)) for name in _ARRAYS),
            *(_address(getattr(plan, name)) for name in _TABLES),
            plan.weights.shape[1],
            _address(plan.records),
            RECORD.itemsize,
            tie_mode,
        )

    @property
    def address(self) -> int:
        """Where the structure stands, while this object lives."""
        return ctypes.addressof(self._fields)


def _address(array: Any) -> int | None:
    return array.ctypes.data if len(array) else None
