"""Named sets of features, which features of which streams in LETOR's order, and their computation.

A query gives a matrix of documents by features, all queries a data set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_choice
from rankwise.collection.build_folder import Versions, make_versions
from rankwise.collection.features.definition import (
    FEATURES,
    NO_EVIDENCE,
    Evidence,
    Feature,
    Parameters,
    find_feature,
    make_stream_view,
)
from rankwise.collection.features.feature_files import QUERY_CLASS, FeatureFile, QueryClasses
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.web_features import WEB_FEATURES
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.data.dataset import Dataset
from rankwise.data.normalization.scales import FillRule
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

FEATURE_FILES = (
    "rankwise.collection.features.text_features",
)  # fmt: skip
"""Each puts its features into the list when it is imported."""
for _file in FEATURE_FILES:
    import_module(_file)

EXTRACTED_TITLE = "extracted title"

OHSUMED_FEATURES = (
    "tf", "log-tf", "tf-share", "log-tf-share", "idf", "log-idf", "icf", "log-tf-share-idf",
    "tf-idf", "log-tf-share-icf", "bm25", "log-bm25", "lmir-dir", "lmir-jm", "lmir-abs",
)  # fmt: skip
"""Table 3 of Qin, Liu, Xu and Li (2010): these of the title, then of the abstract, then of both."""

GOV_FEATURES = (
    "tf", "robertson-idf", "tf-robertson-idf", "length", "bm25", "lmir-abs", "lmir-dir", "lmir-jm",
)  # fmt: skip
"""The first 40 of table 2: each of all five streams before the next."""

EXTRACTED_TITLE_FEATURES = ("bm25", "lmir-abs", "lmir-dir", "lmir-jm")

DOCUMENT_FEATURES = (
    "length",
    "unique-length",
    "log-length",
    "diversity",
    "query-length",
    "covered-terms",
    "coverage",
    "covered-idf",
    "least-tf",
    "greatest-tf",
    "mean-tf",
    "variance-tf",
    "cosine",
)
"""What the set `extended` adds to OHSUMED's for each stream."""

GOV_PARAMETERS = Parameters(k1=2.5, b=0.8, k3=0.0, mu=2000.0, lambda_=0.1, delta=0.7)


@dataclass(frozen=True)
class SetColumn:
    """One column of a data set: a feature of a stream (None where it has no stream)."""

    feature: Feature
    stream: int | None
    stream_name: str | None

    @property
    def name(self) -> str:
        """`bm25 of Title`, or `pagerank`."""
        return self.feature.name + (f" of {self.stream_name}" if self.stream_name else "")


@dataclass(frozen=True)
class FeatureSet:
    """Columns in order, the constants of their formulas, and what of them is the user's own."""

    name: str
    columns: tuple[SetColumn, ...]
    parameters: Parameters
    feature_files: tuple[FeatureFile, ...] = ()
    query_classes: QueryClasses | None = None

    @property
    def column_names(self) -> tuple[str, ...]:
        """One per column."""
        return tuple(column.name for column in self.columns)

    @property
    def fill_rule(self) -> FillRule:
        """What NULL becomes in the MIN version, as in LETOR's files: 0 for BM25 and its logarithm.

        For OHSUMED's 45 features this is the rule `letor3-files`.
        """
        return _fill_rule(self.name, [column.feature for column in self.columns])

    def make_versions(
        self, dataset: Dataset, classes: Mapping[str, str] | None, rule: FillRule | None = None
    ) -> Versions:
        """LETOR's versions of its values, with the `classes` of queries where it has none itself.

        `rule` says what NULL becomes where it is not the set's own rule.
        """
        own = self.query_classes
        return make_versions(
            dataset,
            self.fill_rule if rule is None else rule,
            classes if own is None else own.of_queries,
            class_feature=own is not None,
        )

    def without(self, features: Collection[str]) -> FeatureSet:
        """The set without the features of these names."""
        kept = tuple(column for column in self.columns if column.feature.name not in features)
        return replace(self, columns=kept)

    def with_feature_file(self, file: FeatureFile, streams: Sequence[str]) -> FeatureSet:
        """The set with the features of a file at its end: of each stream, or once without one."""
        taken = {column.feature.name for column in self.columns}
        for feature in file.features:
            if feature.name in taken:
                raise RankwiseError(
                    f"a feature name must be new, found {feature.name!r} of {file.path} twice"
                )
        columns = [column for f in file.features for column in _make_columns(f, streams)]
        files = (*self.feature_files, file)
        return replace(self, columns=(*self.columns, *columns), feature_files=files)

    def with_query_classes(self, classes: QueryClasses) -> FeatureSet:
        """The set with the class of the query as its last column."""
        last = SetColumn(find_feature(QUERY_CLASS), None, None)
        return replace(self, columns=(*self.columns, last), query_classes=classes)

    @property
    def described(self) -> list[dict[str, object]]:
        """Number, name, category and formula of each column, as data cards hold them."""
        return [
            {"number": number, "name": c.name, "category": c.feature.category,
             "formula": c.feature.formula}
            for number, c in enumerate(self.columns, 1)
        ]  # fmt: skip

    @property
    def own_parts(self) -> dict[str, object]:
        """What data cards hold of feature files and query classes, nothing where there are none."""
        files = [{"origin": str(f.path), "digest": f.digest} for f in self.feature_files]
        parts: dict[str, object] = {"feature_files": files} if files else {}
        if self.query_classes is not None:
            parts["query_classes"] = self.query_classes.numbers
        return parts


def add_own_parts(
    features: FeatureSet,
    streams: Sequence[str],
    feature_files: Iterable[FeatureFile],
    query_classes: QueryClasses | None,
) -> FeatureSet:
    """The set with the features of a user's files, then the class of the query."""
    for file in feature_files:
        features = features.with_feature_file(file, streams)
    return features if query_classes is None else features.with_query_classes(query_classes)


@dataclass(frozen=True)
class NamedSet:
    """A set before it is known which streams there are."""

    name: str
    summary: str
    parameters: Parameters
    columns: Callable[[Sequence[str], bool, bool], list[tuple[str, int | None]]]


def make_feature_set(
    name: str,
    collection: CollectionStatistics,
    parameters: Parameters | None = None,
    *,
    web: bool = False,
    word_places: bool = False,
) -> FeatureSet:
    """The set `name` for the streams of a collection.

    Args:
        name: a key of `FEATURE_SETS`.
        collection: whose streams.
        parameters: constants other than the set's own.
        web: whether links and URLs are known; without them the Gov set has no features 41 to 60.
        word_places: whether places of words are known, for the proximity features of `extended`.
    """
    chosen = FEATURE_SETS[check_choice("a feature set", name, FEATURE_SETS, verb="is")]
    names = collection.stream_names
    columns = tuple(
        SetColumn(find_feature(feature), stream, None if stream is None else names[stream])
        for feature, stream in chosen.columns(names, web, word_places)
    )
    return FeatureSet(name, columns, parameters or chosen.parameters)


def fill_rule_of(name: str, column_names: Iterable[str]) -> FillRule:
    """The rule of the set `name` when only the names of its columns are left, as on a data card.

    Features that are not the house's own are filled with the minimum.
    """
    names = (column.partition(" of ")[0] for column in column_names)
    return _fill_rule(name, [FEATURES.get(feature) for feature in names])


def _fill_rule(name: str, features: Sequence[Feature | None]) -> FillRule:
    zero = [n for n, feature in enumerate(features, 1) if feature and feature.null_becomes_zero]
    return FillRule(f"{name}-files", exceptions=tuple((n, 0.0) for n in zero))


def _make_columns(feature: Feature, streams: Sequence[str]) -> list[SetColumn]:
    if not feature.of_stream:
        return [SetColumn(feature, None, None)]
    return [SetColumn(feature, place, name) for place, name in enumerate(streams)]


def _list_by_stream(features: Sequence[str], n_streams: int) -> list[tuple[str, int | None]]:
    return [(feature, stream) for stream in range(n_streams) for feature in features]


def _list_ohsumed(streams: Sequence[str], web: bool, places: bool) -> list[tuple[str, int | None]]:
    return _list_by_stream(OHSUMED_FEATURES, len(streams))


def _list_gov(streams: Sequence[str], web: bool, places: bool) -> list[tuple[str, int | None]]:
    """The whole document, from which values propagate, is the last stream but the extracted title.

    With the streams body, anchor, title, URL, whole document and extracted title, and with links,
    these are the 64 features of table 2 in its order.
    """
    extracted = [n for n, name in enumerate(streams) if name.lower() == EXTRACTED_TITLE]
    main = [n for n in range(len(streams)) if n not in extracted]
    columns: list[tuple[str, int | None]] = [(f, n) for f in GOV_FEATURES for n in main]
    columns += _list_web(main[-1]) if web and main else []
    return columns + [(f, n) for n in extracted for f in EXTRACTED_TITLE_FEATURES]


def _list_web(whole: int) -> list[tuple[str, int | None]]:
    return [(f, whole if find_feature(f).of_stream else None) for f in WEB_FEATURES]


def _list_extended(streams: Sequence[str], web: bool, places: bool) -> list[tuple[str, int | None]]:
    features = [*OHSUMED_FEATURES, *DOCUMENT_FEATURES, *(PROXIMITY_FEATURES if places else ())]
    main = [n for n, name in enumerate(streams) if name.lower() != EXTRACTED_TITLE]
    return _list_by_stream(features, len(streams)) + (_list_web(main[-1]) if web and main else [])


FEATURE_SETS = {
    entry.name: entry
    for entry in (
        NamedSet("ohsumed", "LETOR's 15 features of each stream", Parameters(), _list_ohsumed),
        NamedSet("gov", "LETOR's 64 web features", GOV_PARAMETERS, _list_gov),
        NamedSet(
            "extended",
            "ohsumed with document, coverage and proximity features; with links, web features",
            Parameters(),
            _list_extended,
        ),
    )
}
"""The sets that commands know; Gov's constants are those of section 3.3.1."""


def compute_features(
    collection: CollectionStatistics,
    query: QueryStatistics,
    features: FeatureSet,
    evidence: Evidence = NO_EVIDENCE,
) -> NDArray[np.float64]:
    """(documents, features) of one query; NaN is NULL."""
    if features.query_classes is not None:
        evidence = features.query_classes.added(evidence, query)
    views = [
        make_stream_view(collection, query, place, evidence)
        for place in range(len(collection.streams))
    ]
    values = np.empty((query.n_documents, len(features.columns)))
    for number, column in enumerate(features.columns):
        view = views[0 if column.stream is None else column.stream]
        values[:, number] = column.feature.values(view, features.parameters)
    if np.isinf(values).any():
        name = features.columns[int(np.flatnonzero(np.isinf(values).any(axis=0))[0])].name
        raise RankwiseError(
            f"features must be finite, found that {name} is not in query {query.query_id}"
        )
    return values


def no_evidence(query: QueryStatistics) -> Evidence:
    """Nothing but the counts is known of any query."""
    return NO_EVIDENCE


def compute_dataset(
    collection: CollectionStatistics,
    queries: Iterable[QueryStatistics],
    features: FeatureSet,
    evidence: Callable[[QueryStatistics], Evidence] = no_evidence,
) -> Dataset:
    """All queries in the order given, as Feature_NULL before it is printed."""
    computed = (
        (query, compute_features(collection, query, features, evidence(query))) for query in queries
    )
    return join_queries(computed, features)


def join_queries(
    queries: Iterable[tuple[QueryStatistics, NDArray[np.float64]]], features: FeatureSet
) -> Dataset:
    """A data set of queries in the order given, each with the features of its documents."""
    matrices, labels, lengths = [], [], [0]
    query_ids: list[str] = []
    document_ids: list[str] = []
    for query, matrix in queries:
        matrices.append(matrix)
        labels.append(query.labels)
        lengths.append(query.n_documents)
        query_ids.append(query.query_id)
        document_ids += query.document_ids
    if not query_ids:
        raise RankwiseError("a data set needs at least one query, found none")
    return Dataset(
        features=np.concatenate(matrices),
        labels=np.concatenate(labels).astype(np.float64),
        query_offsets=np.cumsum(lengths, dtype=np.int64),
        query_ids=TextColumn.from_texts(query_ids),
        document_ids=TextColumn.from_texts(document_ids),
        feature_names=features.column_names,
    )
