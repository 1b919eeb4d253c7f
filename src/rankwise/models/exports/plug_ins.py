"""The learning-to-rank plug-ins of Elasticsearch and OpenSearch: the body of `_createmodel`.

POST _ltr/_featureset/SET           the feature definitions
POST _ltr/_featureset/SET/_createmodel   the model
"""

from __future__ import annotations

import json
from typing import Any

from rankwise.models.exports.linear_json import (
    SINGLE_WEIGHTS,
    intercept_remarks,
    pretty_json,
    weights_by_name,
)
from rankwise.models.exports.single_precision import SINGLE_TREES, null_remarks
from rankwise.models.exports.target import Content, EngineNames
from rankwise.models.exports.tree_form import additive_trees
from rankwise.models.exports.xgboost_json import dump_trees
from rankwise.models.model_file import ModelFile


def write_linear(file: ModelFile, names: EngineNames) -> Content:
    """A model of the type model/linear."""
    body = _body(names, "model/linear", weights_by_name(file))
    return body, [*intercept_remarks(file), SINGLE_WEIGHTS]


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """A model of the type model/xgboost+json, whose objective leaves the sum as it is."""
    definition = {"objective": "rank:ndcg", "splits": dump_trees(file)}
    remarks = null_remarks(additive_trees(file.model.scorer), "Elasticsearch")
    return _body(names, "model/xgboost+json", definition), [SINGLE_TREES, *remarks]


def define_features(file: ModelFile, names: EngineNames) -> dict[str, Any]:
    """The feature set: a match of the words of the query in the field of each feature's name.

    Which query computes a feature only its owner knows: replace `template` where it is not that.
    """
    features = [
        {
            "name": name,
            "params": ["keywords"],
            "template_language": "mustache",
            "template": {"match": {name: "{{keywords}}"}},
        }
        for name in file.names
    ]
    return {"featureset": {"name": names.store or f"{names.model}-features", "features": features}}


def _body(names: EngineNames, kind: str, definition: dict[str, Any]) -> str:
    """The definition is text inside: the plug-ins parse it by its type."""
    text = json.dumps(definition, ensure_ascii=False, allow_nan=False)
    model = {"type": kind, "definition": text}
    return pretty_json({"model": {"name": names.model, "model": model}})
