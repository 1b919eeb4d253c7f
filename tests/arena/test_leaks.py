"""Labels never leave: each way in which they could, tried."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

from rankwise.arena.account import OPERATOR
from rankwise.arena.entry import Declaration, Submission
from rankwise.arena.errors import ArenaError, BadRequest
from rankwise.arena.evaluator import Evaluator, Figures
from rankwise.arena.forms import to_json
from rankwise.arena.service import Arena
from rankwise.data.reading import read
from tests.arena.conftest import BACKENDS, MakeArena
from tests.arena.playing import informed, join, noise, submit


@pytest.fixture(scope="module", params=BACKENDS)
def arena(request: pytest.FixtureRequest, make_arena: MakeArena) -> Arena:
    return make_arena(request.param)


def unpack(arena: Arena, folder: Path) -> Path:
    with zipfile.ZipFile(arena.package("made")) as archive:
        archive.extractall(folder)
    return folder / "made"


def test_the_package_has_no_test_label_and_no_order_that_tells(
    arena: Arena, tmp_path: Path
) -> None:
    home = unpack(arena, tmp_path)
    test = read(home / "Fold1" / "test.txt.gz")
    hidden = arena.open_hidden("made")
    assert not test.labels.any() and hidden.labels.any()
    assert list(test.query_ids) == list(hidden.query_ids)
    # Made-up data list documents in no order of labels; what matters is that none is kept.
    ascending = np.arange(len(hidden.labels), dtype=float)
    places = hidden.judge(ascending, "public"), hidden.judge(-ascending, "public")
    assert all(len(one.labels) for one in places)
    trained = {
        query
        for part in ("train", "vali")
        for query in read(home / "Fold1" / f"{part}.txt.gz").query_ids
    }
    assert trained.isdisjoint(hidden.query_ids)
    card = json.loads((home / "data-card.json").read_text())
    assert "labels" not in card["folds"][0]["test"] and "labels" in card["folds"][0]["train"]


def test_no_row_with_hidden_features_has_its_label_in_the_package(
    arena: Arena, tmp_path: Path
) -> None:
    home = unpack(arena, tmp_path)
    test = read(home / "Fold1" / "test.txt.gz")
    hidden = {row.tobytes() for row in test.features}
    for part in ("train", "vali"):
        labelled = {row.tobytes() for row in read(home / "Fold1" / f"{part}.txt.gz").features}
        assert hidden.isdisjoint(labelled)


def test_labels_and_figures_per_query_are_not_readable_at_rest(arena: Arena) -> None:
    submit(arena, join(arena), informed(arena, 0.5))
    labels = arena.open_hidden("made").labels
    figures = arena.open_hidden("made").judge(informed(arena, 0.5), "public")
    with arena._database.reading() as connection:
        sealed, kept = (
            bytes(connection.execute(text(f"SELECT {column} FROM {table}")).scalars().first())
            for column, table in (("sealed", "tasks"), ("content", "figures"))
        )
    # Of SQLite also the file itself, with what was deleted in it.
    files = (one for one in arena.settings.folder.glob("arena.sqlite*") if one.is_file())
    content = b"".join((sealed, kept, *(one.read_bytes() for one in files)))
    for secret in (labels, figures.labels):
        for kind in (np.float64, np.float32, np.int8, np.int64):
            assert secret.astype(kind).tobytes() not in content
    assert b"labels.npy" not in sealed
    # Sealed bytes may begin as open ones do, by chance; they do not go on so.
    with pytest.raises(ValueError):
        Figures.from_bytes(kept)


def test_the_key_is_its_owners_alone(arena: Arena) -> None:
    assert arena.settings.key_file.stat().st_mode & 0o777 == 0o600


def test_nobody_but_organisers_gets_a_figure_of_one_query(arena: Arena) -> None:
    account = join(arena)
    first = submit(arena, account, informed(arena, 0.1, 1))
    second = submit(arena, join(arena), informed(arena, 0.9, 2))
    for asking in (None, account):
        text = json.dumps(
            [
                to_json(arena.board("made", account=asking)),
                to_json(arena.compare(first.id, second.id, account=asking)),
                to_json(arena.entry(first.id, asking)),
                to_json(arena.history("made", asking)),
                to_json(arena.usage("made", asking)),
                to_json(arena.events(asking)),
            ]
        )
        for query in arena.open_hidden("made").query_ids[:3]:
            assert f'"query": "{query}"' not in text
        assert '"queries": []' in text and '"payload": "{' not in text


def test_what_a_hidden_entry_has_is_told_by_no_measure(arena: Arena) -> None:
    """The Ladder is by one measure, but what it hides no other measure shows."""
    account = join(arena)
    submit(arena, account, informed(arena, 0.5, 1))
    hidden = submit(arena, account, informed(arena, 0.5, 2))
    assert not hidden.shown
    for measure, tool in (("MAP", "trec_eval"), ("P@1", "definition"), ("MRR", "ir_measures")):
        assert hidden.id not in {row.entry for row in arena.board("made", measure, tool).rows}


def test_shown_figures_are_rounded_to_one_query(arena: Arena) -> None:
    submit(arena, join(arena), informed(arena, 0.7, 5))
    board = arena.board("made", "MAP")
    for row in board.rows:
        for value in (row.value, row.low, row.high):
            assert value != value or value == round(value * board.queries) / board.queries


def test_errors_of_evaluation_tell_nothing_of_the_data(arena: Arena) -> None:
    account = join(arena)
    submit(arena, account, noise(arena, 8))
    hidden = arena.open_hidden("made")
    said = []
    for measure in ("NDCG@10", "MAP", "ERR", "P@5", "bpref"):
        for tool in ("yahoo", "letor3", "letor4", "mslr", "sklearn", "xgboost", "gdeval"):
            try:
                arena.board("made", measure, tool)
            except ArenaError as error:
                said.append(str(error))
    for sentence in said:
        words = set(re.findall(r"\w+", sentence))
        assert not words & set(hidden.document_ids)
        assert "label" not in sentence and "relevant" not in sentence


def test_strangers_run_no_code_by_the_name_of_a_measure(arena: Arena) -> None:
    for measure in ("os:getcwd", "antigravity:fly@3", "tests.arena.playing:join", "../x"):
        with pytest.raises(BadRequest, match="one that Rankwise has"):
            arena.board("made", measure)


def test_equal_files_of_other_teams_take_the_same_way(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the figures of another team's equal scores looked up, a quick answer would tell."""
    counted: list[str] = []
    evaluate = Evaluator.evaluate

    def count(self: Evaluator, *arguments: object, **named: object) -> object:
        counted.append("evaluated")
        return evaluate(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Evaluator, "evaluate", count)
    for account in (join(arena), join(arena)):
        submit(arena, account, noise(arena, 99))
    assert counted == ["evaluated"] * 2


def test_the_log_that_all_may_see_names_nobody(arena: Arena) -> None:
    account = join(arena, "Team of the log")
    submit(arena, account, noise(arena, 15))
    public = json.dumps(to_json(arena.events(limit=1000)))
    assert "Team of the log" not in public and account.id not in public
    assert "Team of the log" in json.dumps(to_json(arena.events(OPERATOR, limit=1000)))


def test_the_reader_of_uploads_is_never_given_labels(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankwise.arena import limited_process

    sent: list[tuple[str, int]] = []
    write = limited_process.write_frame

    def watch(stream: object, facts: dict[str, object], blobs: object = ()) -> None:
        job = str(facts["job"])
        sent.append((job, len(blobs)))  # type: ignore[arg-type]
        assert "labels" not in facts
        write(stream, facts, blobs)  # type: ignore[arg-type]

    monkeypatch.setattr(limited_process, "write_frame", watch)
    with pytest.raises(ArenaError):
        arena.submit(join(arena), "made", Submission({"a": b"x\n"}, Declaration("t")))
    assert {job for job, _ in sent} <= {"learn-shape", "read"}
