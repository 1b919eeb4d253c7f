"""Queries of like length side by side, filled up to one length: sums over pairs as whole arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native.arrays import Floats, Integers

Booleans = NDArray[np.bool_]

# Pairs of places in a block at most, but for a single long query: what a cache holds.
_PAIRS = 2**17
# exp of it is still a number.
_LARGEST = 700.0


@dataclass(frozen=True, eq=False)
class QueryBlock:
    """Some queries as the rows of a table, a document a place.

    Attributes:
        rows: (queries, places): the row in the data set of the document at each place.
        real: where there is a document; at other places `rows` names the first of the query.
    """

    rows: Integers
    real: Booleans

    @property
    def pairs(self) -> Booleans:
        """(queries, places, places): where two different documents meet."""
        met = self.real[:, :, np.newaxis] & self.real[:, np.newaxis, :]
        places = np.arange(self.real.shape[1])
        met[:, places, places] = False
        return met

    def gather(self, values: Floats, fill: float = 0.0) -> Floats:
        """The values of the documents at their places, `fill` where there is none."""
        return np.where(self.real, values[self.rows], fill)

    def scatter(self, found: Floats, values: Floats) -> None:
        """Write what was found at the places into the rows of `values`."""
        values[self.rows[self.real]] = found[self.real]


def query_blocks(query_offsets: Integers) -> list[QueryBlock]:
    """All queries of a data set, the longest first, in blocks whose pairs are few enough."""
    lengths = np.diff(query_offsets)
    order = np.argsort(-lengths, kind="stable")
    blocks = []
    first = 0
    while first < len(order):
        longest = int(lengths[order[first]])
        count = max(1, _PAIRS // (longest * longest))
        blocks.append(_block(query_offsets, order[first : first + count], longest))
        first += count
    return blocks


def differences(values: Floats) -> Floats:
    """(queries, places, places): v_i − v_j of values at the places of a block."""
    return values[:, :, np.newaxis] - values[:, np.newaxis, :]


def _block(query_offsets: Integers, queries: Integers, longest: int) -> QueryBlock:
    starts = query_offsets[queries][:, np.newaxis]
    places = np.arange(longest)[np.newaxis, :]
    real = places < np.diff(query_offsets)[queries][:, np.newaxis]
    return QueryBlock(np.where(real, starts + places, starts), real)


def logistic(values: Floats) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    found = np.negative(values)
    np.minimum(found, _LARGEST, out=found)
    np.exp(found, out=found)
    found += 1.0
    np.reciprocal(found, out=found)
    return found
