"""Compute features again from metadata, and write them as a data set in LETOR's versions.

A build puts `data-card.json` and `Relations/` next to its `Meta/`: the card tells which features it
had with which constants, the relations have links and sitemap. LETOR's own metadata stand alone.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from rankwise.collection.build_folder import (
    FEATURES_MARK_TEXT,
    MARK,
    VERSION_FOLDERS,
    WORK,
    list_names,
    lock_folder,
    make_workshop,
    put_in_place,
    write_versions,
)
from rankwise.collection.corpora.text_files import QUERY_TABLE, read_table_classes
from rankwise.collection.data_card import (
    CARD,
    describe_folds,
    parse_fold_seed,
    read_data_card,
    read_feature_names,
)
from rankwise.collection.features.definition import NO_EVIDENCE, Evidence, Parameters
from rankwise.collection.features.feature_files import (
    QUERY_CLASS,
    read_feature_files,
    read_query_classes,
)
from rankwise.collection.features.feature_sets import (
    FEATURE_SETS,
    FeatureSet,
    add_own_parts,
    compute_dataset,
    make_feature_set,
)
from rankwise.collection.features.proximity import PROXIMITY_FEATURES
from rankwise.collection.features.web_features import WEB_FEATURES
from rankwise.collection.metadata import Elements, list_query_files, read_collection, read_queries
from rankwise.collection.related_documents import (
    OF_CATEGORIES,
    OF_URLS,
    RelatedDocuments,
    read_related_documents,
)
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.data.dataset import Dataset
from rankwise.data.normalization.scales import FillRule, count_null, parse_fill_rule
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import (
    is_file,
    is_folder,
    is_there,
    make_folder,
    plain_name,
    readable,
    resolve,
    write_text,
)
from rankwise.progress import Stage, silent_stage
from rankwise.tables.notebook import Rows, Tabular, shortened

AS_PUBLISHED = "as-published"


@dataclass(frozen=True, eq=False)
class MetadataFeatures(Tabular):
    """The features that metadata allow, ready to be computed.

    `left_out` are those of the build, or of the set, that they do not allow, by what they need.
    """

    known: Metadata
    features: FeatureSet

    def __repr__(self) -> str:
        return shortened(
            f"{len(self.features.columns)} features ({self.features.name}) of "
            f"{self.known.collection.name} from {self.known.folder}"
        )

    @property
    def left_out(self) -> dict[str, list[str]]:
        """Features that are missing, by what they need."""
        return self.known.left_out(self.features)

    def _table(self) -> Rows:
        return ("number", "feature", "stream", "category", "formula"), [
            (number, column.feature.name, column.stream_name or "", column.feature.category,
             column.feature.formula)
            for number, column in enumerate(self.features.columns, 1)
        ]  # fmt: skip

    def listed(self) -> list[dict[str, object]]:
        """One record a feature: number, feature, stream, category, formula."""
        titles, rows = self._table()
        return [dict(zip(titles, row, strict=True)) for row in rows]


@dataclass(frozen=True)
class FeatureBuild(Tabular):
    """A data set of features from metadata that was written."""

    output: str
    collection: str
    feature_set: str
    features: int
    queries: int
    documents: int
    null_values: int
    files: int
    own_parts: dict[str, Any]
    left_out: dict[str, list[str]]
    parameters: dict[str, float]

    def __repr__(self) -> str:
        return shortened(
            f"{self.features} features ({self.feature_set}) of {self.queries} queries of "
            f"{self.collection} in {self.output}"
        )

    @property
    def facts(self) -> dict[str, Any]:
        """All of it as plain values; own features and query classes only where there are any."""
        facts = {name: value for name, value in vars(self).items() if name != "own_parts"}
        last = {name: facts.pop(name) for name in ("left_out", "parameters")}
        return {**facts, **self.own_parts, **last}

    def _table(self) -> Rows:
        return ("fact", "value"), list(self.facts.items())


def open_metadata(
    metadata: str | Path,
    features: str | None = None,
    *,
    constants: Mapping[str, float] | None = None,
    feature_files: Sequence[str | Path] = (),
    query_classes: str | Path | None = None,
) -> MetadataFeatures:
    """The features that the metadata in a folder allow.

    Args:
        metadata: the folder, as LETOR's Meta folders are.
        features: a key of `FEATURE_SETS`; by default those of the build that the folder comes from.
        constants: of the formulas, by name; by default those of the build, or of the set.
        feature_files: Python files of own features, which are run.
        query_classes: a file of the classes of queries.
    """
    known = read_metadata(Path(metadata))
    classes = None
    if query_classes is not None:
        classes = read_query_classes(Path(query_classes)).matched(known.query_ids)
    chosen = add_own_parts(
        known.features(features, constants or {}),
        known.collection.stream_names,
        read_feature_files([Path(file) for file in feature_files]),
        classes,
    )
    return MetadataFeatures(known, chosen)


def build_features(
    found: MetadataFeatures,
    output: str | Path,
    *,
    fill_rule: str = AS_PUBLISHED,
    seed: int | None = None,
    stage: Stage = silent_stage,
) -> FeatureBuild:
    """Compute the features and write LETOR's three versions, each with five folds, and a card.

    Args:
        found: what `open_metadata` gave.
        output: a folder that is new or empty.
        fill_rule: what NULL becomes in Feature-min; `as-published` is 0 for BM25 and its logarithm,
            else the minimum.
        seed: draws the parts of the folds; None takes those of the build.
        stage: is told how far it is.
    """
    known, features, folder = found.known, found.features, Path(output)
    _check_free(folder)
    dataset = compute_dataset(
        known.collection, _read_all_queries(known, stage), features, known.evidence
    )
    rule = features.fill_rule if fill_rule == AS_PUBLISHED else parse_fill_rule(fill_rule)
    drawn = known.seed if seed is None else seed
    n_files = _write_dataset(known, dataset, features, rule, folder, drawn)
    return FeatureBuild(
        output=str(output),
        collection=known.collection.name,
        feature_set=features.name,
        features=dataset.n_features,
        queries=dataset.n_queries,
        documents=dataset.n_documents,
        null_values=count_null(dataset),
        files=n_files,
        own_parts=features.own_parts,
        left_out=known.left_out(features),
        parameters=_list_parameters(features),
    )


def _check_free(output: Path) -> None:
    """Refuse a folder that holds anything but what a killed run left."""
    if is_there(output) and not (is_folder(output) and _is_free(output)):
        raise RankwiseError(f"cannot write features to {output}: it is not an empty folder")


def _is_free(folder: Path) -> bool:
    names = list_names(folder)
    return not names or (WORK in names and names <= {WORK, MARK, CARD, *VERSION_FOLDERS})


@contextlib.contextmanager
def _claim_folder(output: Path) -> Iterator[None]:
    """The folder for this run alone; another may have written there while this one computed."""
    with lock_folder(make_folder(output)):
        _check_free(output)
        yield


def _write_dataset(
    known: Metadata,
    dataset: Dataset,
    features: FeatureSet,
    rule: FillRule,
    output: Path,
    seed: int | None,
) -> int:
    """The versions and their card; how many files of features there are."""
    name = plain_name(known.collection.name, "corpus")
    with _claim_folder(output), make_workshop(output) as work:
        versions = features.make_versions(dataset, known.query_classes, rule)
        written = write_versions(versions, work, name, seed=seed)
        card = make_metadata_card(known, features, seed, rule.name)
        write_text(work / CARD, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
        write_text(work / MARK, FEATURES_MARK_TEXT)
        put_in_place(work, output, last=CARD)
    return len(written)


def _read_all_queries(known: Metadata, stage: Stage) -> Iterator[QueryStatistics]:
    files = list_query_files(known.folder)
    advance = stage("Reading the metadata", len(files))
    for done, query in enumerate(read_queries(known.folder, known.collection), 1):
        yield query
        advance(done)


def _list_parameters(features: FeatureSet) -> dict[str, float]:
    p = features.parameters
    return {
        "k1": p.k1, "b": p.b, "k3": p.k3, "mu": p.mu, "lambda": p.lambda_, "delta": p.delta,
    }  # fmt: skip


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
