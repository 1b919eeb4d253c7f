"""Who met whom: head-to-head counts as a graph, and what its connections allow to be said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.comparison.win_matrix import count_pairs
from rankwise.errors import RankwiseError


@dataclass(frozen=True, eq=False)
class Meetings:
    """Wins and ties among the methods that met a rival; `codes` are their codes in the cells."""

    methods: tuple[str, ...]
    codes: NDArray[np.int64]
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Sets of methods joined by shared cells, the largest first; usually there is one."""
        label = _components(self.wins + self.ties, "weak")
        return tuple(
            tuple(self.methods[i] for i in np.flatnonzero(label == group))
            for group in np.argsort(-np.bincount(label), kind="stable")
        )

    def check_reachable(self) -> None:
        """Wins or ties must lead from every method to every other, or no likelihood has a maximum.

        Ford (1957), "Solution of a ranking problem from binary comparisons".
        """
        label = _components(self.wins + self.ties, "strong")
        sizes = np.bincount(label)
        if len(sizes) > 1:
            apart = self.methods[int(np.flatnonzero(label != sizes.argmax())[0])]
            raise RankwiseError(
                "strengths without regularization exist only where wins lead from every method to "
                f"every other; here they leave {len(sizes)} sets apart ({apart} is not in the "
                "largest one); use the regularization virtual-tie"
            )


def count_meetings(cells: Cells) -> Meetings:
    """The head-to-head counts of all methods that have a rival in some cell."""
    codes = np.unique(cells.method)
    wins, ties = (counts[np.ix_(codes, codes)] for counts in count_pairs(cells))
    return Meetings(tuple(cells.methods[code] for code in codes), codes, wins, ties)


def _components(
    edges: NDArray[np.int64], connection: Literal["weak", "strong"]
) -> NDArray[np.int64]:
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(edges > 0, directed=True, connection=connection)
    return np.asarray(label, dtype=np.int64)
