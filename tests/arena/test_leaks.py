"""Labels never leave: each way in which they could, tried."""

from __future__ import annotations

import hashlib
import json
import math
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

import rankwise as rw
from rankwise.arena.arena import Arena
from rankwise.arena.evaluator import Evaluator, Figures
from rankwise.arena.json_records import to_json
from rankwise.arena.participation import (
    OPERATOR,
    Account,
    ArenaEntry,
    ArenaError,
    BadRequest,
    Declaration,
    NotAllowed,
    Submission,
)
from rankwise.data.reading import read
from rankwise.measures.evaluation import evaluate_judged
from rankwise.results.store.schema import dump_canonical
from tests.arena.conftest import BACKENDS, MakeArena
from tests.arena.playing import informed, join, noise, scored, submit


@pytest.fixture(scope="module", params=BACKENDS)
def arena(request: pytest.FixtureRequest, make_arena: MakeArena) -> Arena:
    return make_arena(request.param)


def unpack(arena: Arena, folder: Path) -> Path:
    with zipfile.ZipFile(arena.package("made")) as archive:
        archive.extractall(folder)
    return folder / "made"


def test_the_package_has_no_test_label_and_no_order_that_tells(
    arena: Arena, folds: Path, tmp_path: Path
) -> None:
    home = unpack(arena, tmp_path)
    test = read(home / "Fold1" / "test.txt.gz")
    hidden = arena.open_hidden("made")
    assert not test.labels.any() and hidden.labels.any()
    assert list(test.query_ids) == list(hidden.query_ids)
    parts = [part for _, part in next(iter(rw.read_folds(folds))).parts()]
    places = {row.tobytes(): place for part in parts for place, row in enumerate(part.features)}
    given = [places[row.tobytes()] for row in test.features]
    ascending = np.diff(given) > 0
    within = np.diff(test.query_of_rows) == 0
    assert 0.4 < np.mean(ascending[within]) < 0.6, "the order of the data is kept"
    assert given != sorted(given)
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
    judged = arena.open_hidden("made").judge(informed(arena, 0.5), "public")
    figures = evaluate_judged(judged, ["NDCG@10"])["NDCG@10"].values
    assert len(figures) == arena.task("made").public_queries and labels.any()
    with arena._database.reading() as connection:
        sealed, kept = (
            bytes(connection.execute(text(f"SELECT {column} FROM {table}")).scalars().first())
            for column, table in (("sealed", "tasks"), ("content", "figures"))
        )
    # Of SQLite also the file itself, with what was deleted in it.
    files = (one for one in arena.settings.folder.glob("arena.sqlite*") if one.is_file())
    content = b"".join((sealed, kept, *(one.read_bytes() for one in files)))
    for kind in (np.float64, np.float32):
        assert figures.astype(kind).tobytes() not in content
    for secret in (labels, judged.labels):
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
        for query in arena.open_hidden("made").query_ids:
            assert f'"query": "{query}"' not in text
        assert '"queries": []' in text and '"payload": "{' not in text
    seen = arena.compare(first.id, second.id, account=OPERATOR)
    query = arena.open_hidden("made").query_ids[int(np.argmax(arena.open_hidden("made").public))]
    assert f'"query": "{query}"' in json.dumps(to_json(seen))


def test_what_a_hidden_entry_has_is_told_by_no_measure(make_arena: MakeArena) -> None:
    """The Ladder is by one measure, but what it hides no other measure shows."""
    arena = make_arena(board_measures=("MAP", "P@1"))
    account = join(arena)
    first = submit(arena, account, informed(arena, 0.5, 1))
    hidden = submit(arena, account, informed(arena, 0.5, 2))
    assert not hidden.shown
    for measure in ("NDCG@10", "MAP", "P@1"):
        shown = {row.entry for row in arena.board("made", measure).rows}
        assert hidden.id not in shown and first.id in shown


@pytest.mark.parametrize("ladder", [True, False])
def test_shown_figures_are_rounded_to_one_query(ladder: bool, make_arena: MakeArena) -> None:
    arena = make_arena(ladder=ladder, board_measures=("MAP",))
    entries = [submit(arena, join(arena), informed(arena, share, 5)) for share in (0.2, 0.7)]
    found = arena.compare(*(entry.id for entry in entries), "MAP")
    board = arena.board("made", "MAP")
    assert len(board.rows) == 2
    shown = [value for row in board.rows for value in (row.value, row.low, row.high)]
    shown += [found.first_value, found.second_value, found.difference, found.low, found.high]
    shown += [entry.value for entry in entries]
    shown += [point.value for point in arena.history("made")]
    for value in shown:
        assert math.isclose(value * board.queries, round(value * board.queries), abs_tol=1e-9)
    assert found.quantiles == () and found.p_value in (0.0, 0.001, 0.01, 0.05)
    assert (found.wins, found.ties, found.losses) == (None, None, None)


def test_the_order_of_equal_shown_values_tells_nothing(make_arena: MakeArena) -> None:
    """Entries whose values differ by less than a step stand in the order in which they came."""
    arena = make_arena()
    entries = [submit(arena, join(arena), informed(arena, 0.6, seed)) for seed in range(12)]
    values = {row.entry: row.value for row in arena.board("made").rows}
    by_value = sorted(entries, key=lambda entry: -values[entry.id])
    assert len(set(values.values())) < len(entries)
    assert [row.entry for row in arena.board("made").rows] == [entry.id for entry in by_value]


def attack_query(arena: Arena, account: Account) -> tuple[ArenaEntry, int]:
    """A run that retrieves a public query whole and one document of each other; its entry.

    With one grade worth a thousand and sums of gains / places, each cut-off more would tell one
    label. The other answer is how many cut-offs that takes.
    """
    hidden = arena.open_hidden("made")
    query = int(np.flatnonzero(hidden.public)[0])
    lines = []
    for number, name in enumerate(hidden.query_ids):
        begin, end = hidden.query_offsets[number : number + 2].tolist()
        rows = range(begin, end if number == query else begin + 1)
        lines += [f"{name} Q0 {hidden.document_ids[row]} 1 {begin - row} me\n" for row in rows]
    run = Submission({"run": "".join(lines).encode()}, Declaration("attack"), layout="run")
    return arena.submit(account, "made", run), int(np.diff(hidden.query_offsets)[query])


ATTACKS = ("DCG(gain=2=1000,discount=position,average=sum)", "DCG", "P", "NDCG(gain=2=1000)")


@pytest.mark.parametrize("attack", [*ATTACKS, "Retrieved", "Relevant"])
def test_no_measure_of_an_attackers_choice_is_answered_while_a_task_is_open(
    arena: Arena, attack: str
) -> None:
    entry, length = attack_query(arena, join(arena))
    other = submit(arena, join(arena), noise(arena, 31))
    measures = [f"{attack}@{k + 1}" for k in range(length)] if attack in ATTACKS else [attack]
    for measure in measures:
        for asking in (None, OPERATOR):
            for ask in (
                lambda measure, asking: arena.board("made", measure, account=asking),
                lambda measure, asking: arena.compare(entry.id, other.id, measure, account=asking),
            ):
                with pytest.raises(NotAllowed, match="while made is open its board shows NDCG@10 "):
                    ask(measure, asking)


def test_no_other_tool_computes_the_measure_while_a_task_is_open(arena: Arena) -> None:
    with pytest.raises(NotAllowed, match="as definition computes it, found 'NDCG@10' as letor4"):
        arena.board("made", tool="letor4")


def test_other_spellings_of_what_is_listed_are_the_same_board(make_arena: MakeArena) -> None:
    arena = make_arena(board_measures=("MAP", "P@5"))
    submit(arena, join(arena), informed(arena, 0.7, 5))
    for spelling, name in (("ndcg_cut_10", "NDCG@10"), ("AP", "MAP"), ("P_5", "P@5")):
        assert arena.board("made", spelling) == arena.board("made", name)
        assert arena.board("made", spelling).measure == name


def test_a_comparison_does_not_tell_which_order_of_two_documents_is_better(
    make_arena: MakeArena,
) -> None:
    """Entries that differ by two documents of one query look as if they were the same one."""
    arena = make_arena(ladder=False)
    hidden = arena.open_hidden("made")
    query = int(np.flatnonzero(hidden.public)[0])
    begin, end = hidden.query_offsets[query : query + 2].tolist()
    labels = hidden.labels[begin:end]
    best, worst = begin + int(np.argmax(labels)), begin + int(np.argmin(labels))
    assert hidden.labels[best] > hidden.labels[worst]
    scores = noise(arena, 1)
    told = []
    for first, second in ((best, worst), (worst, best)):
        scores[first], scores[second] = 100.0, 99.0
        told.append(submit(arena, join(arena), scores.copy()))
    scores[best], scores[worst] = 1.5 * scores[best], 1.5 * scores[worst]
    told.append(submit(arena, join(arena), scores.copy()))
    assert told[1].id != told[2].id
    for other in (told[0], told[2]):
        found = arena.compare(told[1].id, other.id)
        assert (found.wins, found.losses, found.p_value) == (None, None, 0.05)
        assert abs(found.difference) * arena.task("made").public_queries < 1.5


def test_the_log_confirms_no_guess_at_what_was_not_rounded(make_arena: MakeArena) -> None:
    """Who knows all else of a line finds its facts by its digest."""
    arena = make_arena(ladder=False)
    entry = submit(arena, join(arena), informed(arena, 0.5, 4))
    (line,) = (one for one in arena.events(OPERATOR, limit=1000) if one.receipt == entry.receipt)
    m = arena.task("made").public_queries
    value = json.loads(line.payload)["value"]
    assert value == entry.value == round(value * m) / m
    assert arena.audit().sound


def test_use_counts_all_that_is_told(make_arena: MakeArena) -> None:
    """The equation of `count_bits`, evaluated literally."""
    arena = make_arena(board_measures=("MAP",))
    account = join(arena)
    entries = [submit(arena, account, informed(arena, 0.5, seed)) for seed in (1, 2)]
    arena.submit(OPERATOR, "made", scored(noise(arena, 3)), kind="baseline")
    assert [entry.shown for entry in entries] == [True, False]
    m, k, r, h = arena.task("made").public_queries, 2, 2, 1
    b = math.log2(m + 1) + 2 * math.log2(2 * m + 1)
    c = 1 + 2 * math.log2(4 * m + 1) + 2
    used = arena.usage("made")
    assert used.bits == round(h + k * (r * b + r * (r - 1) / 2 * c), 1)
    assert (used.entries, used.shown, used.teams) == (2, 1, 1)


def test_errors_of_evaluation_tell_nothing_of_the_data(make_arena: MakeArena) -> None:
    arena = make_arena()
    submit(arena, join(arena), noise(arena, 8))
    arena.reveal("made", OPERATOR)
    hidden = arena.open_hidden("made")
    said = []
    for measure in ("NDCG@10", "MAP", "ERR", "P@5", "bpref"):
        for tool in ("yahoo", "letor3", "letor4", "mslr", "sklearn", "xgboost", "gdeval"):
            try:
                arena.board("made", measure, tool)
            except ArenaError as error:
                said.append(str(error))
    assert len(said) > 5
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
    evaluate_judged = Evaluator.evaluate

    def count(self: Evaluator, *arguments: object, **named: object) -> object:
        counted.append("evaluated")
        return evaluate_judged(self, *arguments, **named)  # type: ignore[arg-type]

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


def test_the_log_confirms_no_guess_at_who_was_invited(arena: Arena) -> None:
    """Else an embargo hides the name of a team that all can find in the log."""
    arena.invite("participant", "A guessed team", OPERATOR)
    (line,) = (
        json.loads(one.payload)
        for one in arena.events(OPERATOR, limit=1000)
        if "A guessed team" in one.payload
    )
    secret = line.pop("invitation", "")
    digests = {one.payload_digest for one in arena.events(limit=1000)}
    for facts, found in ((line, False), ({**line, "invitation": secret}, True)):
        guess = hashlib.sha256(dump_canonical(facts).encode()).hexdigest()
        assert (guess in digests) == found
    assert len(secret) == 64


def test_the_reader_of_uploads_is_never_given_labels(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankwise.arena import sandbox

    sent: list[tuple[str, int]] = []
    write = sandbox.write_frame

    def watch(stream: object, facts: dict[str, object], blobs: object = ()) -> None:
        job = str(facts["job"])
        sent.append((job, len(blobs)))  # type: ignore[arg-type]
        assert "labels" not in facts
        write(stream, facts, blobs)  # type: ignore[arg-type]

    monkeypatch.setattr(sandbox, "write_frame", watch)
    # A new reader, which has to learn of the task.
    arena._evaluator._reader.close()
    with pytest.raises(ArenaError):
        arena.submit(join(arena), "made", Submission({"a": b"x\n"}, Declaration("t")))
    assert sent == [("learn-shape", 0), ("read", 0)]
