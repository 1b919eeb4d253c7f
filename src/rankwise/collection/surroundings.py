"""The pages around a query's documents, whose values flow to them in propagation.

They are the pages that link to a document of the query, those that it links to and its children in
the sitemap, sampled or not. Pages further away are not looked at, so that the cost of a query is
bounded by the links and children of its documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.features.evidence import Links
from rankwise.collection.links import LinkGraph

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The documents of a query and the pages around them, by row.

    Attributes:
        pages: the numbers of the documents in their order, then of their neighbours, ascending.
        hyperlinks: the links among them.
        parents: the row of each one's parent in the sitemap, −1 where it is not among them.
    """

    pages: Numbers
    hyperlinks: Links
    parents: Numbers


def find_surroundings(graph: LinkGraph, parents: Numbers, documents: Numbers) -> Surroundings:
    """The surroundings of documents in the graph and the sitemap of a corpus."""
    around = np.zeros(graph.n_documents, bool)
    around[graph.neighbourhood(documents)] = True
    around[_find_children(parents, documents)] = True
    around[documents] = False
    return relate_pages(graph, parents, np.concatenate([documents, np.flatnonzero(around)]))


def relate_pages(graph: LinkGraph, parents: Numbers, pages: Numbers) -> Surroundings:
    """Links and parents among these pages alone."""
    # The last place is that of the number −1, no parent.
    rows = np.full(graph.n_documents + 1, -1, np.int64)
    rows[pages] = np.arange(len(pages))
    return Surroundings(pages, Links(*graph.among(pages)), rows[parents[pages]])


def _find_children(parents: Numbers, documents: Numbers) -> Numbers:
    chosen = np.zeros(len(parents) + 1, bool)
    chosen[documents] = True
    return np.flatnonzero(chosen[parents])
