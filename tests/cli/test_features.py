"""`rankwise features select|reduce|importance` on small folds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.features import features
from rankwise.data.dataset import Dataset
from rankwise.data.folds import compose_folds, cut_into_parts, read_folds, write_folds
from rankwise.errors import RankwiseError

USEFUL, HARMLESS, NOISE = 1, 2, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(4)
    qid = np.repeat(np.arange(20), 12)
    hidden = rng.normal(size=len(qid))
    labels = (hidden > 0.4).astype(float) + (hidden > 1.3)
    X = np.column_stack([hidden, hidden + rng.normal(size=len(qid)), rng.normal(size=len(qid))])
    target = tmp_path_factory.mktemp("data") / "folds"
    write_folds(compose_folds(cut_into_parts(Dataset.from_arrays(X, labels, qid))), target)
    return target


def run(*arguments: object) -> Result:
    return CliRunner().invoke(features, [str(argument) for argument in arguments])


def facts(*arguments: object) -> dict[str, object]:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.exception
    found: dict[str, object] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("method", ["gas", "best", "forward"])
def test_select_finds_the_feature_that_makes_the_labels(method: str, folder: Path) -> None:
    found = facts("select", folder, "--keep", 1, "--method", method)
    assert found["features"] == {str(fold): [USEFUL] for fold in range(1, 6)}
    [map_effect, ndcg_effect] = found["effect"]
    assert map_effect["measure"] == "MAP"
    assert ndcg_effect["measure"] == "NDCG@10"
    assert map_effect["queries"] == 20
    assert map_effect["fewer_features"] == 1.0
    assert map_effect["difference"] == 1.0 - map_effect["all_features"]


def test_selected_folds_can_be_written(folder: Path, tmp_path: Path) -> None:
    result = run("select", folder, "--keep", 2, "--method", "best", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.exception
    for before, after in zip(read_folds(folder), read_folds(tmp_path / "out"), strict=True):
        assert np.array_equal(after.test.features, before.test.features[:, :2])


@pytest.mark.parametrize("method", ["pca", "pls"])
def test_reduce_shows_and_writes(method: str, folder: Path, tmp_path: Path) -> None:
    found = facts("reduce", folder, "--to", 2, "--method", method, "-o", tmp_path / "out")
    shares = found["explained"]
    assert isinstance(shares, dict)
    assert all(len(share) == 2 and 0 < sum(share) < 1 for share in shares.values())
    assert {fold.train.n_features for fold in read_folds(tmp_path / "out")} == {2}


def test_reducing_to_all_features_changes_little(folder: Path) -> None:
    [effect, *_] = facts("reduce", folder, "--to", 3)["effect"]
    assert abs(effect["difference"]) < 0.01


def test_importance_is_in_order(folder: Path) -> None:
    rows = facts("importance", folder, "--measure", "NDCG@5")
    assert [row["feature"] for row in rows] == [USEFUL, HARMLESS, NOISE]
    assert rows[0]["alone"] == 1.0
    assert rows[0]["loss"] > 0.2 > abs(rows[2]["loss"])


@pytest.mark.parametrize(
    "arguments", [("select", "--keep", 1), ("reduce", "--to", 1), ("importance",)]
)
def test_tables_for_people(arguments: tuple[object, ...], folder: Path) -> None:
    result = run(arguments[0], folder, *arguments[1:])
    assert result.exit_code == 0, result.exception
    assert "MAP" in result.stdout
    assert "ridge-regression" in result.stdout


def test_without_validation_it_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    for part in ("train.txt", "test.txt"):
        (tmp_path / part).write_bytes((folder / "Fold1" / part).read_bytes())
    result = run("select", tmp_path, "--keep", 1)
    assert isinstance(result.exception, RankwiseError)
    assert "use --method best" in str(result.exception)
    assert run("select", tmp_path, "--keep", 1, "--similarity-weight", "0.1").exit_code == 0


def test_too_many_features_and_unknown_rankers(folder: Path) -> None:
    assert "can be kept, found 9" in str(run("select", folder, "--keep", 9).exception)
    assert "did you mean" in str(
        run("select", folder, "--keep", 1, "--ranker", "ridge-regresion").exception
    )


def test_null_is_filled_and_said(tmp_path: Path) -> None:
    rows = [f"{n % 2} qid:{n // 4} 1:{n % 2} 2:{'NULL' if n % 3 else 0.5}\n" for n in range(16)]
    for part in ("train.txt", "vali.txt", "test.txt"):
        (tmp_path / part).write_text("".join(rows))
    result = run("importance", tmp_path)
    assert result.exit_code == 0, result.exception
    assert "NULL values were filled" in result.stderr
