"""A dense table: what it tells, and its files."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.results.benchmark_runs import DENSE, is_dense, read_dense, write_dense
from rankwise.results.store_summary import name_in_survey, name_ranker
from rankwise.results.task_records import Subject
from tests.literature.made_dense import DATA, STRENGTHS, make_dense

TIME = "time: it took more than 600 s"
FILES = (f"{DENSE}.csv", f"{DENSE}_runs.csv", f"{DENSE}_data.csv", f"{DENSE}_queries.npz")


def test_a_written_table_is_read_back(tmp_path: Path) -> None:
    made = make_dense(failures={("MQ2007", "mart"): TIME})
    write_dense(made, tmp_path)
    found = read_dense(tmp_path)
    assert is_dense(tmp_path)
    assert found.results == made.results
    assert found.runs == made.runs
    assert found.data == made.data
    for theirs, ours in zip(found.queries, made.queries, strict=True):
        assert (theirs.subject, theirs.methods) == (ours.subject, ours.methods)
        assert theirs.queries == ours.queries
        assert (theirs.folds == ours.folds).all()
        for measure, values in ours.values.items():
            np.testing.assert_allclose(theirs.values[measure], values, atol=1e-7)


def test_the_same_table_is_written_in_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_dense(make_dense(), tmp_path / "a")
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    write_dense(make_dense(), tmp_path / "b")
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_what_has_no_mean_is_listed_with_its_reason() -> None:
    made = make_dense(failures={("MQ2007", "mart"): TIME})
    (cell,) = made.incomplete()
    assert cell == (Subject("LETOR 4.0", "MQ2007", None), "mart")
    assert made.incomplete()[cell] == f"fold/seed 1/0: {TIME}"
    assert len(made.results.where(dataset="MQ2007", method="mart")) == 0
    assert "mart" not in made.queries[1].methods
    assert len(made.of(cell[0], "mart")) == 5
    assert repr(made) == "DenseTable(8 methods, 4 data sets, 280 runs, 1 of them failed)"


def test_without_values_of_queries_an_older_file_of_them_goes(tmp_path: Path) -> None:
    made = make_dense(data=DATA[:1])
    write_dense(made, tmp_path)
    write_dense(type(made)(made.results, made.runs, made.data), tmp_path)
    assert read_dense(tmp_path).queries == ()


def test_methods_have_their_names_of_the_comparison() -> None:
    assert name_in_survey("lambdamart") == "LambdaMART"
    assert name_in_survey("coordinate-ascent") == "CA"
    assert name_in_survey("mart") == "mart"
    assert name_ranker("Q.D.KNN") == "qd-knn"
    assert set(map(name_in_survey, STRENGTHS)) == set(make_dense().methods())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (f"{DENSE}_runs.csv", "a,b\n1,2\n", "must have the columns collection, dataset"),
        (f"{DENSE}_data.csv", None, "cannot read"),
        (f"{DENSE}_queries.npz", "no archive", "must be a file that Rankwise wrote"),
    ],
)
def test_files_that_are_none_are_refused(
    tmp_path: Path, name: str, content: str | None, said: str
) -> None:
    write_dense(make_dense(data=DATA[:1]), tmp_path)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(RankwiseError, match=said):
        read_dense(tmp_path)


def test_a_wrong_number_is_named_by_its_line(tmp_path: Path) -> None:
    write_dense(make_dense(data=DATA[:1]), tmp_path)
    path = tmp_path / f"{DENSE}_data.csv"
    path.write_text(path.read_text().replace(",105,", ",many,"))
    with pytest.raises(RankwiseError, match=r"line 2: .*'many'"):
        read_dense(tmp_path)


def test_a_folder_without_the_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="results dense STORE -o FOLDER"):
        read_dense(tmp_path)
