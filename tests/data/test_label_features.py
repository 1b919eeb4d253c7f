"""A second label among the features: refused by its name, told of by its values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.cli.main import main
from rankwise.data.checking import check_dataset, find_label_features
from rankwise.data.dataset import Dataset
from rankwise.data.reading import write
from rankwise.data.sparse_features import as_sparse
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError, TrainingRemark

LABELLED = rw.normalize(make_dataset(12, seed=4), "query-level")
COLUMNS = {"label": [0, 1, 2, 0], "qid": [1, 1, 2, 2], "words": [3.0, 1.0, 2.0, 5.0]}


def with_feature(values: np.ndarray, dataset: Dataset = LABELLED) -> Dataset:
    return dataset.with_features(np.column_stack([dataset.features, values]))


@pytest.mark.parametrize(
    ("name", "role"),
    [("relevance", "label"), ("grade", "label"), ("Rating", "label"), ("query_id", "query"),
     ("QID", "query"), ("search id", "query")],
)  # fmt: skip
@pytest.mark.parametrize("source", ["csv", "parquet", "pandas", "from_frame"])
def test_a_second_label_or_id_is_no_feature_unless_it_is_named(
    name: str, role: str, source: str, tmp_path: Path
) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({**COLUMNS, name: [4, 5, 6, 7]})
    given: object = frame
    if source in ("csv", "parquet"):
        given = tmp_path / f"rows.{source}"
        getattr(frame, f"to_{source}")(given, index=False)
    made = Dataset.from_frame if source == "from_frame" else rw.read
    with pytest.raises(RankwiseError, match=f"called as a {role} is") as caught:
        made(given)
    assert repr(name) in str(caught.value)
    if source != "from_frame":
        named = rw.read(given, features=["words", name])
        assert named.feature_names == ("words", name)


def test_texts_are_left_out_whatever_they_are_called(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({**COLUMNS, "query": ["a b", "a b", "c", "c"]})
    assert rw.read(frame).feature_names == ("words",)


@pytest.mark.parametrize(
    "telling",
    [
        lambda labels: labels,
        lambda labels: -3.0 * labels + 7.0,
        lambda labels: labels + np.random.default_rng(0).random(len(labels)) / 2,
    ],
)
def test_a_feature_that_orders_as_the_labels_do_is_found(telling: object) -> None:
    dataset = with_feature(telling(LABELLED.labels))  # type: ignore[operator]
    number = str(dataset.n_features)
    assert find_label_features(dataset) == [number]
    sparse = dataset.with_features(as_sparse(dataset.features))
    assert find_label_features(sparse) == ([number] if (dataset.column(12) != 0).any() else [])
    named = dataset.with_feature_names([f"f{n}" for n in range(dataset.n_features)])
    [problem] = check_dataset(named, "here")
    assert problem.kind == "label among features"
    assert "found f12, which orders the documents of every query" in problem.sentence


def test_no_other_feature_is_taken_for_the_label() -> None:
    assert find_label_features(LABELLED) == []
    # All but one pair; missing values; equal values in two grades.
    for spoil in (lambda f: f.__setitem__(0, 99.0), lambda f: f.__setitem__(0, np.nan),
                  lambda f: np.minimum(f, 1.0, out=f)):  # fmt: skip
        values = LABELLED.labels.copy()
        spoil(values)
        if np.array_equal(values, LABELLED.labels):
            continue
        assert find_label_features(with_feature(values)) == []
    # Two queries of two documents are ordered by many features of chance.
    few = Dataset.from_arrays([[1.0], [0.0], [1.0], [0.0]], [1, 0, 1, 0], group=[2, 2])
    assert find_label_features(few) == []
    assert find_label_features(Dataset.from_arrays(np.ones((3, 2)), [1, 1, 1], group=[3])) == []


def test_check_train_and_bench_tell_of_it(tmp_path: Path) -> None:
    plain = rw.normalize(make_dataset(30, seed=3), "query-level")
    dataset = with_feature(plain.labels, plain)
    write(dataset, tmp_path / "rows.txt")
    checked = CliRunner().invoke(main, ["data", "check", str(tmp_path / "rows.txt")])
    assert checked.exit_code == 1
    assert "the label by another name" in " ".join(checked.output.split())
    with pytest.warns(TrainingRemark, match="found 13, which orders"):
        rw.fit("ridge-regression", dataset)
    folder = tmp_path / "folds"
    rw.data.write_folds(rw.data.split_folds(dataset, 3), folder)
    trained = CliRunner().invoke(
        main,
        ["train", str(folder / "Fold1/train.txt"), "--ranker", "ridge-regression", "-o",
         str(tmp_path / "m.json")],
    )  # fmt: skip
    assert "the training data: no feature may be the label" in trained.stderr
    run = CliRunner().invoke(
        main,
        ["bench", "--data", str(folder), "--ranker", "best-feature", "--store",
         str(tmp_path / "s.sqlite"), "--jobs", "1"],
    )  # fmt: skip
    assert run.exit_code == 0
    assert run.stderr.count("the training data of folds: no feature may be the label") == 1
