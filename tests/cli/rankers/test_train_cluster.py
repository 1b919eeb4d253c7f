"""`rankwise train --scheduler`, `spread = true`: only validation is read here, refusals first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankwise.checks.made import planted
from rankwise.cli.experiments.bench_command import bench
from rankwise.cli.rankers.training_commands import train
from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from rankwise.data.reading import read, write
from rankwise.errors import RankwiseError
from rankwise.experiments import fitting
from rankwise.models import load_model
from tests.cli.command import run
from tests.cli.whole_program import rankwise

pytest.importorskip("lightgbm", reason="the extra 'trees' is not installed")
pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
pytest.importorskip("dask.dataframe", reason="the extra 'spread' is not installed")

SMALL = (
    *("--set", "rounds=6", "--set", "leaf_documents=5", "--set", "lambdas=lightgbm"),
    *("--measure", "NDCG@5"),
)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    from tests.rankers.local_cluster import local_cluster

    # A thread of this process is enough: what several processes do is tested with the rankers.
    with local_cluster(1, processes=False) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    write(planted(), tmp_path / "train.txt")
    write(planted(8, seed=1), tmp_path / "vali.txt")
    return tmp_path / "train.txt", tmp_path / "vali.txt", tmp_path / "model.json"


def test_the_model_is_that_of_this_machine(
    files: tuple[Path, Path, Path], scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, validation, output = files
    options = ("--ranker", "lambdamart", "--validate", validation, *SMALL, "-o", output)
    run(train, data, *options)
    here = load_model(output)
    opened: list[Path] = []

    def noted(path: Path, **how: Any) -> Any:
        opened.append(path)
        return read(path, **how)

    monkeypatch.setattr(fitting, "read", noted)
    # The workers have another working directory in earnest; the path they get is absolute.
    monkeypatch.chdir(data.parent)
    result = run(train, data.name, *options, "--scheduler", scheduler, "--shares", 3)
    there = load_model(output)
    assert (result.exit_code, result.stdout) == (0, "")
    assert opened == [validation]
    assert there.scorer.as_json() == here.scorer.as_json()
    assert there.parameters == here.parameters
    assert (there.facts["workers"], there.facts["shares"]) == (1, 3)
    assert f"validation NDCG@5 (definition): {there.facts['selection']:.4f}\n" in result.stderr
    assert "training NDCG" not in result.stderr


def test_sparse_files_of_different_width_fit(tmp_path: Path, scheduler: str) -> None:
    rows = [f"{row % 2} qid:{row // 4} {1 + row % 3}:{row}\n" for row in range(80)]
    (tmp_path / "narrow.txt").write_text("".join(rows))
    (tmp_path / "wide.txt").write_text("".join(rows) + "1 qid:99 7:1\n0 qid:99 1:1\n")
    for data, validation in (("narrow", "wide"), ("wide", "narrow")):
        words = ("--validate", tmp_path / f"{validation}.txt", "--scheduler", scheduler)
        run(train, tmp_path / f"{data}.txt", "--ranker", "lambdamart", *SMALL, *words,
            "-o", tmp_path / "m.json")  # fmt: skip
        assert load_model(tmp_path / "m.json").scorer.n_features == 7


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--ranker", "lambdamart", "--shares", 2], "--shares is for training over a cluster"),
        (["--ranker", "lambdamart", "--wait", "10m"], "--wait is for training over a cluster"),
        (
            ["--ranker", "lambdamart", "--scheduler", "tcp://127.0.0.1:9", "--wait", "soon"],
            "a time must be written as 90s, 10m or 1h30m, found 'soon'",
        ),
        (
            ["--ranker", "rankboost", "--scheduler", "tcp://127.0.0.1:9"],
            "rankboost cannot be trained over a cluster, only lambdamart can",
        ),
        (
            ["--ranker", "lambdamart", "--scheduler", "tcp://127.0.0.1:9"],
            "there must be a Dask scheduler at tcp://127.0.0.1:9, none answered",
        ),
        (
            ["--ranker", "lambdamart", "--scheduler", "head"],
            "found 'head'",
        ),
    ],
)
def test_refusals_are_one_sentence(
    files: tuple[Path, Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    words: list[object],
    sentence: str,
) -> None:
    monkeypatch.setattr("rankwise.cluster._CONNECT_SECONDS", 1)
    with pytest.raises(RankwiseError) as caught:
        run(train, files[0], *words, "-o", files[2])
    assert sentence in str(caught.value)
    assert not files[2].exists()


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_bench_refuses_spread_without_a_cluster_before_anything(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    config = _experiment(tmp_path)
    with pytest.raises(RankwiseError, match=r"spread = true needs a cluster.*engine='dask'"):
        run(bench, config, "--output", tmp_path / "out", *words)
    ended = rankwise("bench", config, "--output", tmp_path / "out", *words)
    assert ended.code == 2 and "or choose --engine dask" in ended.err
    assert not (tmp_path / "out").exists()


def test_bench_prints_nothing_but_its_result(tmp_path: Path, capfd: Any) -> None:
    config = _experiment(tmp_path)
    result = run(bench, config, "--engine", "dask", "--jobs", 2, "--store", tmp_path / "s.sqlite",
                 "--format", "json", "--quiet")  # fmt: skip
    assert result.exit_code == 0
    assert json.loads(result.stdout)
    # What worker processes write goes past the runner of commands.
    assert capfd.readouterr().out == ""


def _experiment(folder: Path) -> Path:
    write_folds(compose_folds(cut_into_parts(planted(30))), folder / "data")
    config = folder / "mine.toml"
    config.write_text(
        'folds = [1]\n[[data]]\npath = "data"\n[[rankers]]\nname = "lambdamart"\nspread = true\n'
        "set = { rounds = 3, leaves = 3, learning_rate = 0.1, leaf_documents = 5 }\n"
    )
    return config
