"""Every export target in one list; commands, certificates and documents derive from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankwise.errors import RankwiseError
from rankwise.models.exports.target import EngineNames, Export, ExportFormat, Treatment
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile
from rankwise.rankers.scorers.registry import SCORERS

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
            "linear": "rankwise.models.exports.ranklib:write_linear",
            **_trees("rankwise.models.exports.ranklib:write_trees"),
        },
        {
            "network": "RankLib's networks end in a logistic function, by which high scores tie; "
            "onnx and c hold it",
            "expected-label": _NO_MEAN,
            **_NO_FORMULAS,
        },
        _ZERO_FOR_MISSING,
        "rankwise.models.runtimes.ranklib:open_export",
        drops_intercept=True,
    ),
    ExportFormat(
        "linear-json",
        "Elasticsearch and OpenSearch plug-ins (model/linear)",
        ".json",
        {"linear": "rankwise.models.exports.linear_json:write_linear"},
        dict.fromkeys(
            ("trees", "stumps", "network", "expected-label", "expression"), "it holds weights only"
        ),
        _ZERO_FOR_MISSING,
        "rankwise.models.runtimes.plug_ins:open_linear",
        drops_intercept=True,
    ),
    ExportFormat(
        "xgboost-json",
        "Elasticsearch and OpenSearch plug-ins (model/xgboost+json), readers of XGBoost dumps",
        ".json",
        _trees("rankwise.models.exports.xgboost_json:write_trees"),
        {**dict.fromkeys(("linear", "network", "expected-label"), _ONLY_TREES), **_NO_FORMULAS},
        Treatment(
            missing="the dump says where NULL goes; plug-ins that came before 2024 (Elasticsearch) "
            "or 3.2 (OpenSearch) read it as 0",
            precision="features, thresholds and sums in single precision",
            missing_is_lost=True,
            single=True,
        ),
        "rankwise.models.runtimes.plug_ins:open_dump",
    ),
    ExportFormat(
        "solr",
        "Solr's learning-to-rank module",
        ".json",
        {
            "linear": "rankwise.models.exports.solr:write_linear",
            "network": "rankwise.models.exports.solr:write_network",
            **_trees("rankwise.models.exports.solr:write_trees"),
        },
        {"expected-label": _NO_MEAN, **_NO_FORMULAS},
        _ZERO_FOR_MISSING,
        "rankwise.models.runtimes.solr:open_export",
        "rankwise.models.exports.solr:define_features",
        drops_intercept=True,
    ),
    ExportFormat(
        "elasticsearch",
        "Elasticsearch's learning-to-rank plug-in (_createmodel)",
        ".json",
        {
            "linear": "rankwise.models.exports.plug_ins:write_linear",
            **_trees("rankwise.models.exports.plug_ins:write_trees"),
        },
        {"network": _NO_NETWORK, "expected-label": _NO_MEAN, **_NO_FORMULAS},
        replace(
            _ZERO_FOR_MISSING,
            missing="an absent feature is 0, in trees of plug-ins from 2024 on it goes where the "
            "tree says",
        ),
        "rankwise.models.runtimes.plug_ins:open_elasticsearch",
        "rankwise.models.exports.plug_ins:define_for_elasticsearch",
        drops_intercept=True,
    ),
    ExportFormat(
        "opensearch",
        "OpenSearch's learning-to-rank plug-in (_createmodel)",
        ".json",
        {
            "linear": "rankwise.models.exports.plug_ins:write_linear",
            **_trees("rankwise.models.exports.plug_ins:write_trees"),
        },
        {"network": _NO_NETWORK, "expected-label": _NO_MEAN, **_NO_FORMULAS},
        Treatment(
            missing="an absent feature goes where the tree says, in plug-ins that came before "
            "missing_as_zero always to the right, before 3.2 it is 0; weighted sums read it as 0",
            precision="features, thresholds and sums in single precision",
            missing_is_lost=True,
            single=True,
        ),
        "rankwise.models.runtimes.plug_ins:open_opensearch",
        "rankwise.models.exports.plug_ins:define_for_opensearch",
        drops_intercept=True,
    ),
    ExportFormat(
        "vespa",
        "Vespa (a rank profile)",
        ".profile",
        _all("rankwise.models.exports.vespa:write_profile"),
        _NO_FORMULAS,
        Treatment(
            missing="NaN, which attributes of type float and double have where a document has no "
            "value, goes where it went in training; rank features of text are 0 instead",
            precision="expressions in double precision; attributes of type float are single",
        ),
        "rankwise.models.runtimes.vespa:open_export",
    ),
    ExportFormat(
        "lightgbm",
        "LightGBM (its model text), and what reads that",
        ".txt",
        {
            "linear": "rankwise.models.exports.lightgbm_text:write_linear",
            **_trees("rankwise.models.exports.lightgbm_text:write_trees"),
        },
        {"network": _ONLY_TREES, "expected-label": "LightGBM gives class probabilities, not the "
         "mean label; onnx and c hold it", **_NO_FORMULAS},
        Treatment(
            missing="NaN goes where it went in training; a weighted sum with NULL is 0",
            precision="everything in double precision",
        ),
        "rankwise.models.runtimes.lightgbm_library:open_export",
    ),
    ExportFormat(
        "onnx",
        "onnxruntime and what embeds it (ai.onnx.ml 5), double precision",
        ".onnx",
        _all("rankwise.models.exports.onnx_graph:write_double"),
        _NO_FORMULAS,
        _DOUBLE,
        "rankwise.models.runtimes.onnx_runtime:open_export",
    ),
    ExportFormat(
        "onnx-float32",
        "onnxruntime of any age (ai.onnx.ml 1), single precision",
        ".onnx",
        _all("rankwise.models.exports.onnx_graph:write_single"),
        _NO_FORMULAS,
        Treatment(
            missing="NULL is NaN and goes where it went in training; weighted sums of it are NaN",
            precision="features, thresholds and sums in single precision",
            single=True,
        ),
        "rankwise.models.runtimes.onnx_runtime:open_export",
    ),
    ExportFormat(
        "treelite",
        "Treelite and what compiles its models (a checkpoint)",
        ".tl",
        _trees("rankwise.models.exports.treelite_checkpoint:write_trees"),
        {**dict.fromkeys(("linear", "network", "expected-label"), _ONLY_TREES), **_NO_FORMULAS},
        _DOUBLE,
        "rankwise.models.runtimes.treelite_library:open_export",
    ),
    ExportFormat(
        "pmml",
        "PMML 4.4 engines, such as JPMML",
        ".pmml",
        _all("rankwise.models.exports.pmml:write_document"),
        _NO_FORMULAS,
        Treatment(
            missing="an absent value goes where it went in training; weighted sums of it have "
            "no value",
            precision="everything in double precision",
        ),
        "rankwise.models.runtimes.jpmml:open_export",
    ),
    ExportFormat(
        "c",
        "any C11 compiler (one file, no library but libm)",
        ".c",
        {
            **_all("rankwise.models.exports.c_source:write_source"),
            "expression": "rankwise.models.exports.c_source:write_source",
        },
        {},
        _DOUBLE,
        "rankwise.models.runtimes.c_compiler:open_export",
    ),
    ExportFormat(
        "python",
        "any Python 3 (one file, no packages)",
        ".py",
        {
            **_all("rankwise.models.exports.python_source:write_source"),
            "expression": "rankwise.models.exports.python_source:write_source",
        },
        {},
        _DOUBLE,
        "rankwise.models.runtimes.plain_python:open_export",
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
