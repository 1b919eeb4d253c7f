"""What counts do not tell about the documents of a query: links, sitemap, places of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.statistics import QueryStatistics
from rankwise.errors import RankwiseError


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

    @classmethod
    def of_texts(cls, texts: Sequence[Sequence[str]], words: Sequence[str]) -> WordPlaces:
        """From the words of each document's stream, as the index has them (stemmed)."""
        found: list[list[int]] = []
        for text in texts:
            where: dict[str, list[int]] = {word: [] for word in words}
            for place, word in enumerate(text):
                if word in where:
                    where[word].append(place)
            found += [where[word] for word in words]
        lengths = np.array([len(places) for places in found], np.int64)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        flat = np.array([place for places in found for place in places], np.int64)
        return cls(len(words), offsets, flat)


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
