"""`rankwise model`: what is in a file, and files for other tools."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankwise.cli.rankers.model_commands import model
from rankwise.data.dataset import Dataset
from rankwise.data.reading import write
from rankwise.errors import RankwiseError
from rankwise.models import EXPORTS, save_model
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
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


def test_export_says_what_is_lost_before_it_happens(trees: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(100, 4))
    rows[::3, 2] = np.nan
    data = tmp_path / "data.txt"
    write(Dataset.from_arrays(rows, np.zeros(100), group=[10] * 10), data)
    arguments = ("--to", "solr", "--store", "shop", "--data", data, "-o", tmp_path / "solr.json")
    done = run(model, "export", trees, *arguments)
    assert "missing values are lost: an absent feature is 0; of 6 rows with NULL" in done.stderr
    assert "features, thresholds and sums in single precision: rows at or beside" in done.stderr
    assert "the first ten change in " in done.stderr
    assert "34 of 100 rows have NULL" in done.stderr
    exact = run(model, "export", trees, "--to", "python", "--data", data, "-o", tmp_path / "m.py")
    assert "the first ten change in 0 of 10 queries, the order in 0" in exact.stderr
    assert "are lost" not in exact.stderr


def test_export_help_names_every_target() -> None:
    shown = run(model, "export", "--help").stdout
    assert all(f"  {one.name} " in shown for one in EXPORTS)


def test_verify(trees: Path, tmp_path: Path) -> None:
    output = tmp_path / "model.py"
    run(model, "export", trees, "--to", "python", "-o", output)
    found = run(model, "verify", output)
    assert found.exit_code == 0
    assert "model.py (python) scores as its model does: run in Python 3" in found.stdout
    assert "golden, NULL" in found.stdout
    output.write_text(output.read_text("utf-8").replace("LEAVES = (", "LEAVES = (\n    5.0,"))
    changed = run(model, "verify", output)
    assert changed.exit_code == 1
    assert "is NOT the file that its certificate describes" in changed.stdout


def test_cost(trees: Path) -> None:
    found = run(model, "cost", trees, "--to", "python", "--to", "solr", "--repeats", 1)
    assert "Microseconds on 2000 documents of 20 queries" in found.stdout
    assert "(1 ×)" in found.stdout
    assert "solr: not timed: format checked, not run in Solr" in found.stderr


def test_explanations(trees: Path, tmp_path: Path) -> None:
    rows = np.random.default_rng(1).normal(size=(20, 4))
    data = tmp_path / "data.txt"
    write(Dataset.from_arrays(rows, np.arange(20) % 3, group=[10, 10]), data)
    assert "█" in run(model, "importance", trees).stdout
    shown = run(model, "importance", trees, data, "--by", "permutation", "--per-query")
    assert "by permutation, NDCG@10" in shown.stdout
    assert "2 queries: their figures are in --format json" in shown.stderr
    shown = run(model, "contributions", trees, data, "--query", "2", "--documents", 3)
    assert "query 2: mean score" in shown.stdout
    assert "contributions are exact" in shown.stdout
    assert (
        "documents, less its mean" in run(model, "dependence", trees, data, "--feature", 1).stdout
    )
    shown = run(model, "why", trees, data, "-o", tmp_path / "figures")
    assert shown.stdout.startswith("For query 1, ")
    assert (tmp_path / "figures" / "why-above.svg").exists()
