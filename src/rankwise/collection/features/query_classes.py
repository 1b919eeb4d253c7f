"""The class of a query as a feature, for rankers that treat kinds of queries differently.

Qin, Liu, Xu and Li (2010), section 5.3.1, name query classification and query-dependent ranking as
directions that LETOR supports. The class is the same for all documents of a query, so it is of use
to trees and networks but not to a linear function; QueryLevelNorm leaves it as it is. Comments name
it too, from which it is read as the class of the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankwise.collection.corpora.identifiers import find_places
from rankwise.collection.features.definition import Column, Parameters, StreamView, feature
from rankwise.collection.features.evidence import Evidence
from rankwise.collection.query_table import read_query_rows
from rankwise.collection.statistics import QueryStatistics
from rankwise.errors import FormatError, RankwiseError

QUERY_CLASS = "query-class"


@feature(QUERY_CLASS, "number of the class of q", "Q", of_stream=False)
def query_class(view: StreamView, parameters: Parameters) -> Column:
    """The class of the query, from 1."""
    return view.evidence.column(QUERY_CLASS)


class QueryClasses:
    """Classes of queries by name, numbered from 1 in the order of their names."""

    def __init__(self, classes: dict[str, str]) -> None:
        self.of_queries = classes
        self.numbers = {name: n for n, name in enumerate(sorted(set(classes.values())), 1)}

    def number(self, query_id: str) -> int:
        """The number of the class of a query, which must have one."""
        name = self.of_queries.get(query_id)
        if name is None:
            raise RankwiseError(f"every query must have a class, found none for {query_id!r}")
        return self.numbers[name]

    def matched(self, query_ids: Sequence[str]) -> QueryClasses:
        """The same classes under the ids of the queries, which may differ by leading zeros.

        See `find_places`. Two ids that mean one query must not give it two classes.
        """
        matched = dict(self.of_queries)
        for name, place in find_places(self.of_queries, query_ids).items():
            query, found = query_ids[place], self.of_queries[name]
            if matched.setdefault(query, found) != found:
                raise RankwiseError(
                    f"each query must have one class, found {matched[query]!r} and {found!r} for "
                    f"{query!r}, which is also called {name!r}"
                )
        return QueryClasses(matched)

    def added(self, evidence: Evidence, query: QueryStatistics) -> Evidence:
        """The evidence with the column of the query's documents."""
        column = np.full(query.n_documents, float(self.number(query.query_id)))
        return replace(evidence, columns={**evidence.columns, QUERY_CLASS: column})


def read_query_classes(path: str | Path) -> QueryClasses:
    """Lines of query id, tab, name of its class; or a table whose header has `query` and `class`.

    The table `queries.tsv` of a build is such a one.
    """
    classes: dict[str, str] = {}
    for number, row in read_query_rows(path, ("query", "class"), headed=False):
        query, name = row["query"], row["class"]
        if not (query and name):
            raise FormatError(
                f"every query must have a class, found none for {query!r}", path, number
            )
        if query in classes:
            raise FormatError(
                f"each query must have one class, found {query!r} again", path, number
            )
        classes[query] = name
    return QueryClasses(classes)
