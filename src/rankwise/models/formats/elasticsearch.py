"""The learning-to-rank plug-ins of Elasticsearch and OpenSearch: the body of `_createmodel`.

    POST _ltr/_featureset/SET                the feature definitions
    POST _ltr/_featureset/SET/_createmodel   the model

Trees are XGBoost's JSON dump: x < split_condition goes to `yes`, NULL goes to `missing`. What was
written is scored by the plug-ins as we read them: single precision throughout.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.formats.engine_features import OF, define, field_of
from rankwise.models.formats.format import (
    Content,
    Defined,
    EngineNames,
    Floats,
    OpenedExport,
    Score,
    checked_only,
)
from rankwise.models.formats.linear_json import (
    SINGLE_WEIGHTS,
    intercept_remarks,
    pretty_json,
    weights_by_name,
)
from rankwise.models.formats.tree_nodes import (
    SINGLE_TREES,
    Leaf,
    Node,
    Split,
    additive_trees,
    null_remarks,
    single,
    single_above,
    single_leaf_sums,
    single_rows,
    single_weighted_sums,
)
from rankwise.models.model_file import ModelFile, parse_json, read_model_bytes

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
    body = _model_body(names, "model/linear", weights_by_name(file))
    return body, [*intercept_remarks(file), SINGLE_WEIGHTS]


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """A model of the type model/xgboost+json, whose objective leaves the sum as it is."""
    definition = {"objective": "rank:ndcg", "splits": dump_trees(file)}
    remarks = null_remarks(additive_trees(file.model.scorer), "an older plug-in")
    return _model_body(names, "model/xgboost+json", definition), [SINGLE_TREES, *remarks]


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


def _model_body(names: EngineNames, kind: str, definition: dict[str, Any]) -> str:
    """The definition is text inside: the plug-ins parse it by its type."""
    text = json.dumps(definition, ensure_ascii=False, allow_nan=False)
    model = {"type": kind, "definition": text}
    return pretty_json({"model": {"name": names.model, "model": model}})


_NULL = (
    "plug-ins that came before 2024 (Elasticsearch) or 3.2 (OpenSearch) ignore `missing` and read "
    "an absent feature as 0"
)


def write_xgboost_dump(file: ModelFile, names: EngineNames) -> Content:
    """The dump, one tree a line."""
    lines = ",\n".join(
        json.dumps(tree, ensure_ascii=False, allow_nan=False) for tree in dump_trees(file)
    )
    return f"[\n{lines}\n]\n", [SINGLE_TREES, _NULL]


def dump_trees(file: ModelFile) -> list[dict[str, Any]]:
    """The trees as XGBoost's dump nests them."""
    return [_NumberedTree(file.names).node(tree, 0) for tree in additive_trees(file.model.scorer)]


class _NumberedTree:
    """Numbers the nodes of one tree in the order in which they are written."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.count = 0

    def node(self, node: Node, depth: int) -> dict[str, Any]:
        number = self.count
        self.count += 1
        if isinstance(node, Leaf):
            return {"nodeid": number, "leaf": node.value}
        children = [self.node(child, depth + 1) for child in (node.left, node.right)]
        yes, no = (child["nodeid"] for child in children)
        return {
            "nodeid": number,
            "depth": depth,
            "split": self.names[node.column],
            "split_condition": single_above(node.threshold),
            "yes": yes,
            "no": no,
            "missing": yes if node.null_left else no,
            "children": children,
        }


def open_linear(path: Path, names: Sequence[str]) -> OpenedExport:
    """A definition of the type model/linear."""
    weights = parse_json(read_model_bytes(path))
    return checked_only("a search engine", _read_model(path, _score_linear, weights, names, True))


def open_dump(path: Path, names: Sequence[str]) -> OpenedExport:
    """A dump of XGBoost, as the plug-in of Elasticsearch reads it."""
    dump = parse_json(read_model_bytes(path))
    return checked_only("a search engine", _read_model(path, _score_trees, dump, names, True))


def open_elasticsearch(path: Path, names: Sequence[str]) -> OpenedExport:
    """The body of `_createmodel`; absent features are 0."""
    return _open_body(path, names, "Elasticsearch", missing_as_zero=True)


def open_opensearch(path: Path, names: Sequence[str]) -> OpenedExport:
    """The body of `_createmodel`; absent features go where trees say."""
    return _open_body(path, names, "OpenSearch", missing_as_zero=False)


def _open_body(
    path: Path, names: Sequence[str], engine: str, *, missing_as_zero: bool
) -> OpenedExport:
    try:
        model = parse_json(read_model_bytes(path))["model"]["model"]
        definition = parse_json(model["definition"])
        if model["type"] == "model/linear":
            return checked_only(engine, _read_model(path, _score_linear, definition, names, True))
        trees = definition["splits"]
    except (KeyError, TypeError) as error:
        raise RankwiseError(f"{path} is no body of _createmodel: {error!r}") from error
    return checked_only(engine, _read_model(path, _score_trees, trees, names, missing_as_zero))


def _read_model(
    path: Path, reader: Any, definition: Any, names: Sequence[str], zero: bool
) -> Score:
    try:
        score: Score = reader(definition, names, zero)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise RankwiseError(f"{path} is no definition that plug-ins read: {error!r}") from error
    return score


def _score_linear(weights: Mapping[str, float], names: Sequence[str], zero: bool) -> Score:
    ordered = [weights[name] for name in names]

    def score(rows: Floats) -> Floats:
        singles = single_rows(rows, missing_as_zero=zero)
        return single_weighted_sums(singles, ordered).astype(np.float64)

    return score


def _score_trees(trees: Sequence[Mapping[str, Any]], names: Sequence[str], zero: bool) -> Score:
    columns = {name: number for number, name in enumerate(names)}
    add = single_leaf_sums([_read_node(tree, columns) for tree in trees])

    def score(rows: Floats) -> Floats:
        return add(single_rows(rows, missing_as_zero=zero)).astype(np.float64)

    return score


def _read_node(node: Mapping[str, Any], columns: Mapping[str, int]) -> Node:
    """`yes` where x < split_condition, which for single precision x is x ≤ the number before it."""
    if "leaf" in node:
        return Leaf(float(single(node["leaf"])))
    yes, no = node["children"]
    if [yes["nodeid"], no["nodeid"]] != [node["yes"], node["no"]]:
        raise ValueError("children that do not stand in the order of yes and no")
    threshold = np.nextafter(single(node["split_condition"]), np.float32(-np.inf))
    null_left = node["missing"] == node["yes"]
    left, right = _read_node(yes, columns), _read_node(no, columns)
    return Split(columns[node["split"]], float(threshold), null_left, left, right)
