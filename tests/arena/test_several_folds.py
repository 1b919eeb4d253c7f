"""A task with several hidden folds: data whose test queries have no label anywhere else."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.arena.arena import Arena
from rankwise.arena.participation import Account, BadUpload, Declaration, Submission
from rankwise.arena.task_creation import create_task
from rankwise.data.folds import Fold
from rankwise.data.synthetic import make_dataset
from rankwise.data.text import TextColumn
from tests.arena.playing import join, lines


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    home = tmp_path_factory.mktemp("several")
    whole = make_dataset(60, seed=4)
    named = replace(whole, query_ids=TextColumn.from_texts(str(n) for n in range(60)))
    parts = [named.select_queries(slice(begin, begin + 15)) for begin in range(0, 60, 15)]
    # Both folds train on the same queries, which neither tests on.
    folds = [Fold(number, parts[0], parts[1], parts[number + 1]) for number in (1, 2)]
    rw.write_folds(folds, home / "folds")
    create_task(home / "arena", home / "folds", name="made", seed=1)
    with Arena.open(home / "arena") as opened:
        yield opened


@pytest.fixture
def account(arena: Arena) -> Account:
    return join(arena)


def test_folds_are_kept_and_their_tests_are_one_hidden_part(arena: Arena, tmp_path: Path) -> None:
    task = arena.task("made")
    assert [fold.number for fold in task.folds] == [1, 2]
    assert [fold.queries for fold in task.folds] == [15, 15]
    assert (task.public_queries, task.private_queries) == (15, 15)
    with zipfile.ZipFile(arena.package("made")) as archive:
        archive.extractall(tmp_path)
    read = rw.read_folds(tmp_path / "made")
    hidden = arena.open_hidden("made")
    tested = [query for fold in read for query in fold.test.query_ids]
    assert tuple(tested) == hidden.query_ids and len(set(tested)) == 30
    documents = [one for fold in read for one in fold.test.document_ids or ()]
    assert tuple(documents) == hidden.document_ids and len(set(documents)) == task.documents
    assert not any(fold.test.labels.any() for fold in read)


def test_each_fold_has_a_file_and_a_run_has_all(arena: Arena, account: Account) -> None:
    task, hidden = arena.task("made"), arena.open_hidden("made")
    scores = np.random.default_rng(1).standard_normal(task.documents)
    first = task.folds[0].documents
    files = {"b/fold-2.txt": lines(scores[first:]), "a/Fold1": lines(scores[:first])}
    entry = arena.submit(account, "made", Submission(files, Declaration("t")))
    queries = np.repeat(hidden.query_ids, np.diff(hidden.query_offsets))
    rows = zip(queries, hidden.document_ids, scores.tolist(), strict=True)
    run = "".join(f"{query} Q0 {document} 1 {score!r} me\n" for query, document, score in rows)
    whole = Submission({"run": run.encode()}, Declaration("t"), layout="run")
    assert arena.submit(account, "made", whole).id == entry.id
    assert arena.audit().problems == ()


def test_what_is_wrong_is_told_by_its_fold_and_line(arena: Arena, account: Account) -> None:
    counts = {fold.number: fold.documents for fold in arena.task("made").folds}
    good = {f"Fold{number}": b"1\n" * count for number, count in counts.items()}
    wrong = b"1\n2\nthree\n" + b"1\n" * (counts[2] - 3)
    endless = b"1\n-inf\n" + b"1\n" * (counts[2] - 2)
    for content, said in (
        (wrong, r"^Fold2:3: expected one score, a number, found 'three'$"),
        (endless, r"^Fold2:2: scores must be finite numbers, found -inf$"),
        (b"1\n", r"^Fold2: there must be one score per row, found 1 scores"),
    ):
        with pytest.raises(BadUpload, match=said):
            files = {**good, "Fold2": content}
            arena.submit(account, "made", Submission(files, Declaration("t")))
    with pytest.raises(BadUpload, match="found none for 2"):
        arena.submit(account, "made", Submission({"Fold1": good["Fold1"]}, Declaration("t")))
    assert arena.quota(account, "made").used == 0
