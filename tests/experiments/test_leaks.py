"""Folds that leak are refused before the first task, or run under a name that says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.cli.experiments.bench_command import bench
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, compose_folds, cut_into_parts, find_folds, write_folds
from rankwise.data.reading import read, write
from rankwise.data.synthetic import make_dataset
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.experiments.summary import summarize
from rankwise.results import is_store
from tests.experiments.running import planned, run_here, tasks_here
from tests.stores import reading


@pytest.fixture
def leaky(folds: Path, tmp_path: Path) -> Path:
    shutil.copytree(folds, tmp_path / "leaky")
    return tmp_path / "leaky"


def renamed(dataset: Dataset, prefix: str = "other") -> Dataset:
    """The queries under other ids, with their rows in another order."""
    order = np.concatenate([
        np.arange(start, end)[::-1] for start, end in zip(
            dataset.query_offsets[:-1], dataset.query_offsets[1:], strict=True)
    ])  # fmt: skip
    names = TextColumn.from_texts(f"{prefix}{name}" for name in dataset.query_ids)
    return Dataset(dataset.features[order], dataset.labels[order], dataset.query_offsets, names)


def validates_by_the_test_part(folder: Path) -> None:
    shutil.copy(folder / "test.txt", folder / "vali.txt")


def learns_the_test_part(folder: Path) -> None:
    shutil.copy(folder / "test.txt", folder / "train.txt")


def learns_one_test_query_under_another_name(folder: Path) -> None:
    write(renamed(read(folder / "test.txt").select_queries([2])), folder / "more.txt")
    with (folder / "train.txt").open("a") as stream:
        stream.write((folder / "more.txt").read_text())


def cuts_a_query_by_rows(folder: Path) -> None:
    lines = (folder / "test.txt").read_text().splitlines(keepends=True)
    with (folder / "train.txt").open("a") as stream:
        stream.write(lines[0])
    (folder / "test.txt").write_text("".join(lines[1:]))


def chooses_by_training_queries(folder: Path) -> None:
    shutil.copy(folder / "train.txt", folder / "vali.txt")


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (validates_by_the_test_part, "5 of 5 queries"),
        (learns_the_test_part, "5 of 5 queries"),
        (learns_one_test_query_under_another_name, "1 of 5 queries"),
        (cuts_a_query_by_rows, "1 of 5 queries"),
        (chooses_by_training_queries, "15 of 15 queries"),
    ],
)
def test_shared_queries_are_refused_before_any_task(
    leaky: Path, tmp_path: Path, harm: Callable[[Path], None], found: str
) -> None:
    harm(leaky / "Fold2")
    with pytest.raises(RankwiseError, match="one part of a fold only") as caught:
        run_here(planned(leaky, "OneFeature"), tmp_path / "s.sqlite")
    assert found in str(caught.value)
    assert "fold 2 of leaky" in str(caught.value)
    assert len(reading(tmp_path / "s.sqlite").tasks()) == 0
    # Other folds of it are as good as before.
    assert run_here(planned(leaky, "OneFeature", folds=[3]), tmp_path / "s.sqlite").done == 1


def test_a_query_is_tested_in_one_fold_only(leaky: Path, tmp_path: Path) -> None:
    """Copies of a fold, under the same ids or others, and with features scaled fold by fold."""
    shutil.rmtree(leaky / "Fold2")
    shutil.copytree(leaky / "Fold1", leaky / "Fold2")
    for number, copy in enumerate([lambda one: one, renamed, rescaled]):
        for path in (leaky / "Fold2").glob("*.txt"):
            write(copy(read(leaky / "Fold1" / path.name)), path)
        with pytest.raises(RankwiseError, match="tested in one fold only") as caught:
            run_here(planned(leaky, "OneFeature"), tmp_path / f"{number}.sqlite")
        assert "5 of 5 queries" in str(caught.value)
        checked = rw.data.check(leaky)
        assert [finding.kind for finding in checked] == ["shared query"]
        assert "tested in one fold only" in checked[0].sentence


def rescaled(dataset: Dataset) -> Dataset:
    return dataset.with_features(dataset.features * 2 + 1)


def test_different_queries_of_equal_ids_are_no_copies(folds: Path, tmp_path: Path) -> None:
    """Files that name no query count them from 1 in every part."""
    counted = tmp_path / "counted"
    shutil.copytree(folds, counted)
    for path in counted.glob("*/*.txt"):
        write(read(path), path, side_file=".query")
    assert run_here(planned(counted, "OneFeature"), tmp_path / "s.sqlite").done == 5
    shutil.copy(counted / "Fold1/test.txt", counted / "Fold1/vali.txt")
    shutil.copy(counted / "Fold1/test.txt.query", counted / "Fold1/vali.txt.query")
    with pytest.raises(RankwiseError, match="5 of 5 queries"):
        run_here(planned(counted, "OneFeature"), tmp_path / "t.sqlite")


def test_contents_that_come_back_anyway_tell_nothing(tmp_path: Path) -> None:
    """Few categories make equal queries everywhere, which are no leak."""
    rng = np.random.default_rng(1)
    rows = np.tile(np.eye(4)[[0, 1, 2]], (300, 1))
    rows[::3] = np.eye(4)[rng.integers(0, 4, 300)]
    whole = Dataset.from_arrays(rows, rng.integers(0, 2, 900), group=[3] * 300)
    names = TextColumn.from_texts(f"q{number}" for number in range(300))
    whole = Dataset(whole.features, whole.labels, whole.query_offsets, names)
    write_folds(compose_folds(cut_into_parts(whole)), tmp_path / "alike")
    assert run_here(planned(tmp_path / "alike", "OneFeature"), tmp_path / "s.sqlite").done == 5


def test_a_file_of_another_data_set_is_refused(leaky: Path, tmp_path: Path) -> None:
    other = make_dataset(8, seed=9)
    wide = other.with_features(np.hstack([other.features, other.features + 1]))
    write(renamed(wide, "q"), leaky / "Fold1/test.txt")
    with pytest.raises(RankwiseError, match="must be of one data set, found 12 features"):
        run_here(planned(leaky, "OneFeature"), tmp_path / "s.sqlite")


def test_sparse_files_may_leave_their_last_features_out(leaky: Path, tmp_path: Path) -> None:
    for path in leaky.glob("*/train.txt"):
        lines = path.read_text().splitlines()
        lines[0] += " 13:1"
        path.write_text("\n".join(lines) + "\n")
    assert run_here(planned(leaky, "OneFeature"), tmp_path / "s.sqlite").done == 5


def test_a_damaged_part_is_a_failure_of_its_tasks(leaky: Path, tmp_path: Path) -> None:
    (leaky / "Fold1/train.txt").write_text("nonsense\n")
    progress = run_here(planned(leaky, "OneFeature"), tmp_path / "s.sqlite")
    assert (progress.done, progress.failed) == (4, 1)


def test_folds_that_share_queries_are_run_under_a_name_that_says_so(
    leaky: Path, tmp_path: Path
) -> None:
    validates_by_the_test_part(leaky / "Fold2")
    experiment = tmp_path / "told.toml"
    experiment.write_text(
        f'[[data]]\npath = "{leaky}"\nshared_queries = true\n'
        '[[rankers]]\nname = "linear-regression,best-feature"\n'
    )
    store = tmp_path / "s.sqlite"
    refused = CliRunner().invoke(
        bench, ["--data", str(leaky), "--ranker", "best-feature", "--store", str(store)]
    )
    assert "shared_queries = true" in str(refused.exception)
    with tasks_here():
        result = CliRunner().invoke(
            bench, [str(experiment), "--store", str(store), "-o", str(tmp_path / "out")]
        )
    assert result.exit_code == 0, result.output
    assert "leaky (shared queries): means over folds" in result.output
    assert is_store(store)
    assert {one.dataset for one in summarize(reading(store).values())} == {"leaky (shared queries)"}
    for name in ("results.csv", "tables.md"):
        assert "leaky (shared queries)" in (tmp_path / "out" / name).read_text()


def test_published_figures_do_not_stand_beside_folds_that_leak(tmp_path: Path) -> None:
    folder = tmp_path / "MQ2008"
    write_folds(compose_folds(cut_into_parts(make_dataset(25, seed=3))), folder)
    plan = planned(folder, "OneFeature", data=[{"path": str(folder), "shared_queries": True}])
    assert {task.name.dataset for task in plan.tasks} == {"MQ2008 (shared queries)"}
    with pytest.raises(RankwiseError, match="shared_queries must be true or false"):
        planned(folder, "OneFeature", data=[{"path": str(folder), "shared_queries": "yes"}])


def test_tuning_refuses_to_choose_by_training_queries(leaky: Path) -> None:
    fold: Fold = rw.data.read_fold(find_folds(leaky)[0])
    assert fold.validation is not None
    for part in (fold.train, renamed(fold.train.select_queries([3]))):
        with pytest.raises(RankwiseError, match="no query of the training data"):
            rw.tune("ridge-regression", fold.train, part)
    validates = leaky / "Fold1/vali.txt"
    shutil.copy(leaky / "Fold1/train.txt", validates)
    with pytest.raises(RankwiseError, match="15 of 15 queries"):
        rw.tune("ridge-regression", leaky / "Fold1")
