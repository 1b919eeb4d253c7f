"""`rankwise train --also`: what `rw.fit(..., also=…)` gives, said and refused in sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.cli.main import main
from rankwise.data.shared_queries import rename_queries


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    made = {}
    for seed, (name, queries) in enumerate((("train", 4), ("vali", 3), ("other", 8))):
        made[name] = tmp_path / f"{name}.txt"
        rw.write(rename_queries(planted(queries, seed=seed), f"{seed}"), made[name])
    return {**made, "model": tmp_path / "model.json"}


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(word) for word in words])
    return result.exit_code, f"{result.stderr}{result.exception or ''}"


def test_the_command_gives_the_model_of_the_function(
    files: dict[str, Path], tmp_path: Path
) -> None:
    code, said = run("train", files["train"], "--ranker", "ridge-regression", "--validate",
                     files["vali"], "--also", files["other"], "--way", "weighted",
                     "-o", files["model"])  # fmt: skip
    assert code == 0, said
    model = rw.fit("ridge-regression", files["train"], files["vali"], also=files["other"],
                   way="weighted")  # fmt: skip
    rw.save_model(model, tmp_path / "own.json")
    assert files["model"].read_bytes() == (tmp_path / "own.json").read_bytes()


def test_queries_that_were_left_out_are_told(files: dict[str, Path]) -> None:
    both = rw.data.concatenate([rw.read(files["other"]), rw.read(files["vali"])])
    rw.write(both, files["other"])
    code, said = run("train", files["train"], "--ranker", "ridge-regression", "--validate",
                     files["vali"], "--also", files["other"], "-o", files["model"])  # fmt: skip
    assert code == 0
    assert "note: 3 of the 11 queries of the source are queries of the target too" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--way", "pooled"), "found none; name also"),
        (("--also", "other", "--source-weight", "0.5"), "choose way='weighted'"),
        (("--also", "other", "--way", "weighted"), "give source_weight"),
        (("--also", "other", "--scheduler", "tcp://x:1"), "--also is for training on this machine"),
    ],
)
def test_what_has_no_effect_is_refused(
    files: dict[str, Path], words: tuple[str, ...], sentence: str
) -> None:
    given = [files.get(word, word) for word in words]
    code, said = run("train", files["train"], "--ranker", "ridge-regression", *given,
                     "-o", files["model"])  # fmt: skip
    assert code != 0
    assert sentence in said
    assert not files["model"].exists()
