"""`rankwise model`: what is in a file, and files for other tools."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankwise.cli.rankers.model import model
from rankwise.errors import RankwiseError
from rankwise.models import save_model
from rankwise.rankers.ranker import Model
from rankwise.rankers.scorers.linear import Linear
from tests.cli.command import run
from tests.models.made import made_models

NAMES = ("title", "[bold]body[/bold]", "links", "age")


@pytest.fixture
def linear(tmp_path: Path) -> Path:
    weights = Linear(np.array([0.5, -1.0, 0.0, 0.125]), intercept=2.0)
    found = Model("ridge-regression", {"regularization": 0.1}, weights, {"rank": 4})
    save_model(found, tmp_path / "linear.json", feature_names=NAMES)
    return tmp_path / "linear.json"


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    save_model(Model("lambdamart", {}, made_models()["trees"]), tmp_path / "trees.json")
    return tmp_path / "trees.json"


def test_show_draws_the_largest_weights_first(linear: Path) -> None:
    lines = run(model, "show", linear).stdout.splitlines()
    shown = "\n".join(lines)
    assert "Hoerl and Kennard (1970)" in shown
    assert "regularization=0.1" in shown
    bars = [line for line in lines if "█" in line]
    assert [line.split()[0] for line in bars] == ["[bold]body[/bold]", "title", "age"]
    assert [line.count("█") for line in bars] == [24, 12, 3]
    assert "−█" in bars[0]
    assert "−" not in bars[1]
    assert [line.split()[1] for line in bars] == ["-1", "0.5", "0.125"]


def test_show_fewer_features(linear: Path) -> None:
    shown = run(model, "show", linear, "--features", 1).stdout
    assert sum("█" in line for line in shown.splitlines()) == 1


def test_show_as_json(trees: Path) -> None:
    found = json.loads(run(model, "show", trees, "--format", "json").stdout)
    assert (found["ranker"], found["kind"], found["features"]) == ("lambdamart", "trees", 4)
    assert found["exports"][:3] == ["ranklib", "xgboost-json", "solr"]
    scorer = made_models()["trees"]
    assert list(found["importance"].values()) == scorer.importance().tolist()


def test_a_model_that_uses_no_feature(tmp_path: Path) -> None:
    save_model(Model("ridge-regression", {}, Linear(np.zeros(2))), tmp_path / "m.json")
    shown = run(model, "show", tmp_path / "m.json")
    assert shown.exit_code == 0
    assert "█" not in shown.stdout


def test_export(linear: Path, tmp_path: Path) -> None:
    done = run(model, "export", linear, "--to", "linear-json", "-o", tmp_path / "out.json")
    weights = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert weights == dict(zip(NAMES, [0.5, -1.0, 0.0, 0.125], strict=True))
    assert "the intercept 2.0 is left out" in done.stderr
    assert done.stdout == ""


def test_export_with_the_names_of_the_search_engine(linear: Path, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("t\nb\nl\na\n")
    arguments = ("--to", "solr", "--feature-names", tmp_path / "names.txt")
    run(model, "export", linear, *arguments, "-o", tmp_path / "out.json")
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert [feature["name"] for feature in document["features"]] == ["t", "b", "l", "a"]
    (tmp_path / "names.txt").write_text("t\nb\n")
    with pytest.raises(RankwiseError, match="each of the 4 features, one a line, found 2"):
        run(model, "export", linear, *arguments, "-o", tmp_path / "out.json")


def test_export_to_what_does_not_fit(linear: Path, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="'linear' cannot be written as xgboost-json"):
        run(model, "export", linear, "--to", "xgboost-json", "-o", tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
    assert run(model, "export", linear, "--to", "h5", "-o", "x").exit_code == 2
