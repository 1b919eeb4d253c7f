"""Every format that models are exported to: who reads it, what it holds, how it is written and run.

EXPORTS lists them all; commands, certificates and documents derive from it. Formats that have no
form of their own for feature definitions get plain ones: numbers and names. An exported file that
is opened is ready to score, and says who computes its scores.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile
from rankwise.models.scorers.scorer import SCORERS

if TYPE_CHECKING:
    from rankwise.models.verification import Certificate


@dataclass(frozen=True)
class EngineNames:
    """What a search engine calls things: the model, and the store or set of its features."""

    model: str
    store: str | None = None


Content = tuple[str | bytes, list[str]]
"""What a writer gives: the file's content, and remarks where it is not exact."""
Writer = Callable[[ModelFile, EngineNames], Content]
Defined = tuple[Any, list[str]]
"""Feature definitions as plain JSON values, and remarks on what they leave open."""
Definitions = Callable[[ModelFile, EngineNames], Defined]


@dataclass(frozen=True)
class Treatment:
    """What the reader of a target does to features: said before anybody loses by it.

    Attributes:
        missing: what becomes of NULL.
        precision: in what precision features, thresholds and sums are held.
        zeros: whether 0 stands for anything but itself.
        missing_is_lost: whether NULL becomes something else without a word.
        single: whether features are rounded to single precision.
    """

    missing: str
    precision: str
    zeros: str = "0 is a value as any other"
    missing_is_lost: bool = False
    single: bool = False

    @property
    def lost_groups(self) -> tuple[str, ...]:
        """The groups of golden rows on which scores differ by the treatment itself."""
        null = ("NULL",) if self.missing_is_lost else ()
        return (*null, "at", "beside", "huge") if self.single else null


@dataclass(frozen=True)
class ExportFormat:
    """One layout.

    Attributes:
        name: as `--to` has it.
        readers: who reads it.
        suffix: how such files are usually called.
        writers: by kind of scorer, `module:function`.
        refusals: by kind of scorer, why the target cannot hold it.
        treatment: what its reader does to features.
        definitions: `module:function` of the feature definitions that its reader needs.
        runtime: `module:function` that opens such a file.
        drops_intercept: whether the intercept of linear models, which moves no document, has no
            place in it.
    """

    name: str
    readers: str
    suffix: str
    writers: Mapping[str, str]
    refusals: Mapping[str, str]
    treatment: Treatment
    runtime: str
    definitions: str = "rankwise.models.formats.format:plain_definitions"
    drops_intercept: bool = False

    def write(self, file: ModelFile, names: EngineNames) -> Content:
        """The model in this layout; a RankwiseError where the target cannot hold it."""
        kind = file.model.scorer.kind
        self.refuse(kind)
        writer: Writer = _load(self.writers[kind])
        return writer(file, names)

    def refuse(self, kind: str) -> None:
        """Raise a RankwiseError that says why a kind of scorer has no place in it."""
        if kind not in self.writers:
            why = self.refusals.get(kind, "no such model is known there")
            raise RankwiseError(
                f"a model of the kind {kind!r} cannot be written as {self.name}: {why}"
            )

    def define_features(self, file: ModelFile, names: EngineNames) -> Defined:
        """The feature definitions that the reader needs."""
        definitions: Definitions = _load(self.definitions)
        return definitions(file, names)


@dataclass(frozen=True)
class Export:
    """What was written for the other tool, and what to know where it is not exact.

    Attributes:
        content: the bytes of the file.
        remarks: where scores differ from those here, a sentence each.
        features: the feature definitions, plain JSON values.
        left_out: a constant by which all scores there are lower.
        certificate: what was found out about the file, where it was written to one.
    """

    content: bytes = field(repr=False)
    remarks: tuple[str, ...] = ()
    features: Any = field(default=None, repr=False)
    left_out: float = 0.0
    certificate: Certificate | None = None

    @property
    def text(self) -> str:
        """The content of a layout that is text."""
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            raise RankwiseError("this layout is not text; take its content") from None


def _load(home: str) -> Any:
    module, name = home.split(":")
    return getattr(importlib.import_module(module), name)


_ZERO_FOR_MISSING = Treatment(
    missing="an absent feature is 0",
    precision="features, thresholds and sums in single precision",
    zeros="0 is a value, and what absent features become",
    missing_is_lost=True,
    single=True,
)
_DOUBLE = Treatment(
    missing="NULL is NaN and goes where it went in training; weighted sums of it are NaN",
    precision="everything in double precision",
)
_NO_NETWORK = "its model types are linear models and additive trees; onnx and c hold it"
_NO_MEAN = "it cannot take the mean of labels over class probabilities; onnx and c hold it"
_ONLY_TREES = "it holds trees only; onnx and c hold it"
_WHOLE_LISTS: dict[str, str] = dict.fromkeys(
    (
        *("attention", "comparator", "pair-potentials"),
        *("smoothed", "propagated"),
    ),
    "it scores one document at a time, and the model needs all documents of a query; serve it by "
    "Rankwise itself",
)
_NO_FORMULA = "no formula of bounded operations is written for it; c and python hold it"
_ALL_KINDS = ("linear", "trees", "stumps", "network", "expected-label")
_NO_FORMULAS = {"expression": _NO_FORMULA}


def _trees(home: str) -> dict[str, str]:
    return {"trees": home, "stumps": home}


def _all(home: str) -> dict[str, str]:
    return dict.fromkeys(_ALL_KINDS, home)


_TARGETS = (
    ExportFormat(
        "ranklib",
        "RankLib, Elasticsearch and OpenSearch plug-ins (model/ranklib)",
        ".txt",
        {
            "linear": "rankwise.models.formats.ranklib_model:write_linear",
            **_trees("rankwise.models.formats.ranklib_model:write_trees"),
        },
        {
            "network": "RankLib's networks end in a logistic function, by which high scores tie; "
            "onnx and c hold it",
            "expected-label": _NO_MEAN,
            **_NO_FORMULAS,
        },
        _ZERO_FOR_MISSING,
        "rankwise.models.formats.ranklib_model:open_export",
        drops_intercept=True,
    ),
    ExportFormat(
        "linear-json",
        "Elasticsearch and OpenSearch plug-ins (model/linear)",
        ".json",
        {"linear": "rankwise.models.formats.linear_json:write_linear"},
        dict.fromkeys(
            ("trees", "stumps", "network", "expected-label", "expression"), "it holds weights only"
        ),
        _ZERO_FOR_MISSING,
        "rankwise.models.formats.elasticsearch:open_linear",
        drops_intercept=True,
    ),
    ExportFormat(
        "xgboost-json",
        "Elasticsearch and OpenSearch plug-ins (model/xgboost+json), readers of XGBoost dumps",
        ".json",
        _trees("rankwise.models.formats.elasticsearch:write_xgboost_dump"),
        {**dict.fromkeys(("linear", "network", "expected-label"), _ONLY_TREES), **_NO_FORMULAS},
        Treatment(
            missing="the dump says where NULL goes; plug-ins that came before 2024 (Elasticsearch) "
            "or 3.2 (OpenSearch) read it as 0",
            precision="features, thresholds and sums in single precision",
            missing_is_lost=True,
            single=True,
        ),
        "rankwise.models.formats.elasticsearch:open_dump",
    ),
    ExportFormat(
        "solr",
        "Solr's learning-to-rank module",
        ".json",
        {
            "linear": "rankwise.models.formats.solr:write_linear",
            "network": "rankwise.models.formats.solr:write_network",
            **_trees("rankwise.models.formats.solr:write_trees"),
        },
        {"expected-label": _NO_MEAN, **_NO_FORMULAS},
        _ZERO_FOR_MISSING,
        "rankwise.models.formats.solr:open_export",
        "rankwise.models.formats.solr:define_features",
        drops_intercept=True,
    ),
    ExportFormat(
        "elasticsearch",
        "Elasticsearch's learning-to-rank plug-in (_createmodel)",
        ".json",
        {
            "linear": "rankwise.models.formats.elasticsearch:write_linear",
            **_trees("rankwise.models.formats.elasticsearch:write_trees"),
        },
        {"network": _NO_NETWORK, "expected-label": _NO_MEAN, **_NO_FORMULAS},
        replace(
            _ZERO_FOR_MISSING,
            missing="an absent feature is 0, in trees of plug-ins from 2024 on it goes where the "
            "tree says",
        ),
        "rankwise.models.formats.elasticsearch:open_elasticsearch",
        "rankwise.models.formats.elasticsearch:define_for_elasticsearch",
        drops_intercept=True,
    ),
    ExportFormat(
        "opensearch",
        "OpenSearch's learning-to-rank plug-in (_createmodel)",
        ".json",
        {
            "linear": "rankwise.models.formats.elasticsearch:write_linear",
            **_trees("rankwise.models.formats.elasticsearch:write_trees"),
        },
        {"network": _NO_NETWORK, "expected-label": _NO_MEAN, **_NO_FORMULAS},
        Treatment(
            missing="an absent feature goes where the tree says, in plug-ins that came before "
            "missing_as_zero always to the right, before 3.2 it is 0; weighted sums read it as 0",
            precision="features, thresholds and sums in single precision",
            missing_is_lost=True,
            single=True,
        ),
        "rankwise.models.formats.elasticsearch:open_opensearch",
        "rankwise.models.formats.elasticsearch:define_for_opensearch",
        drops_intercept=True,
    ),
    ExportFormat(
        "vespa",
        "Vespa (a rank profile)",
        ".profile",
        _all("rankwise.models.formats.vespa:write_profile"),
        _NO_FORMULAS,
        Treatment(
            missing="NaN, which attributes of type float and double have where a document has no "
            "value, goes where it went in training; rank features of text are 0 instead",
            precision="expressions in double precision; attributes of type float are single",
        ),
        "rankwise.models.formats.vespa:open_export",
    ),
    ExportFormat(
        "lightgbm",
        "LightGBM (its model text), and what reads that",
        ".txt",
        {
            "linear": "rankwise.models.formats.lightgbm_text:write_linear",
            **_trees("rankwise.models.formats.lightgbm_text:write_trees"),
        },
        {"network": _ONLY_TREES, "expected-label": "LightGBM gives class probabilities, not the "
         "mean label; onnx and c hold it", **_NO_FORMULAS},
        Treatment(
            missing="NaN goes where it went in training; a weighted sum with NULL is 0",
            precision="everything in double precision",
        ),
        "rankwise.models.formats.lightgbm_text:open_export",
    ),
    ExportFormat(
        "onnx",
        "onnxruntime and what embeds it (ai.onnx.ml 5), double precision",
        ".onnx",
        _all("rankwise.models.formats.onnx:write_double"),
        _NO_FORMULAS,
        _DOUBLE,
        "rankwise.models.formats.onnx:open_export",
    ),
    ExportFormat(
        "onnx-float32",
        "onnxruntime of any age (ai.onnx.ml 1), single precision",
        ".onnx",
        _all("rankwise.models.formats.onnx:write_single"),
        _NO_FORMULAS,
        Treatment(
            missing="NULL is NaN and goes where it went in training; weighted sums of it are NaN",
            precision="features, thresholds and sums in single precision",
            single=True,
        ),
        "rankwise.models.formats.onnx:open_export",
    ),
    ExportFormat(
        "treelite",
        "Treelite and what compiles its models (a checkpoint)",
        ".tl",
        _trees("rankwise.models.formats.treelite:write_trees"),
        {**dict.fromkeys(("linear", "network", "expected-label"), _ONLY_TREES), **_NO_FORMULAS},
        _DOUBLE,
        "rankwise.models.formats.treelite:open_export",
    ),
    ExportFormat(
        "pmml",
        "PMML 4.4 engines, such as JPMML",
        ".pmml",
        _all("rankwise.models.formats.pmml:write_document"),
        _NO_FORMULAS,
        Treatment(
            missing="an absent value goes where it went in training; weighted sums of it have "
            "no value",
            precision="everything in double precision",
        ),
        "rankwise.models.formats.pmml:open_export",
    ),
    ExportFormat(
        "c",
        "any C11 compiler (one file, no library but libm)",
        ".c",
        {
            **_all("rankwise.models.formats.c_source:write_source"),
            "expression": "rankwise.models.formats.c_source:write_source",
        },
        {},
        _DOUBLE,
        "rankwise.models.formats.c_source:open_export",
    ),
    ExportFormat(
        "python",
        "any Python 3 (one file, no packages)",
        ".py",
        {
            **_all("rankwise.models.formats.python_module:write_source"),
            "expression": "rankwise.models.formats.python_module:write_source",
        },
        {},
        _DOUBLE,
        "rankwise.models.formats.python_module:open_export",
    ),
)  # fmt: skip

_OF_QUERIES = dict.fromkeys(
    ("nearest-queries", "class-models", "projected-boosting"),
    "it scores one document at a time, and the query says which model scores it; serve it by "
    "Rankwise itself",
)
_OF_TRAINING_DOCUMENTS = dict.fromkeys(
    ("association-rules", "query-rules"),
    "it holds no training documents, in which the rules for a document are found; serve it by "
    "Rankwise itself",
)
_NOWHERE = {**_WHOLE_LISTS, **_OF_QUERIES, **_OF_TRAINING_DOCUMENTS}
EXPORTS = tuple(replace(one, refusals={**_NOWHERE, **one.refusals}) for one in _TARGETS)


def exports_of(kind: Model | str) -> tuple[str, ...]:
    """The targets that a model, or the models of a kind of scorer, can be written for."""
    kind = kind.scorer.kind if isinstance(kind, Model) else kind
    if kind not in SCORERS:
        raise RankwiseError(
            f"a Model or the kind of one is needed, {', '.join(SCORERS)}, found {kind!r}"
        )
    return tuple(target.name for target in EXPORTS if kind in target.writers)


def find_export(name: str) -> ExportFormat:
    """The target of a name."""
    found = next((one for one in EXPORTS if one.name == name), None)
    if found is None:
        known = ", ".join(one.name for one in EXPORTS)
        raise RankwiseError(f"there is no export layout {name!r}; known are {known}")
    return found


def refusals_of(kind: str) -> Mapping[str, str]:
    """Why the other targets cannot hold a kind of scorer, by target."""
    others = (target for target in EXPORTS if kind not in target.writers)
    return {target.name: target.refusals.get(kind, "") for target in others}


def export(file: ModelFile, layout: str, *, store: str | None = None) -> Export:
    """The model in another tool's layout; a RankwiseError where there is no exact way.

    `store` is what the search engine calls the set of its features.
    """
    target = find_export(layout)
    target.refuse(file.model.scorer.kind)
    if len(set(file.names)) < len(file.names):
        raise RankwiseError("the features of an exported model must have different names")
    names = EngineNames(file.model.ranker, store)
    content, remarks = target.write(file, names)
    raw = content.encode("utf-8") if isinstance(content, str) else content
    intercept = getattr(file.model.scorer, "intercept", 0.0) if target.drops_intercept else 0.0
    features, open_ends = target.define_features(file, names)
    return Export(raw, (*remarks, *open_ends), features, float(intercept))


def plain_definitions(file: ModelFile, names: EngineNames) -> Defined:
    """The features in the order in which the exported model takes them, from 1."""
    return [{"number": number, "name": name} for number, name in enumerate(file.names, 1)], []


Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]


@dataclass(frozen=True)
class OpenedExport:
    """An exported file that scores rows of features, NULL as NaN.

    Attributes:
        score: one score per row.
        how: who computes: "run in onnxruntime 1.31.1", "format checked, not run in Solr".
        ran: whether it is the real runtime.
        resident: whether it stays loaded between calls, so that these can be timed.
    """

    score: Score
    how: str
    ran: bool
    resident: bool = True


Opener = Callable[[Path, Sequence[str]], OpenedExport]


def open_export(target: ExportFormat, path: str | Path, names: Sequence[str]) -> OpenedExport:
    """Open a file of a target whose features have these names."""
    module, function = target.runtime.split(":")
    home = importlib.import_module(module)
    opener: Opener = getattr(home, function)
    return opener(Path(path), names)


def checked_only(engine: str, score: Score) -> OpenedExport:
    """A file that our reading of an engine's arithmetic scores."""
    return OpenedExport(score, f"format checked, not run in {engine}", False)


def run_in(runtime: str, score: Score, *, resident: bool = True) -> OpenedExport:
    """A file that its real runtime scores."""
    return OpenedExport(score, f"run in {runtime}", True, resident)
