"""What an arena offers, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from rankwise.arena.arena import Arena
from rankwise.arena.participation import (
    BASELINES,
    OPERATOR,
    ArenaError,
    BadRequest,
    BadUpload,
    Cost,
    Declaration,
    NotAllowed,
    QuotaSpent,
    Submission,
    TaskClosed,
    UnknownThing,
)
from rankwise.errors import install_line
from rankwise.measures.evaluation import evaluate
from tests.arena.conftest import BACKENDS, MakeArena
from tests.arena.playing import Clock, informed, join, noise, scored, submit


def test_a_submission_is_evaluated_and_on_the_board(arena: Arena) -> None:
    account = join(arena)
    scores = informed(arena, 0.5)
    entry = submit(arena, account, scores, title="half informed", cost=Cost(3.0))
    assert entry.new and entry.shown and entry.team == account.team
    judged = arena.open_hidden("made").judge(scores, "public")
    queries = arena.task("made").public_queries
    expected = evaluate_judged(judged, "NDCG@10")
    assert entry.value == round(expected * queries) / queries
    (row,) = (one for one in arena.board("made").rows if one.entry == entry.id)
    assert (row.name, row.value) == ("half informed", entry.value)
    assert row.low < row.value < row.high and row.groups and row.front


def evaluate_judged(judged: object, measure: str, tool: str = "definition") -> float:
    from rankwise.measures.evaluation import evaluate_judged as by_judged

    return by_judged(judged, [measure], tool)[measure].mean  # type: ignore[arg-type]


def test_the_same_scores_are_the_same_entry_and_cost_nothing(arena: Arena) -> None:
    account = join(arena)
    first = submit(arena, account, noise(arena, 1))
    again = submit(arena, account, noise(arena, 1), title="another title")
    assert again.id == first.id and not again.new
    assert again.declaration.title == "mine"
    assert arena.quota(account, "made").used == 1
    theirs = submit(arena, join(arena), noise(arena, 1))
    assert theirs.new and theirs.id != first.id


def test_a_broken_upload_costs_no_quota_and_is_told_by_line(arena: Arena) -> None:
    account = join(arena)
    with pytest.raises(BadUpload, match="Fold1: there must be one score per row, found 2 scores"):
        arena.submit(account, "made", Submission({"a": b"1\n2\n"}, Declaration("t")))
    wrong = b"0.5\n" * 2 + b"zero\n" + b"1\n" * (arena.task("made").documents - 3)
    with pytest.raises(BadUpload, match=r"^Fold1:3: expected one score, a number, found 'zero'$"):
        arena.submit(account, "made", Submission({"a": wrong}, Declaration("t")))
    assert arena.quota(account, "made").used == 0
    assert arena.entries("made", account) == ()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_day_has_so_many_submissions(backend: str, make_arena: MakeArena) -> None:
    clock = Clock()
    arena = make_arena(backend, clock, daily_limit=2)
    account = join(arena)
    for seed in (1, 2):
        submit(arena, account, noise(arena, seed))
    with pytest.raises(QuotaSpent, match="at most 2 submissions a day"):
        submit(arena, account, noise(arena, 3))
    assert not submit(arena, account, noise(arena, 1)).new
    assert submit(arena, join(arena), noise(arena, 3)).new
    clock.pass_days(1)
    assert arena.quota(account, "made").left == 2
    assert submit(arena, account, noise(arena, 3)).new
    assert arena.audit().problems == ()


def test_the_ladder_shows_what_beats_the_team_by_more_than_noise(arena: Arena) -> None:
    account = join(arena)
    first = submit(arena, account, informed(arena, 0.3, 1))
    luck = submit(arena, account, informed(arena, 0.3, 2))
    better = submit(arena, account, informed(arena, 0.95, 3))
    assert (first.shown, better.shown) == (True, True)
    assert not luck.shown and luck.value == first.value < better.value
    on_board = {row.entry for row in arena.board("made").rows}
    assert {first.id, better.id} <= on_board and luck.id not in on_board
    with pytest.raises(UnknownThing, match="does not show"):
        arena.compare(first.id, luck.id)


def test_an_embargo_hides_the_team_until_it_ends(make_arena: MakeArena) -> None:
    clock = Clock()
    arena = make_arena(clock=clock)
    account, other = join(arena, "The Known"), join(arena)
    wishes = {"alias": "Nobody", "embargo_days": 10, "paper": "A secret paper"}
    entry = arena.submit(account, "made", scored(noise(arena, 4), **wishes))
    for seen in (arena.entry(entry.id), arena.entry(entry.id, other)):
        assert seen.team == "Nobody" and seen.declaration == Declaration("mine")
    (row,) = arena.board("made").rows
    assert (row.team, row.paper, row.embargoed) == ("Nobody", "", True)
    assert arena.usage("made").by_team == (("Nobody", 1),)
    assert arena.history("made")[0].team == "Nobody"
    (own,) = arena.board("made", account=account).rows
    assert own.team == arena.entry(entry.id, OPERATOR).team == "The Known"
    clock.pass_days(11)
    assert arena.entry(entry.id).team == "The Known"
    assert arena.board("made").rows[0].paper == "A secret paper"
    for name in (other.team, "the KNOWN", BASELINES):
        with pytest.raises(BadRequest, match="must not be the name of a team"):
            arena.submit(account, "made", scored(noise(arena, 5), alias=name, embargo_days=1))
    with pytest.raises(BadRequest, match="0 to 270 days"):
        arena.submit(account, "made", scored(noise(arena, 5), alias="x", embargo_days=271))


def test_two_entries_are_compared_without_their_queries(arena: Arena) -> None:
    first = submit(arena, join(arena), informed(arena, 0.2, 5), title="low")
    second = submit(arena, join(arena), informed(arena, 0.9, 6), title="high")
    found = arena.compare(first.id, second.id)
    assert (found.first_name, found.second_name) == ("low", "high")
    assert found.difference > 0 and found.low > 0 and found.p_value < 0.05
    assert found.queries == () and "labels" in found.why_no_queries
    shown = arena.compare(first.id, second.id, account=OPERATOR)
    assert len(shown.queries) == arena.task("made").public_queries


def test_history_use_and_standings_follow_from_the_entries(make_arena: MakeArena) -> None:
    arena = make_arena()
    first, second = join(arena), join(arena)
    low = submit(arena, first, informed(arena, 0.1, 7), title="low")
    submit(arena, second, informed(arena, 0.0, 8), title="noise")
    high = submit(arena, second, informed(arena, 0.95, 9), title="high")
    assert [point.entry for point in arena.history("made")] == [low.id, high.id]
    used = arena.usage("made")
    assert (used.entries, used.shown, used.teams) == (3, 3, 2)
    standings = arena.standings()
    assert standings[0].method == "high" and standings[0].winning_number == 1.0
    assert [one.winning_number for one in standings] == sorted(
        (one.winning_number for one in standings), reverse=True
    )


def test_near_duplicates_are_for_organisers(arena: Arena) -> None:
    one, two = join(arena), join(arena)
    scores = noise(arena, 11)
    first = submit(arena, one, scores)
    second = submit(arena, two, 3.0 * scores + 1.0)
    pairs = arena.near_duplicates("made", OPERATOR)
    found = [pair for pair in pairs if {pair.first, pair.second} == {first.id, second.id}]
    assert len(found) == 1 and found[0].correlation == 1.0 and not found[0].same_team
    with pytest.raises(NotAllowed):
        arena.near_duplicates("made", one)


def test_only_participants_submit_and_only_organisers_organise(arena: Arena) -> None:
    reader = arena.authenticate(arena.accept(arena.invite("reader", "", OPERATOR), "r"))
    participant = join(arena)
    with pytest.raises(NotAllowed, match="only participants may submit"):
        submit(arena, reader, noise(arena, 12))
    with pytest.raises(NotAllowed, match="only participants may submit"):
        arena.submit(participant, "made", scored(noise(arena, 12)), kind="baseline")
    for ask in (
        lambda: arena.invite("reader", "", participant),
        lambda: arena.reveal("made", participant),
        lambda: arena.revoke(reader.id, participant),
    ):
        with pytest.raises(NotAllowed, match="only an organiser"):
            ask()


def test_what_is_not_there_is_said_so(arena: Arena) -> None:
    for ask in (lambda: arena.task("no"), lambda: arena.board("no"), lambda: arena.entry("no-1")):
        with pytest.raises(UnknownThing):
            ask()
    for measure, tool in (("Nonsense@3", None), ("NDCG@10", "no-tool"), ("os:getcwd", None)):
        with pytest.raises(BadRequest):
            arena.board("made", measure, tool)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_private_half_is_shown_when_it_is_revealed(backend: str, make_arena: MakeArena) -> None:
    arena = make_arena(backend, per_query="after-reveal")
    account = join(arena)
    first = submit(arena, account, informed(arena, 0.4, 1))
    hidden = submit(arena, account, informed(arena, 0.35, 2))
    assert not hidden.shown
    for asking in (None, account, OPERATOR):
        with pytest.raises(NotAllowed, match="shown to nobody before it is revealed"):
            arena.board("made", half="private", account=asking)
    arena.reveal("made", OPERATOR)
    board = arena.board("made")
    assert board.half == "private" and {row.entry for row in board.rows} == {first.id, hidden.id}
    judged = arena.open_hidden("made").judge(informed(arena, 0.4, 1), "private")
    (row,) = (one for one in board.rows if one.entry == first.id)
    assert row.value == evaluate_judged(judged, "NDCG@10")
    found = arena.compare(first.id, hidden.id)
    private = arena.task("made").private_queries
    assert len(found.queries) == private and len(found.quantiles) == 7
    assert (found.wins or 0) + (found.ties or 0) + (found.losses or 0) == private
    assert found.p_value == round(found.p_value, 6)
    by_tool = arena.board("made", "MAP", "trec_eval", half="public")
    (row,) = (one for one in by_tool.rows if one.entry == first.id)
    judged = arena.open_hidden("made").judge(informed(arena, 0.4, 1), "public")
    assert row.value == evaluate_judged(judged, "MAP", "trec_eval")
    with pytest.raises(TaskClosed):
        submit(arena, account, noise(arena, 3))
    with pytest.raises(TaskClosed):
        arena.reveal("made", OPERATOR)
    assert arena.audit().problems == ()


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_the_ladder_hid_is_revealed_with_its_own_value(
    backend: str, make_arena: MakeArena
) -> None:
    arena = make_arena(backend)
    account = join(arena)
    submit(arena, account, informed(arena, 0.6, 1))
    hidden = submit(arena, account, informed(arena, 0.3, 2))
    judged = arena.open_hidden("made").judge(informed(arena, 0.3, 2), "public")
    own = evaluate_judged(judged, "NDCG@10")
    assert not hidden.shown and hidden.value > own + 0.05, "its team's best"
    arena.reveal("made", OPERATOR)
    for asking in (None, account, OPERATOR):
        seen = arena.entry(hidden.id, asking)
        assert seen.shown and seen.value == own
        (row,) = (one for one in arena.board("made", half="public", account=asking).rows
                  if one.entry == hidden.id)  # fmt: skip
        assert (row.value, row.low < own < row.high) == (own, True)
    assert arena.entries("made", account)[0].value == own


def test_figures_beyond_all_bounds_are_one_sentence(make_arena: MakeArena) -> None:
    arena = make_arena()
    first, second = (submit(arena, join(arena), noise(arena, seed)) for seed in (1, 2))
    arena.reveal("made", OPERATOR)
    for gain in ("1=1e308", "1=1e155"):
        measure = f"DCG(gain={gain})@10"
        for ask in (
            lambda measure: arena.board("made", measure),
            lambda measure: arena.compare(first.id, second.id, measure),
        ):
            with pytest.raises(BadRequest, match=r"^the figures of DCG.*at most 1e\+100 on"):
                ask(measure)


@pytest.mark.parametrize("backend", BACKENDS)
def test_many_at_once_are_all_kept_once(backend: str, make_arena: MakeArena) -> None:
    arena = make_arena(backend, daily_limit=3)
    account = join(arena)

    def send(seed: int) -> str:
        try:
            return submit(arena, account, noise(arena, seed % 6)).id
        except ArenaError as error:
            return error.code

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(send, range(24)))
    kept = {entry.id for entry in arena.entries("made", account)}
    assert len(kept) == 3 and set(answers) == {*kept, "quota"}
    found = arena.audit()
    assert found.problems == () and found.entries == 3


def test_scores_of_a_data_set_are_judged_as_elsewhere(sqlite_arena: Arena) -> None:
    """The half as `rw.evaluate` judges it from dictionaries."""
    hidden = sqlite_arena.open_hidden("made")
    judged = hidden.judge(noise(sqlite_arena, 1), "public")
    queries = [str(query) for query in judged.query_ids]
    bounds = list(zip(queries, judged.query_offsets[:-1], judged.query_offsets[1:], strict=True))
    names = judged.document_ids
    assert names is not None
    labels = {q: {names[i]: judged.labels[i] for i in range(b, e)} for q, b, e in bounds}
    scores = {q: {names[i]: judged.scores[i] for i in range(b, e)} for q, b, e in bounds}
    ours = evaluate_judged(judged, "NDCG@5")
    assert ours == evaluate(labels, scores, ["NDCG@5"])["NDCG@5"].mean


def test_what_strangers_ask_for_fills_no_database(make_arena: MakeArena) -> None:
    arena = make_arena()
    submit(arena, join(arena), noise(arena, 1))
    arena.reveal("made", OPERATOR)
    for cutoff in range(1, 20):
        arena.board("made", f"NDCG@{cutoff}")
    path = arena.settings.folder / "arena.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        kept = connection.execute("SELECT DISTINCT measure FROM figures").fetchall()
    assert kept == [("NDCG@10",)]


def test_an_arena_without_its_libraries_says_what_to_install() -> None:
    program = (
        "import sys\n"
        "sys.modules['sqlalchemy'] = None\n"
        "import rankwise as rw\n"
        "rw.arena.send_submission, rw.arena.parse_declaration\n"
        "try:\n    rw.arena.Arena\n"
        "except rw.RankwiseError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"libraries of the extra 'arena'; install them: {install_line('arena')}" in done.stdout
