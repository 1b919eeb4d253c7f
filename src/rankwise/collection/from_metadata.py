"""Features computed again from metadata and what a build left beside them.

A build puts `data-card.json` and `Relations/` next to its `Meta/`: the card tells which features it
had with which constants, the relations have links and sitemap. LETOR's own metadata stand alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from rankwise.collection.data_card import (
    CARD,
    describe_folds,
    parse_fold_seed,
    read_data_card,
    read_feature_names,
)
from rankwise.collection.features import (
    FEATURE_SETS,
    NO_EVIDENCE,
    Evidence,
    FeatureSet,
    Parameters,
    make_feature_set,
)
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.query_classes import QUERY_CLASS
from rankwise.collection.features.web import WEB_FEATURES
from rankwise.collection.metadata import list_query_files, read_collection
from rankwise.collection.query_table import QUERY_TABLE, read_table_classes
from rankwise.collection.related_documents import (
    OF_CATEGORIES,
    OF_URLS,
    RelatedDocuments,
    read_related_documents,
)
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.collection.xml_elements import Elements
from rankwise.errors import FormatError
from rankwise.files import is_file, readable, resolve

_ALONE = "ohsumed"
_NEEDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (PROXIMITY_FEATURES, "the places of words, which metadata do not have"),
    (OF_URLS, "URLs, which metadata do not have"),
    (OF_CATEGORIES, "the categories of documents, which metadata do not have"),
    (WEB_FEATURES, "links: Relations/hyperlinks.tsv and sitemap.tsv beside the metadata"),
    (
        (QUERY_CLASS,),
        "the classes again: query_classes, or 'rankwise build features --query-classes'",
    ),
)
_OWN = "the file that they come from: feature_files, or 'rankwise build features --feature-file'"


@dataclass(frozen=True, eq=False)
class Metadata:
    """A folder of metadata, with the card and the relations of the build that made it, if any."""

    folder: Path
    collection: CollectionStatistics
    card: dict[str, Any] | None
    related: RelatedDocuments | None

    @property
    def seed(self) -> int | None:
        """What drew the folds of the build; None where they are runs of queries."""
        return None if self.card is None else parse_fold_seed(self.card)

    @property
    def query_classes(self) -> dict[str, str] | None:
        """The classes of queries by their ids, where the build has some."""
        return read_table_classes(resolve(self.folder).parent / QUERY_TABLE)

    @property
    def query_ids(self) -> list[str]:
        """Of all queries, in the order of their files, of which no more than the id is read."""
        return [_read_query_id(path) for path in list_query_files(self.folder)]

    def features(self, name: str | None, constants: Mapping[str, Any]) -> FeatureSet:
        """The set `name`, or the build's, as far as it can be computed; constants likewise."""
        chosen = name or self._built or _ALONE
        parameters = self._parameters if chosen == self._built else FEATURE_SETS[chosen].parameters
        found = make_feature_set(
            chosen,
            self.collection,
            replace(parameters, **constants),
            web=self.related is not None,
        )
        absent: set[str] = {*OF_URLS, *OF_CATEGORIES}
        if self.card is not None and chosen == self._built:
            # What repeats other features in this corpus, the build left out.
            made = read_feature_names(self.card, resolve(self.folder).parent / CARD)
            absent |= set(WEB_FEATURES) - {column.partition(" of ")[0] for column in made}
        return found.without(absent)

    def left_out(self, features: FeatureSet) -> dict[str, list[str]]:
        """Features of the build, or of the set, that are not among these, by what they need."""
        reasons: dict[str, dict[str, None]] = {}
        for column in self._list_expected(features):
            if column not in features.column_names:
                name = column.partition(" of ")[0]
                need = next((need for names, need in _NEEDS if name in names), None)
                shown = column if need is None else name
                reasons.setdefault(need or _OWN, {})[shown] = None
        return {need: list(names) for need, names in reasons.items()}

    def evidence(self, query: QueryStatistics) -> Evidence:
        """What the relations tell of the documents of a query."""
        return NO_EVIDENCE if self.related is None else self.related.evidence(query)

    @property
    def _built(self) -> str | None:
        name = (self.card or {}).get("feature_set")
        return name if name in FEATURE_SETS else None

    @property
    def _parameters(self) -> Parameters:
        recorded = (self.card or {}).get("parameters", {})
        names = [entry.name for entry in fields(Parameters)]
        try:
            known = {n: recorded[n.rstrip("_")] for n in names if n.rstrip("_") in recorded}
            return Parameters(**known)
        except TypeError as error:
            raise FormatError("parameters must be numbers", self.folder.parent / CARD) from error

    def _list_expected(self, features: FeatureSet) -> Sequence[str]:
        if self.card is not None and features.name == self._built:
            return read_feature_names(self.card, resolve(self.folder).parent / CARD)
        whole = make_feature_set(features.name, self.collection, web=True, word_places=True)
        return whole.column_names


def read_metadata(folder: Path) -> Metadata:
    """The collection, and what stands beside the folder; queries are read one at a time later."""
    collection = read_collection(folder)
    home = resolve(folder).parent
    card = read_data_card(home) if is_file(home / CARD) else None
    return Metadata(
        folder, collection, card, read_related_documents(home / "Relations", collection, folder)
    )


def make_metadata_card(
    metadata: Metadata, features: FeatureSet, seed: int | None, filling: str
) -> dict[str, object]:
    """What is recorded of features that were computed again."""
    return {
        "name": metadata.collection.name,
        "features_from": {"metadata": str(metadata.folder), "links": metadata.related is not None},
        "feature_set": features.name,
        "parameters": {n.rstrip("_"): v for n, v in asdict(features.parameters).items()},
        "features": features.described,
        **features.own_parts,
        "left_out": metadata.left_out(features),
        "filling": filling,
        "folds": describe_folds(seed),
    }


def _read_query_id(path: Path) -> str:
    with readable(path) as stream:
        elements = Elements(stream, path)
        elements.open("query")
        return elements.value("id")
