"""What must not come in: labels that are no numbers, and columns that are no features."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import rankwise as rw
from rankwise.cli.main import main
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import GuessRemark, RankwiseError
from tests.cli.command import run
from tests.cli.whole_program import rankwise

LABELS = [1.0, 0.0, 2.0, 0.0]
QUERIES = [1, 1, 2, 2]
SCORES = [4.0, 3.0, 2.0, 1.0]
WRONG_LABELS = (np.nan, np.inf, -np.inf)


def _frame(labels: list[Any], **columns: Any) -> pandas.DataFrame:
    return pandas.DataFrame({"label": labels, "qid": QUERIES, "a": [1.0, 2.0, 3.0, 4.0], **columns})


def _parquet(folder: Path, labels: list[Any], **columns: Any) -> Path:
    path = folder / "data.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table(
            {"label": pyarrow.array(labels), "qid": QUERIES, "a": [1.0, 2.0, 3.0, 4.0], **columns}
        ),
        path,
    )
    return path


def _letor(folder: Path, labels: list[Any]) -> Path:
    path = folder / "data.txt"
    rows = zip(labels, QUERIES, strict=True)
    path.write_text("".join(f"{label} qid:{query} 1:0.5\n" for label, query in rows))
    return path


def _qrels(folder: Path, labels: list[Any]) -> Path:
    path = folder / "qrels"
    rows = enumerate(zip(labels, QUERIES, strict=True))
    path.write_text("".join(f"{query} 0 d{row} {label}\n" for row, (label, query) in rows))
    return path


def _run(folder: Path) -> Path:
    path = folder / "run"
    rows = enumerate(zip(SCORES, QUERIES, strict=True))
    path.write_text("".join(f"{query} Q0 d{row} 1 {score} t\n" for row, (score, query) in rows))
    return path


def _dictionaries(values: list[Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row, (value, query) in enumerate(zip(values, QUERIES, strict=True)):
        found.setdefault(str(query), {})[f"d{row}"] = value
    return found


FEATURES = np.arange(8.0).reshape(4, 2)
DOORS: dict[str, Callable[[Path, list[Any]], object]] = {
    "LETOR": lambda folder, y: read(_letor(folder, y)),
    "Parquet": lambda folder, y: read(_parquet(folder, y)),
    "from_frame, pandas": lambda folder, y: Dataset.from_frame(_frame(y)),
    "from_frame, polars": lambda folder, y: Dataset.from_frame(polars.from_pandas(_frame(y))),
    "from_arrays": lambda folder, y: Dataset.from_arrays(FEATURES, y, QUERIES),
    "from_arrays, groups": lambda folder, y: Dataset.from_arrays(FEATURES, y, group=[2, 2]),
    "evaluate, file": lambda folder, y: rw.evaluate(_letor(folder, y), SCORES, "MAP"),
    "evaluate, arrays": lambda folder, y: rw.evaluate(y, SCORES, "MAP", qid=QUERIES),
    "evaluate, frame": lambda folder, y: rw.evaluate(_frame(y), SCORES, "MAP"),
    "evaluate, polars": lambda folder, y: rw.evaluate(polars.from_pandas(_frame(y)), SCORES, "MAP"),
    "evaluate, dictionaries": lambda folder, y: rw.evaluate(
        _dictionaries(y), _dictionaries(SCORES), "MAP"
    ),
    "evaluate, qrels": lambda folder, y: rw.evaluate(
        _qrels(folder, y), _run(folder), "MAP", trec=True
    ),
    "explain": lambda folder, y: rw.explain(
        y, SCORES, "NDCG@10", "definition", "letor4", qid=QUERIES
    ),
    "identify": lambda folder, y: rw.identify(y, SCORES, "MAP", "0.5", qid=QUERIES),
    "significance": lambda folder, y: rw.significance(
        _parquet(folder, y), {"a": SCORES, "b": SCORES[::-1]}, "MAP"
    ),
    "fit": lambda folder, y: rw.fit("ridge-regression", _parquet(folder, y)),
}


@pytest.mark.parametrize("wrong", WRONG_LABELS)
@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_a_label_in_that_is_no_finite_number(
    door: str, wrong: float, tmp_path: Path
) -> None:
    DOORS[door](tmp_path, LABELS)
    with pytest.raises(RankwiseError, match=r"label"):
        DOORS[door](tmp_path, [1.0, 0.0, wrong, 0.0])


@pytest.mark.parametrize("door", [name for name in DOORS if "LETOR" not in name])
def test_the_sentence_names_the_row_or_the_document(door: str, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"row 3|'d2'|:3|qrels:3"):
        DOORS[door](tmp_path, [1.0, 0.0, np.nan, 0.0])


def test_the_scikit_learn_adapter_refuses_missing_labels() -> None:
    from rankwise.sklearn_adapter import RankwiseRanker

    ranker = RankwiseRanker("ridge-regression").fit(FEATURES, LABELS, QUERIES)
    for act in (ranker.fit, ranker.score):
        with pytest.raises(RankwiseError, match=r"labels must be finite numbers, found 1 of 4"):
            act(FEATURES, [1.0, np.nan, 0.0, 0.0], QUERIES)


@pytest.mark.parametrize("command", ["describe", "check"])
def test_data_commands_refuse_missing_labels(command: str, tmp_path: Path) -> None:
    path = _parquet(tmp_path, [1.0, None, 0.0, 0.0])
    ended = rankwise("data", command, path)
    assert ended.code != 0
    said = " ".join((ended.out + ended.err).split())
    assert all(part in said for part in ("data.parquet", "labels must be finite", "in row 2"))


@pytest.mark.parametrize("missing", [None, np.nan])
def test_every_row_must_have_a_query(missing: Any, tmp_path: Path) -> None:
    ids = [1.0, 1.0, 2.0, missing]
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table({"label": LABELS, "qid": pyarrow.array(ids, from_pandas=True), "a": LABELS}),
        path,
    )
    doors: list[Callable[[], object]] = [
        lambda: read(path),
        lambda: Dataset.from_frame(pandas.DataFrame({"label": LABELS, "qid": ids})),
        lambda: Dataset.from_arrays(FEATURES, LABELS, np.array(ids, dtype=object)),
    ]
    for door in doors:
        with pytest.raises(RankwiseError, match=r"every row must have a query id, found none in r"):
            door()


NO_NUMBERS: dict[str, list[Any]] = {
    "dates and times": [datetime.datetime(2026, 1, day) for day in range(1, 5)],
    "dates": [datetime.date(2026, 1, day) for day in range(1, 5)],
    "durations": [datetime.timedelta(days=day) for day in range(4)],
    "texts": ["a", "b", "c", "d"],
    "texts of digits": ["10", "20", "30", "40"],
}


@pytest.mark.parametrize("what", NO_NUMBERS)
def test_columns_that_hold_no_numbers_are_no_features(what: str, tmp_path: Path) -> None:
    column = NO_NUMBERS[what]
    frame = _frame(LABELS, seen=column)
    doors: list[Callable[[], object]] = [
        lambda: Dataset.from_frame(frame),
        lambda: Dataset.from_frame(polars.from_pandas(frame)),
    ]
    path = _parquet(tmp_path, LABELS, seen=column)
    if what == "texts":
        with pytest.warns(
            GuessRemark, match=r"data\.parquet: 'seen' is left out, for it holds texts"
        ):
            assert read(path).feature_names == ("a",)
    else:
        doors.append(lambda: read(path))
    for door in doors:
        with pytest.raises(RankwiseError, match=r"column 'seen' must (hold|be) numbers, found"):
            door()
    with pytest.raises(RankwiseError, match=r"features must be numbers, found"):
        Dataset.from_arrays(np.array(frame[["seen"]]), LABELS, QUERIES)


def test_columns_of_numbers_of_any_kind_are_features(tmp_path: Path) -> None:
    columns = {
        "whole": pandas.array([1, 2, None, 4], dtype="Int64"),
        "flag": pandas.array([True, False, None, True], dtype="boolean"),
        "single": np.array([1, 2, 3, 4], np.float32),
        "absent": [None] * 4,
        "classes": pandas.Categorical([1, 2, 1, 2]),
    }
    frame = _frame(LABELS, **columns)
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    found, stored = Dataset.from_frame(frame), read(path)
    assert found.feature_names == stored.feature_names == ("a", *columns)
    expected = [[1, 2, np.nan, 4], [1, 0, np.nan, 1], [1, 2, 3, 4], [np.nan] * 4, [1, 2, 1, 2]]
    np.testing.assert_array_equal(found.features[:, 1:].T, expected)
    np.testing.assert_array_equal(stored.features[:, 1:].T, expected)


@pytest.mark.parametrize("name", [None, "number", "qid"])
def test_the_index_of_a_pandas_frame_is_no_feature(name: str | None, tmp_path: Path) -> None:
    """Wherever it is stored: under a made-up name, under its own, or as a column that is needed."""
    frame = _frame(LABELS)
    frame.index = pandas.Index(QUERIES if name == "qid" else [7, 8, 5, 3], name=name)
    if name == "qid":
        frame = frame.drop(columns="qid")
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    found = read(path)
    assert found.feature_names == ("a",)
    assert list(found.query_ids) == ["1", "2"]


def test_an_unnamed_index_is_no_feature_even_where_pandas_notes_are_lost(tmp_path: Path) -> None:
    frame = _frame(LABELS)
    frame.index = pandas.Index([7, 8, 5, 3])
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    bare = pyarrow.parquet.read_table(path).replace_schema_metadata(None)
    assert "__index_level_0__" in bare.column_names
    pyarrow.parquet.write_table(bare, path)
    assert read(path).feature_names == ("a",)


def test_the_model_of_a_stored_frame_has_the_features_of_the_frame(tmp_path: Path) -> None:
    frame = _frame(LABELS).sort_values("a", ascending=False).sort_values("qid")
    path, model = tmp_path / "data.parquet", tmp_path / "model.json"
    frame.to_parquet(path)
    assert run(main, "train", path, "--ranker", "ridge-regression", "-o", model).exit_code == 0
    assert json.loads(model.read_text())["features"] == {"count": 1, "names": ["a"]}


def test_columns_go_by_their_names_whatever_these_are() -> None:
    """Numbers name columns where an array was made a frame."""
    made = {"label": LABELS, "qid": QUERIES, 1: [1.0, 2.0, 3.0, 4.0], 5: [4.0, 3.0, 2.0, 1.0]}
    frame = pandas.DataFrame(made)
    found = Dataset.from_frame(frame)
    assert found.feature_names == ("1", "5")
    np.testing.assert_array_equal(found.features, np.column_stack([made[1], made[5]]))
    assert rw.evaluate(frame, "5", "MAP").means() == rw.evaluate(frame, made[5], "MAP").means()


@pytest.mark.parametrize("name", ["a", "label", "qid"])
def test_a_name_that_two_columns_have_is_refused(name: str) -> None:
    frame = _frame(LABELS)
    twice = pandas.concat([frame, frame[[name]]], axis=1)
    for door in (lambda: Dataset.from_frame(twice), lambda: rw.evaluate(twice, SCORES, "MAP")):
        with pytest.raises(RankwiseError, match=f"different names, found '{name}' twice"):
            door()


def test_documents_without_a_name_have_none() -> None:
    found = Dataset.from_frame(_frame(LABELS, document=["x", None, np.nan, pandas.NA]))
    assert found.document_ids is not None and list(found.document_ids) == ["x", "", "", ""]
