"""Files of relations between documents, and what they tell of a query without the index.

`hyperlinks.tsv` and `sitemap.tsv` have the whole graph of the corpus by document ids. URLs and
categories are not in them, so the features of those cannot be computed again.

The surroundings of a query's documents, whose values flow to them in propagation, are the pages
that link to a document of the query, those that it links to and its children in the sitemap,
sampled or not. Pages further away are not looked at, so that the cost of a query is bounded by the
links and children of its documents.

The counts of these pages are kept beside the metadata: `Meta/neighbours/query-….xml` has LETOR's
own layout of a query. Pages without any word of the query are not in it: which pages there are the
relations tell, and their counts are 0.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora.urls import count_children
from rankwise.collection.features.definition import Evidence, Links
from rankwise.collection.index.index import Index
from rankwise.collection.link_analysis import LinkGraph, hits, pagerank
from rankwise.collection.metadata import format_query, make_query_file_name, read_query
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.data.document_relations import read_similarity as read_similarity
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import is_file, is_folder, make_folder, readable, write_text, written_whole

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


_LINES_AT_ONCE = 100_000


HYPERLINKS, SITEMAP = "hyperlinks.tsv", "sitemap.tsv"
_LINK, _STEP = ("source", "target"), ("parent", "child")


def write_hyperlinks(path: Path, index: Index, graph: LinkGraph) -> None:
    """`source<TAB>target`, a line for each link between documents, by their ids."""
    _write_pairs(path, _LINK, index, graph.sources, np.asarray(graph.targets))


def write_sitemap(path: Path, index: Index, parents: NDArray[np.int64]) -> None:
    """`parent<TAB>child`, a line for each page that has a parent, by their ids."""
    children = np.flatnonzero(parents >= 0)
    _write_pairs(path, _STEP, index, parents[children], children)


def read_hyperlinks(path: Path) -> Iterator[tuple[str, str]]:
    """Source and target of each link."""
    return _read_pairs(path, _LINK)


def read_sitemap(path: Path) -> Iterator[tuple[str, str]]:
    """Parent and child of each page that has a parent."""
    return _read_pairs(path, _STEP)


def write_similarity(path: Path, document_ids: Sequence[str], matrix: NDArray[np.float32]) -> None:
    """A compressed numpy archive: `document_ids` as UTF-8 lines, `similarity` in their order."""
    content = io.BytesIO()
    ids = np.frombuffer("\n".join(document_ids).encode("utf-8", "surrogateescape"), np.uint8)
    np.savez_compressed(content, document_ids=ids, similarity=matrix)
    with written_whole(path) as stream:
        stream.write(content.getbuffer())


def _read_pairs(path: Path, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    with readable(path) as stream:
        for number, line in enumerate(stream, 1):
            cells = line.decode("utf-8", "surrogateescape").rstrip("\r\n").split("\t")
            if len(cells) != 2 or (number == 1 and tuple(cells) != names):
                raise FormatError(
                    f"a line must hold {' and '.join(names)}, divided by a tab, under a header of "
                    f"these names; found {line[:60].decode('utf-8', 'replace')!r}",
                    path,
                    number,
                )
            if number > 1:
                yield cells[0], cells[1]


def _write_pairs(
    path: Path,
    names: tuple[str, str],
    index: Index,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
) -> None:
    ids = list(index.document_ids)
    with written_whole(path) as stream:
        stream.write(("\t".join(names) + "\n").encode())
        for begin in range(0, len(first), _LINES_AT_ONCE):
            part = slice(begin, begin + _LINES_AT_ONCE)
            pairs = zip(first[part].tolist(), second[part].tolist(), strict=True)
            text = "".join(f"{ids[one]}\t{ids[other]}\n" for one, other in pairs)
            stream.write(text.encode("utf-8", "surrogateescape"))


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


NEIGHBOURS_FOLDER = "neighbours"


def has_neighbours(meta: Path) -> bool:
    """Whether the build of these metadata kept the counts of neighbours."""
    return is_folder(meta / NEIGHBOURS_FOLDER)


def write_neighbours(meta: Path, query_id: str, neighbours: QueryStatistics) -> None:
    """Keep the counts of those pages that have a word of the query."""
    matching = np.flatnonzero(neighbours.term_frequencies.any(axis=(1, 2)))
    kept = replace(
        neighbours,
        query_id=query_id,
        document_ids=tuple(neighbours.document_ids[row] for row in matching.tolist()),
        labels=neighbours.labels[matching],
        lengths=neighbours.lengths[matching],
        unique_lengths=neighbours.unique_lengths[matching],
        term_frequencies=neighbours.term_frequencies[matching],
    )
    folder = make_folder(meta / NEIGHBOURS_FOLDER)
    write_text(folder / make_query_file_name(query_id), format_query(kept))


def read_neighbours(
    meta: Path,
    collection: CollectionStatistics,
    query: QueryStatistics,
    document_ids: Sequence[str],
) -> QueryStatistics:
    """The counts of a query's neighbours, a row for each of these ids, 0 for those not kept."""
    path = meta / NEIGHBOURS_FOLDER / make_query_file_name(query.query_id)
    rows = {document_id: row for row, document_id in enumerate(document_ids)}
    found = read_query(path, collection) if is_file(path) else None
    if found is None or found.terms != query.terms:
        raise FormatError(
            f"the file must hold the neighbours of query {query.query_id}, with its words; build "
            f"the data set again, or remove {meta / NEIGHBOURS_FOLDER} to propagate within samples",
            path,
        )
    strange = next((one for one in found.document_ids if one not in rows), None)
    if strange is not None:
        raise FormatError(
            f"neighbours must be linked to a document of the query, or its children, in the "
            f"relations, found {strange!r}, which is not",
            path,
        )
    places = np.array([rows[one] for one in found.document_ids], np.int64)

    def spread(counts: NDArray[Any]) -> NDArray[Any]:
        whole = np.zeros((len(document_ids), *counts.shape[1:]), counts.dtype)
        whole[places] = counts
        return whole

    return replace(
        found,
        document_ids=tuple(document_ids),
        labels=spread(found.labels),
        lengths=spread(found.lengths),
        unique_lengths=spread(found.unique_lengths),
        term_frequencies=spread(found.term_frequencies),
    )
