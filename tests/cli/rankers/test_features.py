"""`rankwise features select|reduce|importance` on small folds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.rankers.feature_commands import features
from rankwise.data.dataset import Dataset
from rankwise.data.folds import compose_folds, cut_into_parts, read_folds, write_folds
from rankwise.errors import RankwiseError
from tests.cli.whole_program import rankwise

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


def test_effects_are_printed_under_the_end_of_their_headings(folder: Path) -> None:
    lines = run("select", folder, "--keep", 1).stdout.splitlines()
    (place,) = (n for n, line in enumerate(lines) if "all features" in line)
    headings = ("all features", "1 features", "difference", "p (t-test over queries)")
    for line in lines[place + 2 : place + 4]:
        for heading in headings:
            end = lines[place].index(heading) + len(heading)
            assert line[end - 1].isdigit() and line[end] == " ", heading


def test_without_validation_it_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    for part in ("train.txt", "test.txt"):
        (tmp_path / part).write_bytes((folder / "Fold1" / part).read_bytes())
    result = run("select", tmp_path, "--keep", 1)
    assert isinstance(result.exception, RankwiseError)
    assert "choose by method='best', or say similarity_weight with gas" in str(result.exception)
    said = rankwise("features", "select", tmp_path, "--keep", 1).err
    assert "choose by --method best, or say --similarity-weight with gas" in said
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


def card_beside(folder: Path, names: list[str]) -> Path:
    """A copy of the folds with a data card beside them, as builds have it."""
    home = folder / "built"
    home.mkdir()
    (home / "data-card.json").write_text(json.dumps({"features": [{"name": n} for n in names]}))
    return home


def test_names_come_from_the_card_beside_the_folds(folder: Path, tmp_path: Path) -> None:
    home = card_beside(tmp_path, ["bm25 of [b]title", "length", "noise"])
    shutil.copytree(folder, home / "QueryLevelNorm")
    found = facts("importance", home / "QueryLevelNorm")
    assert [row["name"] for row in found] == ["bm25 of [b]title", "length", "noise"]
    chosen = facts("select", home / "QueryLevelNorm", "--keep", 1)
    assert chosen["names"] == {"1": "bm25 of [b]title"}
    for command in (("importance",), ("select", "--keep", 1)):
        shown = run(command[0], home / "QueryLevelNorm", *command[1:])
        assert "bm25 of [b]title" in shown.stdout
    assert "1, 2, 3, 4, 5" in shown.stdout


def test_names_come_from_a_file_or_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "names").write_text("one\ntwo\nthree\n")
    found = facts("importance", folder, "--names", tmp_path / "names")
    assert [row["name"] for row in found] == ["one", "two", "three"]
    (tmp_path / "names").write_text("one\ntwo\n")
    refused = run("importance", folder, "--names", tmp_path / "names")
    assert "each of the 3 features, one a line, found 2 names" in str(refused.exception)


def test_the_mapping_of_a_selection_is_written(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "names").write_text("one\ntwo\nthree\n")
    arguments = ("--keep", 2, "--method", "best", "--names", tmp_path / "names")
    result = run("select", folder, *arguments, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.exception
    lines = (tmp_path / "out" / "features.tsv").read_text().splitlines()
    assert lines[0].split("\t") == ["fold", "new", "old", "name"]
    assert [line.split("\t") for line in lines[1:]] == [
        [str(fold), str(new), str(new), name]
        for fold in range(1, 6)
        for new, name in ((1, "one"), (2, "two"))
    ]
    assert len(read_folds(tmp_path / "out")) == 5


@pytest.mark.parametrize("command", [("select", "--keep", 1), ("reduce", "--to", 1)])
def test_a_target_in_use_is_refused_before_learning(
    command: tuple[object, ...], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learnt(*arguments: object) -> None:
        raise AssertionError("something was learnt")

    monkeypatch.setattr("rankwise.experiments.feature_studies.compare_on_folds", learnt)
    (tmp_path / "mine").touch()
    for target, sentence in (
        (tmp_path, "not an empty folder"),
        (tmp_path / "a" / "b", "does not exist"),
    ):
        result = run(command[0], folder, *command[1:], "-o", target)
        assert isinstance(result.exception, RankwiseError)
        assert sentence in str(result.exception)


def test_pls_that_ends_early_keeps_the_same_number_in_all_folds(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 8)
    X = rng.normal(size=(len(qid), 4))
    labels = (X[:, 0] > 0).astype(float)
    X[:, 3] = X[:, 2] = X[:, 1]  # three directions less one that varies on its own
    write_folds(compose_folds(cut_into_parts(Dataset.from_arrays(X, labels, qid))), tmp_path / "f")
    arguments = ("reduce", tmp_path / "f", "--to", 4, "--method", "pls", "-o", tmp_path / "out")
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.exception
    kept = json.loads(result.stdout)["kept"]
    assert kept == 2
    assert f"{kept} instead of 4 features in all folds" in result.stderr
    assert {fold.train.n_features for fold in read_folds(tmp_path / "out")} == {kept}
