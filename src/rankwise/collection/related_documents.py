"""What the relations of a build tell of a query's documents, without the index.

`hyperlinks.tsv` and `sitemap.tsv` have the whole graph of the corpus by document ids. URLs and
categories are not in them, so the features of those cannot be computed again.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora.sitemap import count_children
from rankwise.collection.features.evidence import Evidence
from rankwise.collection.links import LinkGraph, hits, pagerank
from rankwise.collection.neighbours import has_neighbours, read_neighbours
from rankwise.collection.relations import HYPERLINKS, SITEMAP, read_hyperlinks, read_sitemap
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.collection.surroundings import find_surroundings, relate_pages
from rankwise.errors import RankwiseError
from rankwise.files import is_file

OF_URLS = ("hostrank", "url-slashes", "url-length")
OF_SITEMAP = ("sitemap-term-propagation", "sitemap-score-propagation", "children")
OF_CATEGORIES = ("topical-pagerank", "topical-hits-authority", "topical-hits-hub")

Numbers = NDArray[np.int64]


def read_related_documents(
    folder: Path, collection: CollectionStatistics, meta: Path | None = None
) -> RelatedDocuments | None:
    """The relations in a folder; None where it has no links or no sitemap.

    Values propagate from neighbours where the metadata in `meta` have their counts, else only
    among the documents of a query, as with LETOR's own metadata.
    """
    paths = folder / HYPERLINKS, folder / SITEMAP
    if not all(is_file(path) for path in paths):
        return None
    numbers: dict[str, int] = {}
    links = _number_ids(list(read_hyperlinks(paths[0])), numbers)
    steps = _number_ids(list(read_sitemap(paths[1])), numbers)
    if len(numbers) > collection.n_documents:
        raise RankwiseError(
            f"{folder} must be of the {collection.n_documents} documents of {collection.name}, "
            f"found {len(numbers)} documents in it"
        )
    parents = np.full(collection.n_documents, -1, np.int64)
    parents[steps[:, 1]] = steps[:, 0]
    graph = LinkGraph.from_pairs(collection.n_documents, links[:, 0], links[:, 1])
    counted = meta if meta is not None and has_neighbours(meta) else None
    return RelatedDocuments(graph, parents, numbers, collection, counted)


class RelatedDocuments:
    """Links and sitemap of a corpus; documents that are in neither have the numbers left over."""

    def __init__(
        self,
        graph: LinkGraph,
        parents: Numbers,
        numbers: dict[str, int],
        collection: CollectionStatistics,
        meta: Path | None,
    ) -> None:
        self._graph = graph
        self._parents = parents
        self._numbers = numbers
        self._collection = collection
        self._meta = meta

    def evidence(self, query: QueryStatistics) -> Evidence:
        """Links, parents, HITS, PageRank, numbers of links and children of the documents."""
        documents = self._find_documents(query)
        columns = {name: whole[documents] for name, whole in self._of_documents.items()}
        near = hits(self._graph.restricted(self._graph.neighbourhood(documents)))
        columns["hits-authority"] = near.authorities[: len(documents)]
        columns["hits-hub"] = near.hubs[: len(documents)]
        if self._meta is None:
            alone = relate_pages(self._graph, self._parents, documents)
            return Evidence(columns, alone.hyperlinks, alone.parents)
        around = find_surroundings(self._graph, self._parents, documents)
        ids = [self._ids[number] for number in around.pages[len(documents) :].tolist()]
        beside = read_neighbours(self._meta, self._collection, query, ids)
        return Evidence(columns, around.hyperlinks, around.parents, beside)

    @cached_property
    def _ids(self) -> list[str]:
        """Of the documents with relations, by number: the others are nobody's neighbours."""
        return list(self._numbers)

    @cached_property
    def _of_documents(self) -> dict[str, NDArray[np.float64]]:
        columns = {
            "pagerank": pagerank(self._graph),
            "in-links": self._graph.in_links,
            "out-links": self._graph.out_links,
            "children": count_children(self._parents),
        }
        return {name: np.asarray(column, np.float64) for name, column in columns.items()}

    def _find_documents(self, query: QueryStatistics) -> Numbers:
        numbers = [self._numbers.setdefault(d, len(self._numbers)) for d in query.document_ids]
        if len(self._numbers) > self._graph.n_documents:
            raise RankwiseError(
                f"the relations and the queries must be of {self._graph.n_documents} documents, "
                f"found more by query {query.query_id}"
            )
        return np.array(numbers, np.int64)


def _number_ids(pairs: list[tuple[str, str]], numbers: dict[str, int]) -> Numbers:
    """Each id as its number, new ids in the order in which they come."""
    ends = [[numbers.setdefault(end, len(numbers)) for end in pair] for pair in pairs]
    return np.array(ends, np.int64).reshape(-1, 2)
