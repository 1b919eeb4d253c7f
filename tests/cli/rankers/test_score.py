"""`rankwise score`: one score a line, all digits, for the features of the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.cli.rankers.training_commands import score
from rankwise.data.dataset import Dataset
from rankwise.data.formats.score_files import read_scores
from rankwise.data.reading import write
from rankwise.errors import RankwiseError
from rankwise.models import save_model
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from tests.cli.command import run

LINEAR = Linear(np.array([1.0, -0.1, 1e-17, 3.0, 1 / 3]))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    save_model(Model("ridge-regression", {}, LINEAR), tmp_path / "model.json")
    write(planted(3), tmp_path / "test.txt")
    return tmp_path / "model.json", tmp_path / "test.txt"


def test_scores_are_read_back_to_the_bit(files: tuple[Path, Path], tmp_path: Path) -> None:
    result = run(score, *files, "-o", tmp_path / "scores.txt")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{tmp_path / 'scores.txt'}: 42 scores\n"
    found = read_scores(tmp_path / "scores.txt", 42).values
    assert found.tobytes() == LINEAR.score(planted(3).features).tobytes()


def test_without_a_file_scores_are_printed(files: tuple[Path, Path]) -> None:
    printed = run(score, *files).stdout
    expected = LINEAR.score(planted(3).features).tolist()
    assert [float(line) for line in printed.splitlines()] == expected


def test_rows_that_leave_last_features_out(files: tuple[Path, Path], tmp_path: Path) -> None:
    """They may be sparse, or other data: whoever scores them says which."""
    sparse = tmp_path / "sparse.txt"
    sparse.write_text("0 qid:1 1:2\n1 qid:1 4:1\n")
    assert run(score, files[0], sparse, "--absent-as-zero").stdout == "2.0\n3.0\n"
    sentence = r"sparse.txt: the model was trained on 5 features, found 4; .* absent_as_zero=True"
    with pytest.raises(RankwiseError, match=sentence):
        run(score, files[0], sparse)
    with pytest.raises(RankwiseError, match=r"trained on 5 features, found 4; .*absent_as_zero=T"):
        rw.score(files[0], rw.read(sparse))
    scores = rw.score(files[0], rw.read(sparse), absent_as_zero=True)
    assert scores.tolist() == [2.0, 3.0]


def test_named_features_are_never_filled_up(files: tuple[Path, Path], tmp_path: Path) -> None:
    named = Dataset.from_arrays([[1.0]], [0], [1], feature_names=["a"])
    with pytest.raises(RankwiseError, match="trained on 5 features, found 1"):
        rw.score(files[0], named, absent_as_zero=True)


def test_features_go_by_their_names(tmp_path: Path) -> None:
    names = tuple("abcde")
    save_model(Model("ridge-regression", {}, LINEAR), tmp_path / "m", feature_names=names)
    named = replace(planted(3), feature_names=names)
    order = [4, 0, 3, 1, 2]
    moved = replace(
        named,
        features=named.features[:, order],
        feature_names=tuple(names[place] for place in order),
    )
    write(named, tmp_path / "named.parquet")
    write(moved, tmp_path / "moved.parquet")
    first, second = (run(score, tmp_path / "m", tmp_path / f"{n}.parquet").stdout
                     for n in ("named", "moved"))  # fmt: skip
    assert first == second


def test_data_that_do_not_fit_the_model(files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_text("0 qid:1 6:2\n")
    with pytest.raises(RankwiseError, match="trained on 5 features, found 6"):
        run(score, files[0], tmp_path / "wide.txt")
    names = tuple("abcde")
    save_model(Model("ridge-regression", {}, LINEAR), tmp_path / "m", feature_names=names)
    other = replace(planted(3), feature_names=("a", "b", "x", "d", "e"))
    write(other, tmp_path / "other.parquet")
    with pytest.raises(RankwiseError, match="features of the model, by name: they lack 'c'"):
        run(score, tmp_path / "m", tmp_path / "other.parquet")


def test_a_file_that_is_no_model(files: tuple[Path, Path]) -> None:
    with pytest.raises(RankwiseError, match=r"test\.txt is not a model that can be read: it must"):
        run(score, files[1], files[1])
    with pytest.raises(RankwiseError, match="there is no such file"):
        run(score, "none.json", files[1])


def test_a_column_of_classes_says_which_model_scores(tmp_path: Path) -> None:
    kinds = np.repeat([1.0, 2.0, 2.0, 1.0], 14)
    data = planted(4).with_features(np.column_stack([planted(4).features, kinds]))
    write(data, tmp_path / "data.txt")
    model = rw.fit("per-class", tmp_path / "data.txt", class_column=6)
    save_model(model, tmp_path / "m.json")
    out = tmp_path / "scores.txt"
    run(score, tmp_path / "m.json", tmp_path / "data.txt", "--class-column", 6, "-o", out)
    expected = model.score(rw.data.with_query_classes(data, 6))
    assert read_scores(out).values.tolist() == expected.tolist()
    with pytest.raises(RankwiseError, match="found data that have none") as caught:
        run(score, tmp_path / "m.json", tmp_path / "data.txt")
    assert caught.value.in_command({"class_column": "--class-column"}.get).endswith(
        "say which column holds them: --class-column"
    )
