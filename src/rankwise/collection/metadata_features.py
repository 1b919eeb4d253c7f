"""A data set of features computed again from metadata, written in LETOR's versions."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.collection.build_folder import (
    FEATURES_MARK_TEXT,
    MARK,
    WORK,
    list_names,
    lock_folder,
    make_workshop,
    put_in_place,
)
from rankwise.collection.data_card import CARD
from rankwise.collection.features import (
    FeatureSet,
    add_own_parts,
    compute_dataset,
    read_feature_files,
    read_query_classes,
)
from rankwise.collection.from_metadata import Metadata, make_metadata_card, read_metadata
from rankwise.collection.metadata import list_query_files, read_queries
from rankwise.collection.statistics import QueryStatistics
from rankwise.collection.versions import VERSION_FOLDERS, make_versions, write_versions
from rankwise.data.dataset import Dataset
from rankwise.data.normalization import FillRule, count_null, parse_fill_rule
from rankwise.errors import RankwiseError
from rankwise.files import is_folder, is_there, make_folder, plain_name, write_text
from rankwise.stages import Stage, silent_stage
from rankwise.tabular import Rows, Tabular, shortened

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
    dataset = compute_dataset(known.collection, _queries(known, stage), features, known.evidence)
    rule = features.fill_rule if fill_rule == AS_PUBLISHED else parse_fill_rule(fill_rule)
    drawn = known.seed if seed is None else seed
    n_files = _write(known, dataset, features, rule, folder, drawn)
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
        parameters=_parameters(features),
    )


def _check_free(output: Path) -> None:
    """Refuse a folder that holds anything but what a killed run left."""
    if is_there(output) and not (is_folder(output) and _is_free(output)):
        raise RankwiseError(f"cannot write features to {output}: it is not an empty folder")


def _is_free(folder: Path) -> bool:
    names = list_names(folder)
    return not names or (WORK in names and names <= {WORK, MARK, CARD, *VERSION_FOLDERS})


@contextlib.contextmanager
def _claimed(output: Path) -> Iterator[None]:
    """The folder for this run alone; another may have written there while this one computed."""
    with lock_folder(make_folder(output)):
        _check_free(output)
        yield


def _write(
    known: Metadata,
    dataset: Dataset,
    features: FeatureSet,
    rule: FillRule,
    output: Path,
    seed: int | None,
) -> int:
    """The versions and their card; how many files of features there are."""
    name = plain_name(known.collection.name, "corpus")
    with _claimed(output), make_workshop(output) as work:
        classes = known.query_classes
        if features.query_classes is not None:
            classes = features.query_classes.of_queries
        versions = make_versions(
            dataset, rule, classes, class_feature=features.query_classes is not None
        )
        written = write_versions(versions, work, name, seed=seed)
        card = make_metadata_card(known, features, seed, rule.name)
        write_text(work / CARD, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
        write_text(work / MARK, FEATURES_MARK_TEXT)
        put_in_place(work, output, last=CARD)
    return len(written)


def _queries(known: Metadata, stage: Stage) -> Iterator[QueryStatistics]:
    files = list_query_files(known.folder)
    advance = stage("Reading the metadata", len(files))
    for done, query in enumerate(read_queries(known.folder, known.collection), 1):
        yield query
        advance(done)


def _parameters(features: FeatureSet) -> dict[str, float]:
    p = features.parameters
    return {
        "k1": p.k1, "b": p.b, "k3": p.k3, "mu": p.mu, "lambda": p.lambda_, "delta": p.delta,
    }  # fmt: skip
