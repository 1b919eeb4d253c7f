"""Names of features go from a build into the data that are read, and into the models they train."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from rankwise.collection.build_folder import VERSION_FOLDERS
from rankwise.data import convert, read
from rankwise.data.folds import read_folds
from rankwise.models import load_model, save_model
from rankwise.rankers.registry import make_ranker
from tests.collection.built import make_build


def test_features_of_a_build_keep_their_names(tmp_path: Path) -> None:
    home = make_build(tmp_path)
    card = json.loads((home / "data-card.json").read_text())
    names = tuple(feature["name"] for feature in card["features"])
    for version in VERSION_FOLDERS:
        for fold in read_folds(home / version):
            assert all(part.feature_names == names for _, part in fold.parts())
    assert read(home / "Feature-min" / "ALL" / "corpus.txt").feature_names == names
    fold = read_folds(home / "QueryLevelNorm")[0]
    model = make_ranker("ridge-regression").fit(fold.train)
    assert model.feature_names == names
    save_model(model, tmp_path / "model.json")
    named = load_model(tmp_path / "model.json")
    assert named.feature_names == names
    shutil.copyfile(home / "QueryLevelNorm/Fold1/test.txt", tmp_path / "alone.txt")
    alone = read(tmp_path / "alone.txt")
    assert alone.feature_names is None
    assert (named.score(alone) == named.score(fold.test)).all()


def test_names_come_along_into_packed_data(tmp_path: Path) -> None:
    source = make_build(tmp_path) / "QueryLevelNorm" / "Fold1" / "test.txt"
    assert read(source).feature_names is not None
    for name in ("t.rwd", "t.csv", "t.parquet"):
        assert convert(source, tmp_path / name).feature_names == read(source).feature_names
        assert read(tmp_path / name).feature_names == read(source).feature_names


def test_the_card_of_other_features_or_none_names_nothing(tmp_path: Path) -> None:
    file = make_build(tmp_path) / "QueryLevelNorm" / "Fold1" / "test.txt"
    rows = read(file)
    card = file.parents[2] / "data-card.json"
    for content in ('{"features": [{"name": "a"}]}', "[]", "no JSON", '{"features": 3}'):
        card.write_text(content)
        assert read(file).equals(rows.with_feature_names(None))
