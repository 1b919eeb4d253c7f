"""Named sets of features: which features of which streams, in LETOR's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

# Each module puts its features into the list when it is imported.
from rankwise.collection.features import (
    bm25,
    documents,
    language_models,
    query_classes,
    term_weights,
)
from rankwise.collection.features.definition import Feature, Parameters, find_feature
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.web import WEB_FEATURES
from rankwise.collection.statistics import CollectionStatistics
from rankwise.data.normalization import FillRule
from rankwise.errors import RankwiseError

FEATURE_MODULES = (term_weights, bm25, language_models, documents, query_classes)
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
    "length", "unique-length", "log-length", "diversity", "query-length", "covered-terms",
    "coverage", "covered-idf", "least-tf", "greatest-tf", "mean-tf", "variance-tf", "cosine",
)  # fmt: skip
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
    """Columns in order, and the constants of their formulas."""

    name: str
    columns: tuple[SetColumn, ...]
    parameters: Parameters

    @property
    def column_names(self) -> tuple[str, ...]:
        """One per column."""
        return tuple(column.name for column in self.columns)

    def with_feature(self, name: str) -> FeatureSet:
        """The set with one more column at its end, a feature without a stream."""
        return replace(self, columns=(*self.columns, SetColumn(find_feature(name), None, None)))

    @property
    def fill_rule(self) -> FillRule:
        """What NULL becomes in the MIN version, as in LETOR's files: 0 for BM25 and its logarithm.

        For OHSUMED's 45 features this is the rule `letor3-files`.
        """
        zero = [n for n, column in enumerate(self.columns, 1) if column.feature.null_becomes_zero]
        return FillRule(f"{self.name}-files", exceptions=tuple((n, 0.0) for n in zero))


@dataclass(frozen=True)
class NamedSet:
    """A set before it is known which streams there are."""

    name: str
    summary: str
    parameters: Parameters
    columns: Callable[[Sequence[str], bool, bool], list[tuple[str, int | None]]]


def feature_set(
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
    if name not in FEATURE_SETS:
        raise RankwiseError(f"a feature set is one of {', '.join(FEATURE_SETS)}, found {name!r}")
    chosen = FEATURE_SETS[name]
    names = collection.stream_names
    columns = tuple(
        SetColumn(find_feature(feature), stream, None if stream is None else names[stream])
        for feature, stream in chosen.columns(names, web, word_places)
    )
    return FeatureSet(name, columns, parameters or chosen.parameters)


def _stream_by_stream(features: Sequence[str], n_streams: int) -> list[tuple[str, int | None]]:
    return [(feature, stream) for stream in range(n_streams) for feature in features]


def _ohsumed(streams: Sequence[str], web: bool, places: bool) -> list[tuple[str, int | None]]:
    return _stream_by_stream(OHSUMED_FEATURES, len(streams))


def _gov(streams: Sequence[str], web: bool, places: bool) -> list[tuple[str, int | None]]:
    """The whole document, from which values propagate, is the last stream but the extracted title.

    With the streams body, anchor, title, URL, whole document and extracted title, and with links,
    these are the 64 features of table 2 in its order.
    """
    extracted = [n for n, name in enumerate(streams) if name.lower() == EXTRACTED_TITLE]
    main = [n for n in range(len(streams)) if n not in extracted]
    columns: list[tuple[str, int | None]] = [(f, n) for f in GOV_FEATURES for n in main]
    if web and main:
        columns += [(f, main[-1] if find_feature(f).of_stream else None) for f in WEB_FEATURES]
    return columns + [(f, n) for n in extracted for f in EXTRACTED_TITLE_FEATURES]


def _extended(streams: Sequence[str], web: bool, places: bool) -> list[tuple[str, int | None]]:
    features = [*OHSUMED_FEATURES, *DOCUMENT_FEATURES, *(PROXIMITY_FEATURES if places else ())]
    columns = _stream_by_stream(features, len(streams))
    if web:
        last = len(streams) - 1
        columns += [(f, last if find_feature(f).of_stream else None) for f in WEB_FEATURES]
    return columns


FEATURE_SETS = {
    entry.name: entry
    for entry in (
        NamedSet("ohsumed", "LETOR's 15 features of each stream", Parameters(), _ohsumed),
        NamedSet("gov", "LETOR's 64 web features", GOV_PARAMETERS, _gov),
        NamedSet(
            "extended",
            "ohsumed with document, coverage and proximity features",
            Parameters(),
            _extended,
        ),
    )
}
"""The sets that commands know; Gov's constants are those of section 3.3.1."""
