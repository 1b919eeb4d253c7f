"""External scores as a feature: found by ids, counted, the same feature in every part."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.cli.main import main
from rankwise.data.dataset import as_features
from rankwise.data.sparse_features import as_sparse
from rankwise.errors import RankwiseError

ROWS = """\
2 qid:1 1:0.5 2:1 #docid = A inc = 1
0 qid:1 1:0.25 2:0 #docid = B inc = 1
1 qid:2 1:0 2:3 #docid = A inc = 1
0 qid:2 1:NULL 2:4 #docid = C inc = 1
"""
# B of query 1 is not retrieved; Z, and query 3, are not in the data.
RUN = """\
2 Q0 A 1 0.125 dense
1 Q0 A 1 0.7 dense
2 Q0 C 2 -1.5 dense
1 Q0 Z 2 0.1 dense
3 Q0 A 1 0.2 dense
"""
SCORES = [0.7, np.nan, 0.125, -1.5]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data.txt").write_text(ROWS)
    (tmp_path / "dense.run").write_text(RUN)
    return tmp_path / "data.txt"


def write_table(folder: Path, name: str = "dense.csv", score: str = "score") -> Path:
    words = [line.split() for line in RUN.splitlines()]
    lines = [f"query_id,doc_id,{score}", *(f"{w[0]},{w[2]},{w[4]}" for w in words)]
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_run_becomes_the_last_feature_by_the_ids(data: Path) -> None:
    before = rw.read(data)
    added = rw.add_feature(before, data.parent / "dense.run", "dense")
    assert (added.matched, added.missing, added.unused, added.number) == (3, 1, 2, 3)
    assert added.dataset.feature_names == ("1", "2", "dense")
    np.testing.assert_array_equal(added.dataset.features[:, 2], SCORES)
    np.testing.assert_array_equal(added.dataset.features[:, :2], before.features)
    assert list(added.dataset.comments or ()) == list(before.comments or ())


def test_tables_mappings_and_scores_a_row_give_the_same(data: Path) -> None:
    dataset, folder = rw.read(data), data.parent
    rw.data.write_scores(np.array([0.7, 2.0, 0.125, -1.5]), folder / "rows.scores")
    values = {
        "run": rw.data.read_run(folder / "dense.run"),
        "mapping": rw.data.read_run(folder / "dense.run").scores,
        "array": np.array(SCORES),
    }
    for given in values.values():
        made = rw.add_feature(dataset, given, "x")
        np.testing.assert_array_equal(made.dataset.features[:, 2], SCORES)
    for table in (write_table(folder), write_table(folder, "other.csv", "cosine")):
        with pytest.warns(rw.errors.GuessRemark):
            made = rw.add_feature(dataset, table, "x")
        np.testing.assert_array_equal(made.dataset.features[:, 2], SCORES)
    made = rw.add_feature(dataset, folder / "rows.scores", "x")
    assert (made.matched, made.missing, made.unused) == (4, 0, 0)
    np.testing.assert_array_equal(made.dataset.features[:, 2], [0.7, 2.0, 0.125, -1.5])


def test_what_is_missing_can_have_a_value(data: Path) -> None:
    added = rw.add_feature(rw.read(data), data.parent / "dense.run", "dense", missing=-9.0)
    assert added.dataset.features[:, 2].tolist() == [0.7, -9.0, 0.125, -1.5]
    assert added.missing == 1


def test_sparse_data_stay_sparse(data: Path) -> None:
    dataset = rw.read(data)
    sparse = rw.Dataset(
        as_features(as_sparse(dataset.features)), dataset.labels, dataset.query_offsets,
        dataset.query_ids, dataset.document_ids,
    )  # fmt: skip
    scores = np.array([0.0, np.nan, -0.0, 3.0])
    added = rw.add_feature(sparse, scores, "x", missing=0.0).dataset
    assert added.sparse is not None and added.sparse.width == 3
    # +0 is not held, −0 is.
    assert int(np.count_nonzero(added.sparse.columns == 2)) == 2
    dense = rw.add_feature(dataset, scores, "x", missing=0.0).dataset
    assert added.features.tobytes() == dense.features.tobytes()


def test_the_command_writes_and_says_the_counts(data: Path) -> None:
    out = data.parent / "out.txt"
    words = ["data", "add-feature", str(data), str(data.parent / "dense.run"), str(out)]
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert "dense is feature 3; 1 rows without a score have NULL" in result.stderr
    assert f"2 documents of {data.parent / 'dense.run'} are not among the data" in result.stderr
    assert out.read_text().splitlines()[:2] == [
        "2 qid:1 1:0.5 2:1 3:0.7 #docid = A inc = 1",
        "0 qid:1 1:0.25 2:0 3:NULL #docid = B inc = 1",
    ]


def test_names_are_carried_to_parquet(data: Path) -> None:
    pytest.importorskip("pyarrow")
    folder = data.parent
    named = rw.read(data).with_feature_names(["bm25", "pagerank"])
    rw.write(named, folder / "in.parquet")
    found = rw.add_feature_to_files(
        folder / "in.parquet", folder / "dense.run", folder / "out.parquet", name="ANCE"
    )
    assert rw.read(folder / "out.parquet").feature_names == ("bm25", "pagerank", "ANCE")
    assert (found.name, found.number, found.unused) == ("ANCE", 3, 2)
    with pytest.raises(RankwiseError, match="a name of its own, found 'bm25'"):
        rw.add_feature(named, folder / "dense.run", "bm25")


def test_a_table_of_data_has_its_columns_named(data: Path) -> None:
    folder = data.parent
    (folder / "shop.csv").write_text("s,p,r,bm25\n1,A,2,0.5\n1,B,0,0.25\n")
    words = ["data", "add-feature", folder / "shop.csv", folder / "dense.run", folder / "o.txt"]
    columns = ["--query-column", "s", "--document-column", "p", "--label-column", "r"]
    result = CliRunner().invoke(main, [*map(str, words), *columns, "--format", "json"])
    assert json.loads(result.stdout)["parts"][0]["matched"] == 1
    np.testing.assert_array_equal(rw.read(folder / "o.txt").features[:, 1], [0.7, np.nan])


def test_the_feature_has_one_number_in_all_parts_of_folds(tmp_path: Path) -> None:
    for fold in (1, 2):
        home = tmp_path / "in" / f"Fold{fold}"
        home.mkdir(parents=True)
        # The test part leaves its last feature out, as sparse files do.
        (home / "train.txt").write_text(f"1 qid:{fold}1 1:1 2:2 3:3 #docid = A\n")
        (home / "vali.txt").write_text(f"0 qid:{fold}2 1:1 2:2 3:1 #docid = B\n")
        (home / "test.txt").write_text(f"1 qid:{fold}3 1:1 #docid = C\n")
    (tmp_path / "all.run").write_text(
        "".join(f"{fold}{part} Q0 {document} 1 {part}.5 t\n" for fold in (1, 2)
                for part, document in ((1, "A"), (3, "C"), (4, "D")))
    )  # fmt: skip
    found = rw.add_feature_to_files(tmp_path / "in", tmp_path / "all.run", tmp_path / "out")
    assert (found.name, found.number, found.unused) == ("all", 4, 2)
    assert [(part.matched, part.missing) for part in found.parts] == 2 * [(1, 0), (0, 1), (1, 0)]
    assert (tmp_path / "out/Fold2/test.txt").read_text() == (
        "1 qid:23 1:1 2:0 3:0 4:3.5 #docid = C\n"
    )
    rw.data.write_scores(np.ones(1), tmp_path / "one.scores")
    with pytest.raises(RankwiseError, match="a score for each row of one file, found the folder"):
        rw.add_feature_to_files(tmp_path / "in", tmp_path / "one.scores", tmp_path / "no")
    (tmp_path / "none.run").write_text("7 Q0 A 1 1 t\n")
    with pytest.raises(RankwiseError, match="found none of any"):
        rw.add_feature_to_files(tmp_path / "in", tmp_path / "none.run", tmp_path / "no")
    assert not (tmp_path / "no").exists()


WRONG = {
    "no id matches": ("9 Q0 A 1 0.5 t\n", "begins with the query '9' and the document 'A'"),
    "infinite": ("1 Q0 A 1 inf t\n", "scores must be finite"),
    "twice": ("1 Q0 A 1 1 t\n1 Q0 A 2 2 t\n", "must occur once in query"),
    "too few scores": ("0.5\n0.25\n", "one score per row, found 2 scores for 4 rows"),
    "neither": ("1 A 0.5\n", "columns"),
}


@pytest.mark.parametrize(("content", "message"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused(data: Path, content: str, message: str) -> None:
    (data.parent / "wrong.run").write_text(content)
    with pytest.raises(RankwiseError, match=message):
        rw.add_feature(rw.read(data), data.parent / "wrong.run", "x")


def test_data_without_ids_and_tables_without_a_score_are_refused(data: Path) -> None:
    folder = data.parent
    bare = rw.read(data).without_texts()
    with pytest.raises(RankwiseError, match=r"must name their documents .*#docid = X"):
        rw.add_feature(bare, folder / "dense.run", "x")
    (folder / "two.csv").write_text("qid,document,a,b\n1,A,1,2\n")
    with pytest.raises(RankwiseError, match="one column must hold the scores, found 'a', 'b'"):
        rw.add_feature(rw.read(data), folder / "two.csv", "x")
    added = rw.add_feature(rw.read(data), folder / "two.csv", "x", score_column="b")
    assert added.dataset.features[0, 2] == 2.0
    (folder / "none.csv").write_text("qid,a\n1,1\n")
    with pytest.raises(RankwiseError, match="must have a column of document ids"):
        rw.add_feature(rw.read(data), folder / "none.csv", "x")
    with pytest.raises(RankwiseError, match=r"data are written as a table .* found \.json"):
        rw.add_feature_to_files(data, folder / "dense.run", folder / "out.json")
