"""What a feature is, what it is given, and the list of all features.

To add one, write a function of a `StreamView` and `Parameters` that returns one value per document
and put the line `@feature(name, formula, category)` above it:

    @feature("squared-length", "|d|²", "D")
    def squared_length(view: StreamView, parameters: Parameters) -> Column:
        return view.lengths**2

It is computed for each stream, or with `of_stream=False` once. A file of such functions becomes
part of a data set by `--feature-file`; see `feature_files`.

`Evidence` is what counts do not tell about the documents of a query: links, sitemap, places of
words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_choice, suggest
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.errors import RankwiseError
from rankwise.registry import describe_failure

Column = NDArray[np.float64]
Category = Literal["Q", "D", "Q-D"]


@dataclass(frozen=True)
class Parameters:
    """The constants of the formulas; the defaults are those of LETOR's OHSUMED.

    Attributes:
        k1, b, k3: of BM25.
        mu: of the Dirichlet-smoothed language model, LMIR.DIR.
        lambda_: weight of the collection in the Jelinek-Mercer mixture, LMIR.JM.
        delta: what absolute discounting takes from each count, LMIR.ABS.
        average_length_digits: significant digits of the average length of a stream; LETOR's BM25
            is exact only with 6, None takes the quotient as it is.
        sitemap_rate, hyperlink_rate: α, the part of a page that is its own in propagation.
        proximity_window: words in which a pair of query words counts as near.
    """

    k1: float = 1.2
    b: float = 0.75
    k3: float = 7.0
    mu: float = 50.0
    lambda_: float = 0.5
    delta: float = 0.5
    average_length_digits: int | None = 6
    sitemap_rate: float = 0.9
    hyperlink_rate: float = 0.85
    proximity_window: int = 8

    def __post_init__(self) -> None:
        for entry in fields(self):
            low, high, open_below = _BOUNDS[entry.name]
            value = getattr(self, entry.name)
            if value is None:
                continue
            if not (low < value if open_below else low <= value) or not value <= high:
                raise RankwiseError(
                    f"{entry.name.rstrip('_')} must be {'above' if open_below else 'at least'} "
                    f"{low:g} and at most {high:g}, found {value!r}"
                )


_LARGEST_CONSTANT = 1e9
_BOUNDS = {
    "k1": (0, _LARGEST_CONSTANT, False),
    "b": (0, 1, False),
    "k3": (0, _LARGEST_CONSTANT, False),
    "mu": (0, _LARGEST_CONSTANT, True),
    "lambda_": (0, 1, True),
    "delta": (0, 1, True),
    "average_length_digits": (1, 17, False),
    "sitemap_rate": (0, 1, True),
    "hyperlink_rate": (0, 1, True),
    "proximity_window": (1, _LARGEST_CONSTANT, False),
}


@dataclass(frozen=True, eq=False)
class StreamView:
    """One stream of the documents of one query, as the formulas of the papers need it.

    Query words that the stream does not know (df = 0) are left out of every sum, which LETOR's
    OHSUMED files show; so arrays of terms have one entry per *known* query position.

    Attributes:
        name: the stream.
        place: its place among the streams, from 0.
        n_documents: |C|, documents of the collection.
        total_terms: words of the stream in the collection.
        words: the known query words, one per position.
        document_frequencies, collection_frequencies: (terms,) df and c(q_i, C).
        lengths, unique_lengths: (documents,) words and distinct words.
        counts: (terms, documents) c(q_i, d).
        positions: which query positions the terms are, from 0.
        evidence: what the counts do not tell (links, places of words), where it is known.
    """

    name: str
    place: int
    n_documents: float
    total_terms: float
    words: tuple[str, ...]
    document_frequencies: Column
    collection_frequencies: Column
    lengths: Column
    unique_lengths: Column
    counts: Column
    positions: NDArray[np.int64]
    evidence: Evidence

    @property
    def shares(self) -> Column:
        """(terms, documents) c(q_i, d) / |d|, 0 where the stream is empty."""
        return self.counts / np.maximum(self.lengths, 1.0)

    @property
    def matches(self) -> NDArray[np.bool_]:
        """(documents,) whether any query word occurs."""
        found: NDArray[np.bool_] = np.any(self.counts > 0, axis=0)
        return found

    def of_terms(self, values: Column) -> Column:
        """(terms,) values as (terms, 1), to be combined with `counts`."""
        return values[:, None]

    def total(self, summands: Column) -> Column:
        """Σ over the terms of (terms, documents), or of (terms, 1) the same for all documents.

        Added in the order of the query, so that the last bit does not depend on the shapes.
        """
        running = np.zeros(len(self.lengths))
        for summand in summands:
            running += summand
        return running


Compute = Callable[[StreamView, Parameters], Column]


@dataclass(frozen=True)
class Feature:
    """A named function with its formula.

    Attributes:
        name: as feature sets and commands call it.
        formula: what it computes, as an equation.
        category: Q depends on the query only, D on the document only, Q-D on both.
        compute: one value per document; NaN is NULL.
        null_without_match: NULL where no query word occurs in the stream, as LETOR's BM25 and
            language models.
        null_becomes_zero: whether LETOR's MIN version fills NULL with 0 instead of the minimum.
        of_stream: whether its value depends on the stream.
    """

    name: str
    formula: str
    category: Category
    compute: Compute
    null_without_match: bool = False
    null_becomes_zero: bool = False
    of_stream: bool = True

    def values(self, view: StreamView, parameters: Parameters) -> Column:
        """One value per document, NULL where it must be."""
        column = self._computed(view, parameters)
        if column.shape != view.lengths.shape:
            raise RankwiseError(
                f"feature {self.name} must give one value for each of the {len(view.lengths)} "
                f"documents, found shape {column.shape}"
            )
        return np.where(view.matches, column, np.nan) if self.null_without_match else column

    def _computed(self, view: StreamView, parameters: Parameters) -> Column:
        """What the function gives; it may be anybody's, and whatever it raises is one sentence."""
        try:
            return np.asarray(self.compute(view, parameters), dtype=np.float64)
        except (RankwiseError, MemoryError):
            raise
        except Exception as error:
            raise RankwiseError(
                f"the feature {self.name} fails with {describe_failure(error)}"
            ) from error


FEATURES: dict[str, Feature] = {}


def feature(
    name: str,
    formula: str,
    category: Category,
    *,
    null_without_match: bool = False,
    null_becomes_zero: bool = False,
    of_stream: bool = True,
) -> Callable[[Compute], Compute]:
    """Put the function below into the list of features; see the module's sentence."""

    def registered(compute: Compute) -> Compute:
        _check_words(name, formula, category)
        if name in FEATURES:
            raise RankwiseError(f"a feature name must be new, found {name!r} twice")
        FEATURES[name] = Feature(
            name, formula, category, compute, null_without_match, null_becomes_zero, of_stream
        )
        return compute

    return registered


def _check_words(name: object, formula: object, category: object) -> None:
    """Refuse what data cards and tables cannot show."""
    for what, text in (("name", name), ("formula", formula)):
        if (text == "" and what == "name") or not (isinstance(text, str) and text.isprintable()):
            raise RankwiseError(f"a feature's {what} must be a line of text, found {text!r}")
    check_choice(f"the category of the feature {name!r}", category, get_args(Category))


def find_feature(name: str) -> Feature:
    """The feature of this name; a misspelt name suggests the nearest."""
    if name not in FEATURES:
        hint = suggest(name, FEATURES) or f"known are {', '.join(FEATURES)}"
        raise RankwiseError(f"there is no feature {name!r}; {hint}")
    return FEATURES[name]


def make_stream_view(
    collection: CollectionStatistics,
    query: QueryStatistics,
    place: int,
    evidence: Evidence,
) -> StreamView:
    """The stream at `place` (from 0), without the query words that it does not know."""
    df = query.document_frequencies(place)
    known = np.flatnonzero(df > 0)
    stream = collection.streams[place]
    return StreamView(
        name=stream.description,
        place=place,
        n_documents=float(collection.n_documents),
        total_terms=float(stream.total_terms),
        words=tuple(query.terms[position].word for position in known.tolist()),
        document_frequencies=df[known].astype(np.float64),
        collection_frequencies=query.collection_frequencies(place)[known].astype(np.float64),
        lengths=query.lengths[:, place].astype(np.float64),
        unique_lengths=query.unique_lengths[:, place].astype(np.float64),
        counts=np.ascontiguousarray(query.term_frequencies[:, place, :].T[known], dtype=np.float64),
        positions=known,
        evidence=evidence,
    )


@dataclass(frozen=True, eq=False)
class Links:
    """Directed links between the pages of a query, by their row: source i → target i."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.sources.shape != self.targets.shape or self.sources.ndim != 1:
            raise RankwiseError(
                "links must have as many sources as targets, found shapes "
                f"{self.sources.shape} and {self.targets.shape}"
            )


@dataclass(frozen=True, eq=False)
class WordPlaces:
    """Where the words of a query stand in one stream of its documents.

    Places of query position p in document d, ascending from 0, are
    `places[offsets[d * n_positions + p] : offsets[d * n_positions + p + 1]]`.
    """

    n_positions: int
    offsets: NDArray[np.int64]
    places: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything beyond counts, for the documents of one query; each part may be unknown.

    Attributes:
        columns: values per document by name, such as `pagerank`; see `features.web`.
        hyperlinks: links among the documents of the query and their neighbours.
        parents: the row of each one's parent in the sitemap, −1 where it is not among them.
        neighbours: counts of the pages around the documents, whose rows are behind those of the
            documents in the two above; None where links are among the documents alone.
        word_places: one per stream.
    """

    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    hyperlinks: Links | None = None
    parents: NDArray[np.int64] | None = None
    neighbours: QueryStatistics | None = None
    word_places: tuple[WordPlaces, ...] | None = None

    def column(self, name: str) -> NDArray[np.float64]:
        """The column `name`, or a sentence that it is needed."""
        if name not in self.columns:
            raise RankwiseError(
                f"the feature {name} needs a value for each document that its counts do not tell, "
                "found none; leave the feature out or build from the corpus"
            )
        return np.asarray(self.columns[name], dtype=np.float64)


NO_EVIDENCE = Evidence()
