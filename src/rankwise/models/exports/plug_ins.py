"""The learning-to-rank plug-ins of Elasticsearch and OpenSearch: the body of `_createmodel`.

POST _ltr/_featureset/SET           the feature definitions
POST _ltr/_featureset/SET/_createmodel   the model
"""

from __future__ import annotations

import json
from typing import Any

from rankwise.models.exports.engine_features import OF, define, field_of
from rankwise.models.exports.linear_json import (
    SINGLE_WEIGHTS,
    intercept_remarks,
    pretty_json,
    weights_by_name,
)
from rankwise.models.exports.single_precision import SINGLE_TREES, null_remarks
from rankwise.models.exports.target import Content, Defined, EngineNames
from rankwise.models.exports.tree_form import additive_trees
from rankwise.models.exports.xgboost_json import dump_trees
from rankwise.models.model_file import ModelFile

_KEYWORDS = "{{keywords}}"
_LENGTH = ".length"
# Each word of the query counts once.
_STATISTICS = {
    "tf": "sum_raw_tf",
    "greatest-tf": "max_raw_tf",
    "query-length": "unique_terms_count",
}


def write_linear(file: ModelFile, names: EngineNames) -> Content:
    """A model of the type model/linear."""
    body = _body(names, "model/linear", weights_by_name(file))
    return body, [*intercept_remarks(file), SINGLE_WEIGHTS]


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """A model of the type model/xgboost+json, whose objective leaves the sum as it is."""
    definition = {"objective": "rank:ndcg", "splits": dump_trees(file)}
    remarks = null_remarks(additive_trees(file.model.scorer), "an older plug-in")
    return _body(names, "model/xgboost+json", definition), [SINGLE_TREES, *remarks]


def define_for_elasticsearch(file: ModelFile, names: EngineNames) -> Defined:
    """The feature set for Elasticsearch."""
    return _feature_set(file, names, "Elasticsearch")


def define_for_opensearch(file: ModelFile, names: EngineNames) -> Defined:
    """The feature set for OpenSearch."""
    return _feature_set(file, names, "OpenSearch")


def _feature_set(file: ModelFile, names: EngineNames, engine: str) -> Defined:
    features, remarks = define(file.names, _feature, engine)
    counted = [one for one in features if f'{_LENGTH}"' in json.dumps(one)]
    if counted:
        remarks.append(
            f"{engine} reads lengths from sub-fields called {_LENGTH.strip('.')}, of the type "
            "token_count: map them"
        )
    name = names.store or f"{names.model}-features"
    return {"featureset": {"name": name, "features": features}}, remarks


def _feature(name: str) -> dict[str, Any] | None:
    """A feature as the plug-ins store it: BM25 by `match`, counts of words by `match_explorer`."""
    own_field = field_of(name)
    what, _, field = name.partition(OF)
    if own_field is not None:
        template = _field_value(own_field)
    elif not field:
        return None
    elif what == "bm25":
        template = _match(field)
    elif what in _STATISTICS:
        template = {"match_explorer": {"type": _STATISTICS[what], "query": _match(field)}}
    elif what == "length":
        template = _field_value(field + _LENGTH)
    elif what == "log-length":
        template = _field_value(field + _LENGTH, modifier="ln1p")
    else:
        return None
    return {
        "name": name,
        "params": ["keywords"] if _KEYWORDS in json.dumps(template) else [],
        "template_language": "mustache",
        "template": template,
    }


def _match(field: str) -> dict[str, Any]:
    return {"match": {field: _KEYWORDS}}


def _field_value(field: str, **more: str) -> dict[str, Any]:
    factor = {"field": field, "missing": 0, **more}
    return {
        "function_score": {
            "query": {"match_all": {}},
            "functions": [{"field_value_factor": factor}],
        }
    }


def _body(names: EngineNames, kind: str, definition: dict[str, Any]) -> str:
    """The definition is text inside: the plug-ins parse it by its type."""
    text = json.dumps(definition, ensure_ascii=False, allow_nan=False)
    model = {"type": kind, "definition": text}
    return pretty_json({"model": {"name": names.model, "model": model}})
