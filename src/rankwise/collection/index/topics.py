"""Topics of documents, and the mixture of them that a query has.

Topical PageRank r_k and HITS are linear in the topics, and a query asks only for Σ_k q_k r_k. So
one column, g(d) = Σ_k q_k C_k(d), stands for all of them: memory does not grow with the topics.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Topics:
    """C_k(d): 1 for the topic that the user gave a document, 0 for others.

    A document without label has the shares of the whole corpus; without any labels there is one
    topic, and the topical values are those of PageRank and HITS.
    """

    def __init__(self, labels: Iterable[str]) -> None:
        given = list(labels)
        names = sorted(set(given) - {""})
        place = {name: number for number, name in enumerate(names)} | {"": -1}
        self._topic = np.array([place[label] for label in given], np.int64)
        counts = np.bincount(self._topic[self._topic >= 0], minlength=len(names))
        self._shares = counts / max(int(counts.sum()), 1)

    @property
    def are_several(self) -> bool:
        """Whether documents have different topics, without which all of them have the same."""
        return len(self._shares) > 1

    def mixture(self, documents: Numbers) -> Column:
        """g(d) of all documents, where q_k is the mean of C_k over `documents`."""
        if not len(self._shares):
            return np.ones(len(self._topic))
        own = self._topic[documents]
        of_query = np.bincount(own[own >= 0], minlength=len(self._shares)).astype(np.float64)
        of_query += np.count_nonzero(own < 0) * self._shares
        of_query /= max(len(documents), 1)
        return np.append(of_query, of_query @ self._shares)[self._topic]
