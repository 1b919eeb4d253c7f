"""Features that a user brings in files: functions of Python, and the classes of queries.

A Python file, which is named explicitly, holds functions under `@feature(…)`, as in `definition`.
It is run, as an import would, and what it puts into the list of features belongs to the data set
that is made with it, not to others.

The class of a query is a feature for rankers that treat kinds of queries differently. Qin, Liu, Xu
and Li (2010), section 5.3.1, name query classification and query-dependent ranking as directions
that LETOR supports. The class is the same for all documents of a query, so it is of use to trees
and networks but not to a linear function; QueryLevelNorm leaves it as it is. Comments name it too,
from which it is read as the class of the query.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np

from rankwise.collection.corpora.document import find_places
from rankwise.collection.corpora.text_files import read_query_rows
from rankwise.collection.features.definition import (
    FEATURES,
    Column,
    Evidence,
    Feature,
    Parameters,
    StreamView,
    feature,
)
from rankwise.collection.statistics import QueryStatistics
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import read_bounded
from rankwise.registry import describe_failure


@dataclass(frozen=True)
class FeatureFile:
    """A file of features: where it is, the digest of what was run (BLAKE2b), what it defines."""

    path: Path
    digest: str
    features: tuple[Feature, ...]


def read_feature_files(paths: Iterable[str | Path]) -> tuple[FeatureFile, ...]:
    """Run the files and take the features that they define; no name may come twice."""
    known = set(FEATURES)
    try:
        return tuple(_read_feature_file(path) for path in paths)
    finally:
        for name in set(FEATURES) - known:
            del FEATURES[name]


def _read_feature_file(path: str | Path) -> FeatureFile:
    source = read_bounded(path, 1 << 24, "file of features")
    digest = hashlib.blake2b(source, digest_size=16).hexdigest()
    known = set(FEATURES)
    _run_feature_file(Path(path), source, f"rankwise_features_{digest}")
    own = tuple(feature for name, feature in FEATURES.items() if name not in known)
    if not own:
        raise RankwiseError(f"{path} must have functions under @feature(…), found none")
    return FeatureFile(Path(path), digest, own)


def _run_feature_file(path: Path, source: bytes, name: str) -> None:
    """Whatever the file raises is one sentence, which keeps its cause."""
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise FormatError(
            f"the file must be Python, found: {error.msg}", path, error.lineno
        ) from error
    except RankwiseError as error:
        raise RankwiseError(f"cannot take features from {path}: {error}") from error
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise RankwiseError(
            f"cannot take features from {path}, which fails with {describe_failure(error)}"
        ) from error


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
