"""The class of a query as a feature, for rankers that treat kinds of queries differently.

Qin, Liu, Xu and Li (2010), section 5.3.1, name query classification and query-dependent ranking as
directions that LETOR supports. The class is the same for all documents of a query, so it is of use
to trees and networks but not to a linear function, and it is lost in QueryLevelNorm.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankwise.collection.features.definition import Column, Parameters, StreamView, feature
from rankwise.collection.features.evidence import Evidence
from rankwise.collection.statistics import QueryStatistics
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import readable

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

    def evidence(self, query: QueryStatistics) -> Evidence:
        """The column of the query's documents."""
        name = self.of_queries.get(query.query_id)
        if name is None:
            raise RankwiseError(f"every query must have a class, found none for {query.query_id!r}")
        return Evidence({QUERY_CLASS: np.full(query.n_documents, float(self.numbers[name]))})


def read_query_classes(path: str | Path) -> QueryClasses:
    """Lines of query id, tab, name of its class."""
    classes: dict[str, str] = {}
    with readable(path) as stream:
        for number, line in enumerate(stream, 1):
            text = line.decode("utf-8", "replace").strip("\r\n")
            query, tab, name = text.partition("\t")
            if not (query and tab and name):
                raise FormatError(
                    f"a line must hold a query id, a tab and a class, found {text[:60]!r}",
                    path,
                    number,
                )
            if query in classes:
                raise FormatError(
                    f"each query must have one class, found {query!r} again", path, number
                )
            classes[query] = name
    return QueryClasses(classes)
