"""Tasks: what is held out, hidden, drawn and packed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.arena.arena_settings import ArenaSettings, read_settings, write_settings
from rankwise.arena.hidden_data import HiddenTest
from rankwise.arena.participation import BadRequest, Rules
from rankwise.arena.storage.encryption import Seal, make_key, read_key
from rankwise.arena.task_creation import create_arena, create_task, overlap, prepare
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from tests.arena.playing import Clock


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_folds_that_overlap_become_one_that_holds_queries_out(folds: Path) -> None:
    read = rw.read_folds(folds)
    assert overlap(read)
    prepared = prepare(read, rng(), hidden_share=0.25)
    (fold,) = prepared.folds
    assert fold.validation is not None
    counts = [fold.train.n_queries, fold.validation.n_queries, fold.test.n_queries]
    assert counts == [29, 7, 12] and sum(counts) == 48
    ids = [set(part.query_ids) for _, part in fold.parts()]
    assert not ids[0] & ids[1] and not ids[0] & ids[2] and not ids[1] & ids[2]
    assert prepared.hidden.public.sum() == 6


def test_folds_that_do_not_overlap_are_kept() -> None:
    one = next(iter(rw.split_folds(make_dataset(60, seed=1))))
    assert not overlap([one])
    (fold,) = prepare([one], rng()).folds
    assert fold.train.n_queries == one.train.n_queries
    assert np.array_equal(fold.train.labels, one.train.labels)


def test_every_hidden_document_keeps_its_features_and_its_label(folds: Path) -> None:
    """Scrambled and renamed, the pairs of features and label are those of the data."""
    read = rw.read_folds(folds)
    prepared = prepare(read, rng())
    known = {
        row.tobytes(): label
        for _, part in read[0].parts()
        for row, label in zip(part.features, part.labels, strict=True)
    }
    test = prepared.folds[0].test
    for row, label in zip(test.features, prepared.hidden.labels, strict=True):
        assert known[row.tobytes()] == label
    assert not test.labels.any()


def test_documents_come_in_another_order_than_in_the_data() -> None:
    dataset = make_dataset(60, seed=2)
    order = np.lexsort((-dataset.labels, dataset.query_of_rows))
    ordered = rw.Dataset(
        dataset.features[order], dataset.labels[order], dataset.query_offsets, dataset.query_ids
    )
    folds = rw.split_folds(ordered)
    hidden = prepare(folds, rng()).hidden
    first = [hidden.labels[begin] for begin in hidden.query_offsets[:-1]]
    last = [hidden.labels[end - 1] for end in hidden.query_offsets[1:]]
    assert abs(np.mean(first) - np.mean(last)) < 1.0
    descending = np.concatenate(
        [np.diff(hidden.labels[b:e]) for b, e in pairwise(hidden.query_offsets.tolist())]
    )
    assert (descending > 0).any()


def test_shares_and_small_data_are_refused() -> None:
    folds = list(rw.split_folds(make_dataset(10, seed=2)))
    for shares in ({"hidden_share": 0.0}, {"hidden_share": 1.0}, {"public_share": 1.5}):
        with pytest.raises(BadRequest, match="share must lie between 0 and 1"):
            prepare(folds, rng(), **shares)
    with pytest.raises(BadRequest, match="at least 4 hidden queries"):
        prepare(folds, rng(), hidden_share=0.2)
    with pytest.raises(BadRequest, match="and two others, found 10 queries in all"):
        prepare(folds, rng(), hidden_share=0.9)


def test_hidden_parts_survive_their_bytes() -> None:
    hidden = prepare(rw.split_folds(make_dataset(20, seed=2)), rng()).hidden
    again = HiddenTest.from_bytes(hidden.to_bytes())
    assert np.array_equal(hidden.labels, again.labels)
    assert np.array_equal(hidden.public, again.public)
    assert (hidden.query_ids, hidden.document_ids) == (again.query_ids, again.document_ids)


def test_documents_that_were_not_retrieved_stand_last() -> None:
    hidden = HiddenTest(
        np.array([0.0, 1.0, 2.0, 1.0]), np.array([0, 3, 4]), ("1", "2"),
        ("a", "b", "c", "d"), np.array([True, False]),
    )  # fmt: skip
    judged = hidden.judge(np.array([np.nan, 1.0, 3.0, 0.0]), "public")
    assert judged.document_ids == ["b", "c", "a"]
    assert judged.labels.tolist() == [1.0, 2.0, 0.0]
    assert judged.retrieved is not None and judged.retrieved.tolist() == [2]
    assert hidden.judge(np.zeros(4), "private").document_ids == ["d"]


CREATE = """
import sys
from rankwise.arena.task_creation import create_task
task = create_task(sys.argv[1], sys.argv[2], name="made", seed=7, clock=lambda: 1.8e9)
print(task)
"""


def test_the_same_seed_gives_the_same_package_in_another_process(
    folds: Path, tmp_path: Path
) -> None:
    ours = create_task(tmp_path / "one", folds, name="made", seed=7, clock=Clock(1.8e9))
    done = subprocess.run(
        [sys.executable, "-c", CREATE, str(tmp_path / "two"), str(folds)],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"},
        timeout=600,
    )  # fmt: skip
    assert done.stdout == f"{ours}\n"
    other = create_task(tmp_path / "three", folds, name="made", seed=8, clock=Clock(1.8e9))
    assert other.package_checksum != ours.package_checksum


def test_a_package_has_sound_checksums_and_says_how_to_take_part(
    folds: Path, tmp_path: Path
) -> None:
    task = create_task(tmp_path / "arena", folds, title="A & B", description="Some words.")
    path = tmp_path / "arena" / "packages" / f"{task.name}.zip"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == task.package_checksum
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    home = f"{task.name}/"
    sums = contents[f"{home}SHA256SUMS"].decode().splitlines()
    assert {line.split("  ")[1] for line in sums} == {
        name.removeprefix(home) for name in contents if not name.endswith("SHA256SUMS")
    }
    for line in sums:
        digest, name = line.split("  ")
        assert hashlib.sha256(contents[home + name]).hexdigest() == digest
    assert b"Some words." in contents[f"{home}README.txt"]
    card = json.loads(contents[f"{home}data-card.json"])
    assert "seed" not in json.dumps(card) and card["title"] == "A & B"


def test_names_and_measures_are_looked_at_before_anything_is_written(
    folds: Path, tmp_path: Path
) -> None:
    for name in ("../x", "A", "a--b", "-a", "a/b", "x" * 41, "a.zip"):
        with pytest.raises(BadRequest, match="name of a task"):
            create_task(tmp_path / "arena", folds, name=name)
    with pytest.raises(BadRequest):
        create_task(tmp_path / "arena", folds, rules=Rules(measure="Nonsense"))
    for measure in ("DCG@10", "Retrieved", "Relevant", "P(average=sum)@5", "RMSE"):
        for rules in (Rules(measure=measure), Rules(board_measures=("MAP", measure))):
            with pytest.raises(BadRequest, match="must lie between 0 and 1"):
                create_task(tmp_path / "arena", folds, rules=rules)
    with pytest.raises(BadRequest, match="at most 5 measures beside"):
        Rules(board_measures=("MAP",) * 6)
    with pytest.raises(BadRequest):
        Rules(ladder_errors=0.0)
    assert not (tmp_path / "arena" / "packages").exists()
    create_task(tmp_path / "arena", folds, name="one")
    with pytest.raises(BadRequest, match="name of its own"):
        create_task(tmp_path / "arena", folds, name="one")


def test_settings_survive_their_file(tmp_path: Path) -> None:
    made = create_arena(tmp_path / "a", title='A "quoted" \\ title\n', evaluation_seconds=5)
    assert read_settings(tmp_path / "a") == read_settings(tmp_path / "a" / "arena.toml") == made
    assert made.database_address == f"sqlite:///{(tmp_path / 'a' / 'arena.sqlite').resolve()}"
    other = ArenaSettings(tmp_path, database="postgresql+psycopg://h/n")
    assert other.database_address == "postgresql+psycopg://h/n"
    (tmp_path / "arena.toml").write_text(write_settings(other))
    assert read_settings(tmp_path) == ArenaSettings(tmp_path.resolve(), database=other.database)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "there is no setting 'colour'"),
        ("public = 1", "public must be of type bool, found 1"),
        ("title = ", "must be TOML"),
        ("\udcff", "must be TOML"),
    ],
)
def test_wrong_settings_are_told(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "arena.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RankwiseError, match=said):
        read_settings(path)


def test_a_seal_opens_only_what_it_closed_there(tmp_path: Path) -> None:
    seal = make_key(tmp_path / "key")
    sealed = seal.close(b"labels", "here")
    assert read_key(tmp_path / "key").open(sealed, "here") == b"labels"
    assert seal.close(b"labels", "here") != sealed
    changed = bytearray(sealed)
    changed[-1] ^= 1
    for content, context, key in (
        (sealed, "there", seal),
        (bytes(changed), "here", seal),
        (b"", "here", seal),
        (sealed, "here", Seal(bytes(32))),
    ):
        with pytest.raises(RankwiseError, match="must open with the arena's key"):
            key.open(content, context)


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    make_key(path)
    with pytest.raises(RankwiseError):
        make_key(path)
    path.chmod(0o644)
    with pytest.raises(RankwiseError, match="chmod 600"):
        read_key(path)
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(RankwiseError, match="must hold a key of 32 bytes"):
        read_key(path)
