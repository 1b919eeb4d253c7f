"""The counts of the pages around a query's documents, kept beside its metadata.

`Meta/neighbours/query-….xml` has LETOR's own layout of a query. Pages without any word of the query
are not in it: which pages there are the relations tell, and their counts are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.metadata import format_query, make_query_file_name, read_query
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.errors import FormatError
from rankwise.files import is_file, is_folder, make_folder, write_text

FOLDER = "neighbours"


def has_neighbours(meta: Path) -> bool:
    """Whether the build of these metadata kept the counts of neighbours."""
    return is_folder(meta / FOLDER)


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
    folder = make_folder(meta / FOLDER)
    write_text(folder / make_query_file_name(query_id), format_query(kept))


def read_neighbours(
    meta: Path,
    collection: CollectionStatistics,
    query: QueryStatistics,
    document_ids: Sequence[str],
) -> QueryStatistics:
    """The counts of a query's neighbours, a row for each of these ids, 0 for those not kept."""
    path = meta / FOLDER / make_query_file_name(query.query_id)
    rows = {document_id: row for row, document_id in enumerate(document_ids)}
    found = read_query(path, collection) if is_file(path) else None
    if found is None or found.terms != query.terms:
        raise FormatError(
            f"the file must hold the neighbours of query {query.query_id}, with its words; build "
            f"the data set again, or remove {meta / FOLDER} to propagate within samples",
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
