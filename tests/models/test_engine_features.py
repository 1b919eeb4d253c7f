"""Definitions of features for search engines, by the names that builds give them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise.collection.features.feature_sets import FEATURES
from rankwise.models import export_model, save_model, verify_export
from rankwise.models.formats.elasticsearch import _feature as of_plug_ins
from rankwise.models.formats.engine_features import field_of
from rankwise.models.formats.format import Export
from rankwise.models.formats.solr import _feature as of_solr
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear

NAMES = (
    "bm25 of title",
    "tf of body",
    "length of body",
    "log-length of body",
    "log-tf of title",
    "pagerank",
    "topical-pagerank",
    "8",
)


def exported(target: str, folder: Path, names: tuple[str, ...] = NAMES) -> Export:
    model = Model("ridge-regression", {}, Linear(np.arange(1.0, len(names) + 1.0)))
    save_model(model, folder / "model.json", feature_names=names)
    found = export_model(folder / "model.json", target, folder / "exported", store="shop")
    assert verify_export(folder / "exported").agrees
    return found


def field_value(field: str, **more: str) -> dict[str, Any]:
    factor = {"field": field, "missing": 0, **more}
    functions = [{"field_value_factor": factor}]
    return {"function_score": {"query": {"match_all": {}}, "functions": functions}}


@pytest.mark.parametrize("target", ["elasticsearch", "opensearch"])
def test_queries_of_the_plug_ins(target: str, tmp_path: Path) -> None:
    found = exported(target, tmp_path)
    featureset = found.features["featureset"]
    assert featureset["name"] == "shop"
    match = {"match": {"title": "{{keywords}}"}}
    counts = {"type": "sum_raw_tf", "query": {"match": {"body": "{{keywords}}"}}}
    assert {one["name"]: one["template"] for one in featureset["features"]} == {
        "bm25 of title": match,
        "tf of body": {"match_explorer": counts},
        "length of body": field_value("body.length"),
        "log-length of body": field_value("body.length", modifier="ln1p"),
        "pagerank": field_value("pagerank"),
    }
    assert [one["params"] for one in featureset["features"]] == [["keywords"]] * 2 + [[]] * 3
    remarks = "\n".join(found.remarks)
    assert "2 of 8 features, which stay undefined: log-tf of title, topical-pagerank;" in remarks
    assert "1 of 8 features have numbers and no names, and stay undefined: name them" in remarks
    assert "computes bm25 of title, tf of body, length of body, log-length of body by" in remarks
    assert "reads pagerank from the field of that name" in remarks
    assert "sub-fields called length, of the type token_count" in remarks
    beside = json.loads((tmp_path / "exported.features.json").read_text("utf-8"))
    assert beside == found.features


def test_queries_of_solr(tmp_path: Path) -> None:
    found = exported("solr", tmp_path, (*NAMES, "bm25 of all text", "price in euros"))
    package = "org.apache.solr.ltr.feature"
    assert found.features == [
        {"store": "shop", "name": name, "class": f"{package}.{kind}", "params": parameters}
        for name, kind, parameters in [
            ("bm25 of title", "SolrFeature", {"q": "{!dismax qf=title mm=1}${keywords}"}),
            ("length of body", "FieldLengthFeature", {"field": "body"}),
            ("pagerank", "FieldValueFeature", {"field": "pagerank"}),
        ]
    ]
    assert "for 6 of 10 features" in "\n".join(found.remarks)


def test_features_without_names_are_matched_in_no_field(tmp_path: Path) -> None:
    for target in ("elasticsearch", "solr"):
        found = exported(target, tmp_path, ("1", "2"))
        assert found.features in ([], {"featureset": {"name": "shop", "features": []}})
        assert "2 of 2 features have numbers and no names" in "\n".join(found.remarks)


def test_rank_features_of_vespa(tmp_path: Path) -> None:
    text = exported("vespa", tmp_path).text
    assert "expression: bm25(title)\n" in text
    assert "expression: fieldLength(body)\n" in text
    assert "expression: attribute(pagerank)\n" in text


def test_what_is_known_of_features_is_what_builds_compute() -> None:
    """No feature that depends on the query is read from a field, and no name is made up."""
    for feature in FEATURES.values():
        if not feature.of_stream:
            assert (field_of(feature.name) is None) == (feature.category != "D"), feature.name
            assert (of_plug_ins(feature.name) is None) == (feature.category != "D")
    known = {name for name in FEATURES if of_plug_ins(f"{name} of title") is not None}
    assert known == {"bm25", "tf", "greatest-tf", "query-length", "length", "log-length"}
    in_solr = {name for name in FEATURES if of_solr({}, f"{name} of title") is not None}
    assert in_solr == {"bm25", "length"}
