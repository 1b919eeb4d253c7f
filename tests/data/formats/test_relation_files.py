"""Relations of files: by the ids of documents, for the rows of a data set."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.collection.related_documents import write_similarity
from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import attach_relations, find_relations_beside
from rankwise.data.folds import find_folds, read_fold
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import compute_fold_checksums
from rankwise.experiments.fitting import fit
from rankwise.models.scoring import score

ROWS = """\
1 qid:1 1:0.5 2:0.1 #docid = a
0 qid:1 1:0.3 2:0.2 #docid = b
0 qid:1 1:0.2 2:0.9 #docid = c
1 qid:2 1:0.9 2:0.3 #docid = b
0 qid:2 1:0.1 2:0.8 #docid = a
"""


def pairs(dataset: Dataset, name: str) -> dict[tuple[str, str, str], float]:
    """Query, source and target of each pair, with its weight."""
    relation, found = dataset.relation(name), {}
    ids = list(dataset.document_ids or ())
    related = relation.related_rows(dataset.query_offsets)
    for row in range(dataset.n_documents):
        for pair in range(relation.offsets[row], relation.offsets[row + 1]):
            query = dataset.query_ids[int(dataset.query_of_rows[row])]
            found[query, ids[row], ids[related[pair]]] = float(relation.weights[pair])
    return found


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.txt"
    path.write_text(ROWS)
    return path


def test_links_of_a_build_are_related_in_every_query_that_has_both(rows: Path) -> None:
    links = rows.with_name("hyperlinks.tsv")
    links.write_text("source\ttarget\na\tb\nc\ta\nb\tb\nz\ta\na\tz\n")
    data = rw.read(rows, relations=[links])
    assert pairs(data, "hyperlinks") == {
        ("1", "a", "b"): 1.0,
        ("1", "c", "a"): 1.0,
        ("2", "a", "b"): 1.0,
    }


def test_lines_may_have_weights_and_queries_and_the_last_of_a_pair_counts(rows: Path) -> None:
    listed = rows.with_name("cites.txt")
    listed.write_text("a b 0.5\n2 b a 0.25\n\n1 b a 0\na b 0.75\n3 a b 1\n")
    data = attach_relations(rw.read(rows), [listed])
    assert pairs(data, "cites") == {
        ("1", "a", "b"): 0.75,
        ("2", "a", "b"): 0.75,
        ("2", "b", "a"): 0.25,
        ("1", "b", "a"): 0.0,
    }


def test_similarities_of_a_build_are_those_of_their_query(rows: Path) -> None:
    folder = rows.with_name("similarity")
    folder.mkdir()
    matrix = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]], np.float32)
    write_similarity(folder / "query-1.npz", ["c", "a", "z"], matrix)
    write_similarity(folder / "query-9.npz", ["c", "a", "z"], matrix)
    data = rw.read(rows, relations=[folder])
    assert pairs(data, "similarity") == {("1", "c", "a"): 0.5, ("1", "a", "c"): 0.5}


def test_a_build_s_relations_are_found_by_files_and_folds(tmp_path: Path) -> None:
    related = tmp_path / "Relations"
    related.mkdir()
    (related / "links.tsv").write_text("a\tb\n")
    (related / ".hidden").write_text("")
    fold = tmp_path / "Min" / "Fold1"
    fold.mkdir(parents=True)
    for part in ("train", "vali", "test"):
        (fold / f"{part}.txt").write_text(ROWS)
    [files] = find_folds(tmp_path / "Min")
    assert files.relations == (related / "links.tsv",)
    assert pairs(read_fold(files).test, "links") == {("1", "a", "b"): 1.0, ("2", "a", "b"): 1.0}
    before = compute_fold_checksums(files)
    (related / "links.tsv").write_text("b\ta\n")
    after = compute_fold_checksums(files)
    assert before["relation links.tsv"] != after["relation links.tsv"]
    assert find_relations_beside(fold / "train.txt") == files.relations
    model = fit("propagation", fold / "train.txt")
    assert (
        score(model, fold / "test.txt").tobytes()
        == model.score(attach_relations(rw.read(fold / "test.txt"), files.relations)).tobytes()
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b c d e\n", "wrong.txt:1.*found 5 columns"),
        ("a b\nalone\n", "wrong.txt:2.*found 1 columns"),
        ("a b x\n", "wrong.txt:1.*a weight must be a number from 0, found 'x'"),
        ("a b -1\n", "from 0, found '-1'"),
        ("a b nan\n", "from 0, found 'nan'"),
    ],
)
def test_wrong_lines_are_named(rows: Path, text: str, words: str) -> None:
    wrong = rows.with_name("wrong.txt")
    wrong.write_text(text)
    with pytest.raises(RankwiseError, match=words):
        rw.read(rows, relations=[wrong])


def test_what_cannot_be_attached_is_one_sentence(rows: Path) -> None:
    links = rows.with_name("links.txt")
    links.write_text("a b\n")
    data = rw.read(rows)
    with pytest.raises(RankwiseError, match="found 'links' twice"):
        attach_relations(data, [links, links])
    with pytest.raises(RankwiseError, match="go by the ids of documents, found data without"):
        attach_relations(replace(data, document_ids=None), [links])
    with pytest.raises(RankwiseError, match="ridge-regression does not learn from relations"):
        fit("ridge-regression", rows, relations=[links])
    with pytest.raises(RankwiseError, match="scores row by row and has no use for relations"):
        score(fit("ridge-regression", rows), rows, relations=[links])
    empty = rows.with_name("similarity")
    empty.mkdir()
    with pytest.raises(RankwiseError, match=r"must hold a file QUERY\.npz for each query"):
        attach_relations(data, [empty])
    write_similarity(empty / "query-1.npz", ["a", "b"], np.zeros((2, 3), np.float32))
    with pytest.raises(RankwiseError, match=r"as many rows and columns as documents, 2"):
        attach_relations(data, [empty])


@pytest.mark.parametrize("bomb", ["similarity", "document_ids"])
def test_a_matrix_that_unpacks_to_more_than_its_documents_need_is_not_unpacked(
    bomb: str, tmp_path: Path, rows: Path
) -> None:
    folder = tmp_path / "alike"
    folder.mkdir()
    arrays = {
        "document_ids": np.frombuffer(b"a\nb", np.uint8),
        "similarity": np.zeros((2, 2), np.float32),
        bomb: np.zeros(1 << 25, np.uint8),
    }
    path = folder / "query-1.npz"
    np.savez_compressed(path, **arrays)
    assert path.stat().st_size < 1 << 16
    tracemalloc.start()
    with pytest.raises(RankwiseError, match=r"query-1\.npz.*found an array of 33,554,560"):
        attach_relations(rw.read(rows), [folder])
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()
