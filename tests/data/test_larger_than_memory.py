"""Everything that reads data in blocks gives what it gives of data in memory, to the bit."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.cli.data.file_commands import (
    check_command,
    describe_command,
    normalize_command,
    split_command,
)
from rankwise.cli.measures.evaluate_command import evaluate
from rankwise.data import feature_matrix
from rankwise.data.checking import check_dataset
from rankwise.data.dataset import Dataset
from rankwise.data.formats.packed import MARK, PackedDescription
from rankwise.data.synthetic import make_dataset
from rankwise.experiments.digests import digest_dataset
from tests.cli.command import run

LIMIT = 800_000_000
BLOCKED = ("lambdamart", "mart", "random-forest", "ranksvm-primal", "ranksvm", "ranknet", "listnet")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_matrix, "BLOCK_CELLS", 100)
    monkeypatch.setattr(feature_matrix, "CELLS_AT_ONCE", 70)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    rw.write(rw.normalize(make_dataset(40, seed=5), "min"), tmp_path / "d.txt")
    return tmp_path / "d.txt"


@pytest.fixture
def packed(text: Path) -> Path:
    rw.data.convert(text, text.with_suffix(".rwd"))
    return text.with_suffix(".rwd")


def odd() -> Dataset:
    """Features that are constant, NULL, the same, infinite, huge."""
    features = np.random.default_rng(1).normal(size=(90, 9)).round(1)
    features[:, 1] = 4.0
    features[:, 2] = np.repeat(np.arange(30.0), 3)
    features[:, 4] = features[:, 3]
    features[:, 5] = np.nan
    features[40, 6], features[70, 7], features[80, 6], features[30, 8] = (
        np.inf,
        1e39,
        np.inf,
        np.nan,
    )
    return Dataset.from_arrays(features, np.arange(90) % 3, group=[3] * 30)


def stays_in_file(dataset: Dataset) -> bool:
    return dataset.in_file is not None and "features" not in vars(dataset)


def test_facts_and_faults(tmp_path: Path) -> None:
    rw.write(odd(), tmp_path / "odd.rwd")
    found = rw.read(tmp_path / "odd.rwd")
    facts = rw.describe(found)
    assert facts == rw.describe(odd())
    assert facts.constant_features == ["2", "6"]
    assert facts.constant_in_queries == ["2", "3", "6"]
    assert facts.duplicate_features == [["4", "5"]]
    assert facts.null_features == {"6": 90, "9": 1}
    assert check_dataset(found, "F") == check_dataset(odd(), "F")
    sentences = [problem.sentence for problem in check_dataset(found, "F")]
    assert "found 2 (first in row 41, feature 7) infinite" in sentences[0]
    assert "found 1 (first in row 71, feature 8) beyond it" in sentences[1]
    assert stays_in_file(found)


@pytest.mark.parametrize("to", rw.data.NORMALIZATIONS)
@pytest.mark.parametrize("class_column", [None, 2])
def test_every_scale(text: Path, packed: Path, to: str, class_column: int | None) -> None:
    first = rw.read(text)
    features = first.features.copy()
    features[:, 1] = np.repeat(np.arange(first.n_queries), first.query_lengths)
    features[::7, 3] = np.nan
    first = first.with_features(features)
    rw.write(first, packed)
    second = rw.read(packed)
    fitted = rw.data.NORMALIZATIONS[to].fitted
    one, other = (
        rw.normalize(data, to, fit_on=data if fitted else None, class_column=class_column)
        for data in (first, second)
    )
    assert stays_in_file(other)
    assert stays_in_file(second)
    assert other.equals(one)


@pytest.mark.parametrize("seed", [None, 3])
def test_folds(text: Path, packed: Path, seed: int | None, tmp_path: Path) -> None:
    ours = list(rw.split_folds(rw.read(packed), seed=seed))
    for mine, its in zip(ours, rw.split_folds(rw.read(text), seed=seed), strict=True):
        for (_, one), (_, other) in zip(mine.parts(), its.parts(), strict=True):
            assert stays_in_file(one)
            assert one.equals(other)
    rw.write_folds(ours, tmp_path / "folds", naming="packed")
    for mine, its in zip(rw.read_folds(tmp_path / "folds"), ours, strict=True):
        assert mine.train.equals(its.train) and mine.train.in_file is not None


@pytest.mark.parametrize("name", BLOCKED)
def test_training_and_scoring(text: Path, packed: Path, name: str) -> None:
    ours, theirs = (next(rw.split_folds(rw.read(path))) for path in (packed, text))
    few = {"lambdamart": {"rounds": 8, "measure": "NDCG@10"}, "mart": {"rounds": 8}}
    ranker = rw.make_ranker(name, **few.get(name, {"rounds": 8} if name != "random-forest" else {}))
    mine = ranker.fit(ours.train, ours.validation, seed=1)
    its = ranker.fit(theirs.train, theirs.validation, seed=1)
    assert mine.scorer.as_json() == its.scorer.as_json()
    assert mine.facts == its.facts
    assert mine.score(ours.test).tolist() == its.score(theirs.test).tolist()
    for _, part in ours.parts():
        assert stays_in_file(part)


def test_rankers_that_need_an_array_have_one(text: Path, packed: Path) -> None:
    mine, its = (rw.make_ranker("ridge-regression").fit(rw.read(path)) for path in (packed, text))
    assert mine.scorer.as_json() == its.scorer.as_json()


def test_queries_that_validate_and_train_are_told(packed: Path) -> None:
    data = rw.read(packed)
    model = rw.make_ranker("lambdamart", rounds=2).fit(data, data)
    assert "40 of the 40 queries that validate are training queries" in model.facts["remarks"][0]
    assert stays_in_file(data)


def test_the_digest_is_that_of_the_same_data(text: Path, packed: Path) -> None:
    assert digest_dataset(rw.read(packed)) == digest_dataset(rw.read(text))


def test_more_rows_than_bins_are_made_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LightGBM draws 200,000 rows; of a file it must draw the same ones."""
    monkeypatch.setattr(feature_matrix, "BLOCK_CELLS", 1 << 20)
    monkeypatch.setattr(feature_matrix, "CELLS_AT_ONCE", 1 << 20)
    rng = np.random.default_rng(0)
    data = Dataset.from_arrays(
        rng.normal(size=(201_000, 1)), rng.integers(0, 2, 201_000), group=[100] * 2010
    )
    rw.write(data, tmp_path / "d.rwd")
    ranker = rw.make_ranker("mart", rounds=2, leaves=255)
    mine, its = ranker.fit(rw.read(tmp_path / "d.rwd")), ranker.fit(data)
    assert mine.scorer.as_json() == its.scorer.as_json()


class TestCommands:
    def test_describe_and_check(self, text: Path, packed: Path) -> None:
        for command in (describe_command, check_command):
            first, second = (
                run(command, path, "--format", "json").stdout for path in (text, packed)
            )
            assert second.replace(".rwd", ".txt") == first

    def test_normalize(self, text: Path, packed: Path, tmp_path: Path) -> None:
        run(normalize_command, text, tmp_path / "a.txt", "--to", "query-level")
        run(normalize_command, packed, tmp_path / "b.rwd", "--to", "query-level")
        run(normalize_command, packed, tmp_path / "c.txt", "--to", "query-level")
        assert rw.read(tmp_path / "b.rwd").equals(rw.read(tmp_path / "a.txt"))
        assert (tmp_path / "c.txt").read_bytes() == (tmp_path / "a.txt").read_bytes()
        run(normalize_command, packed, tmp_path / "d.rwd", "--to", "min", "--float32")
        single = rw.read(tmp_path / "d.rwd").in_file
        assert single is not None and single.is_single

    def test_split_writes_the_form_that_it_reads(self, packed: Path, tmp_path: Path) -> None:
        run(split_command, packed, tmp_path / "folds", "--parts", 3)
        names = sorted(path.name for path in (tmp_path / "folds/Fold1").iterdir())
        assert names == ["test.rwd", "train.rwd", "vali.rwd"]
        run(split_command, packed, tmp_path / "texts", "--parts", 3, "--names", "letor4")
        folds = zip(
            rw.read_folds(tmp_path / "folds"), rw.read_folds(tmp_path / "texts"), strict=True
        )
        assert all(one.train.equals(other.train) for one, other in folds)

    def test_evaluate(self, text: Path, packed: Path, tmp_path: Path) -> None:
        scores = tmp_path / "scores.txt"
        rw.data.write_scores(rw.read(text).features[:, 0], scores)
        words = (scores, "-m", "NDCG@10,MAP", "--format", "json")
        first, second = (run(evaluate, path, *words).stdout for path in (text, packed))
        assert second.replace(".rwd", ".txt") == first


def hollow(path: Path, size: int) -> None:
    """Packed data of zeros that take no room on disk, and nearly `size` bytes to read."""
    width, length = 100, 50
    queries = size // (8 * width * length)
    rows = queries * length
    ids = [str(number).encode() for number in range(queries)]
    described = PackedDescription(rows, width, queries, "float64", sum(map(len, ids)))
    with path.open("wb") as stream:
        stream.write(MARK)
        stream.seek(described.places()["labels"])
        stream.write(np.tile(np.arange(length) % 2.0, queries).tobytes())
        stream.write(np.arange(0, rows + 1, length, dtype="<i8").tobytes())
        stream.write(np.cumsum([len(one) for one in ids], dtype="<i8").tobytes())
        stream.write(b"".join(ids))
        stream.write(described.encoded())


def run_limited(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command in a process that may not have more than `LIMIT` bytes (`ulimit -v`)."""
    return subprocess.run(
        [sys.executable, "-m", "rankwise", *map(str, words)],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v is kept on Linux")
class TestLimitedMemory:
    @pytest.fixture
    def large(self, tmp_path: Path) -> Path:
        hollow(tmp_path / "large.rwd", 3 * LIMIT)
        return tmp_path / "large.rwd"

    def test_evaluating_reads_no_feature(self, large: Path) -> None:
        scores = large.with_name("scores.txt")
        scores.write_text("0\n1\n" * (rw.read(large).n_documents // 2))
        done = run_limited("evaluate", large, scores, "-m", "MAP", "--format", "json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)[0]["measures"]["MAP"]["mean"] == pytest.approx(1.0)

    @pytest.mark.slow
    def test_describing(self, large: Path) -> None:
        done = run_limited("data", "describe", large, "--format", "json")
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)["constant_features"]) == 100

    @pytest.mark.slow
    def test_what_needs_an_array_says_so(self, large: Path) -> None:
        model = large.with_name("m.json")
        done = run_limited("train", large, "--ranker", "ridge-regression", "-o", model)
        assert done.returncode == 2
        assert "cannot be mapped into memory" in done.stderr
        assert "choose what reads data in blocks" in done.stderr
