"""`rankwise features path`: tables, JSON, CSV and figures."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.rankers.feature_commands import features
from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from tests.rankers.svm_data import made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("data") / "folds"
    write_folds(compose_folds(cut_into_parts(made(0, n_queries=15, n_features=5))), target)
    return target


def run(*arguments: object) -> Result:
    return CliRunner().invoke(features, ["path", *(str(argument) for argument in arguments)])


def test_the_table_marks_the_best_value_of_every_fold(folder: Path) -> None:
    result = run(folder, "--values", "0.001,0.01", "--values", "1")
    assert result.exit_code == 0, result.exception
    assert "sparserank along regularization" in result.stdout
    assert "MAP on validation" in result.stdout
    assert result.stdout.count("best") == 5


def test_json_and_csv_say_the_same(folder: Path) -> None:
    words = (folder, "--ranker", "fsmrank", "--set", "similarity=0.1", "--values", "0.001,0.05")
    found = json.loads(run(*words, "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").stdout)))
    assert found["ranker"] == "fsmrank"
    assert found["parameter"] == "regularization"
    weights = {
        (str(point["fold"]), float(point["value"]), feature): weight
        for point in found["points"]
        for feature, weight in point["weights"].items()
    }
    read = {
        (row["fold"], float(row["regularization"]), row["feature"]): float(row["weight"])
        for row in rows
        if float(row["weight"])
    }
    assert read == weights


def test_figures_are_drawn(folder: Path, tmp_path: Path) -> None:
    result = run(folder, "--values", "0.001,0.1", "-o", tmp_path / "figures")
    assert result.exit_code == 0, result.exception
    drawn = sorted(path.name for path in (tmp_path / "figures").iterdir())
    stems = ("path-features-kept", "path-validation", "path-weights")
    assert drawn == [f"{stem}.{ending}" for stem in stems for ending in ("png", "svg")]
    assert "wrote " in result.stderr


def test_values_must_be_numbers(folder: Path) -> None:
    result = run(folder, "--values", "0.1,many")
    assert result.exit_code == 2
    assert "--values are numbers, found 'many'" in result.stderr
