"""Rows of the commands of an arena."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.arena import (
    OPERATOR,
    Arena,
    Declaration,
    Rules,
    Submission,
    create_task,
    enter_baselines,
    send_submission,
    to_json,
)
from rankwise.data import score_lines
from tests.arena.serving import served
from tests.front_door.table import Answers, Case, plain, row


def _arena(case: Case) -> Path:
    """A copy of an arena with a task and two entries that rank alike."""
    made = case.shared / "arena"
    if not made.exists():
        rules = Rules(tool="own", board_measures=("MAP",))
        create_task(made, case.folds, name="made", rules=rules, seed=1)
        with Arena.open(made) as arena:
            scores = np.random.default_rng(1).standard_normal(arena.task("made").documents)
            for team, factor in (("One", 1.0), ("Two", 2.0)):
                token = arena.accept(arena.invite("participant", team, OPERATOR), "somebody")
                files = {"Fold1": score_lines(factor * scores).encode()}
                account = arena.authenticate(token)
                arena.submit(account, "made", Submission(files, Declaration(f"by {team}")))
    copy = case.folder / "arena"
    shutil.copytree(made, copy)
    return copy


@row("arena new")
def new(case: Case) -> Answers:
    words = ("--data", case.folds, "--name", "ours", "-m", "MAP", "--seed", 3, "--daily-limit", 2,
             "--board-measures", "P@5,NDCG@10")  # fmt: skip
    printed = case.ask("arena", "new", case.folder / "one", *words)
    rules = Rules("MAP", "own", daily_limit=2, board_measures=("P@5", "NDCG@10"))
    made = to_json(create_task(case.folder / "two", case.folds, name="ours", rules=rules, seed=3))
    return _without_times(printed), _without_times(made)


def _without_times(task: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in task.items() if name != "created"}


@row("arena baselines")
def baselines(case: Case) -> Answers:
    home = _arena(case)
    words = ("--ranker", "best-feature", "--jobs", 1)
    printed = case.ask("arena", "baselines", home, "made", *words)
    with Arena.open(home) as arena:
        found = enter_baselines(arena, "made", rankers=["best-feature"], jobs=1)
    # The function comes second: the same scores are the same entry.
    return [{**one, "new": False} for one in printed], plain(to_json(found))


@row("arena invite")
def invite(case: Case) -> Answers:
    home = _arena(case)
    printed = case.run("arena", "invite", home, "--team", "Three").stdout.strip()
    with Arena.open(home) as arena:
        ours = arena.invite("participant", "Three", OPERATOR)
        offered = [to_json(arena.invitation(token)) for token in (printed, ours)]
    return offered[0]["team"], offered[1]["team"]


@row("arena revoke")
def revoke(case: Case) -> Answers:
    home = _arena(case)
    with Arena.open(home) as arena:
        ids = [
            json.loads(event.payload)["id"]
            for event in arena.events(OPERATOR)
            if event.kind == "joined"
        ]
        case.run("arena", "revoke", home, ids[0])
        arena.revoke(ids[1], OPERATOR)
        lines = [event.payload for event in arena.events(OPERATOR) if event.kind == "revoked"]
    by_command, by_function = (json.loads(line) for line in lines)
    return {**by_command, "account": ids[1]}, by_function


@row("arena board")
def board(case: Case) -> Answers:
    home = _arena(case)
    printed = case.ask("arena", "board", home, "made", "-m", "MAP")
    with Arena.open(home) as arena:
        opened = arena.board("made", "MAP")
        arena.reveal("made", OPERATOR)
        closed = arena.board("made", "MAP", "trec_eval", half="public")
    words = ("-m", "MAP", "--tool", "trec_eval", "--half", "public")
    printed = [printed, case.ask("arena", "board", home, "made", *words)]
    return printed, [to_json(opened), to_json(closed)]


@row("arena duplicates")
def duplicates(case: Case) -> Answers:
    home = _arena(case)
    with Arena.open(home) as arena:
        found = arena.near_duplicates("made", OPERATOR)
    assert len(found) == 1
    return case.ask("arena", "duplicates", home, "made"), to_json(found)


@row("arena reveal")
def reveal(case: Case) -> Answers:
    home, other = _arena(case), case.folder / "other"
    shutil.copytree(home, other)
    printed = case.ask("arena", "reveal", home, "made")
    with Arena.open(other) as arena:
        ours = to_json(arena.reveal("made", OPERATOR))
    assert printed.pop("revealed") and ours.pop("revealed")
    return printed, ours


@row("arena audit")
def audit(case: Case) -> Answers:
    home = _arena(case)
    wrong = f"1:{'0' * 64}"
    printed = case.ask("arena", "audit", home)
    refused = case.ask("arena", "audit", home, "--receipt", wrong, code=1)
    with Arena.open(home) as arena:
        return (printed, refused), (to_json(arena.audit()), to_json(arena.audit([wrong])))


@row("arena export")
def export(case: Case) -> Answers:
    home = _arena(case)
    case.run("arena", "export", home, "-o", case.folder / "one")
    with Arena.open(home) as arena:
        arena.export(case.folder / "two")
    found = [
        {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.*")}
        for out in (case.folder / "one", case.folder / "two")
    ]
    assert found[0]
    return found[0], found[1]


@row("submit")
def submit(case: Case) -> Answers:
    pytest.importorskip("starlette", reason="starlette is not installed")
    home = _arena(case)
    with Arena.open(home) as arena, served(arena) as address:
        token = arena.accept(arena.invite("participant", "Three", OPERATOR), "somebody")
        rows = arena.task("made").documents
        scores = case.folder / "my.scores"
        rw.data.write_scores(np.arange(rows, dtype=float), scores)
        case.patch.setenv("RANKWISE_TOKEN", token)
        words = ("--title", "Mine", "--parameter", "depth=3", "--training-seconds", 2)
        printed = case.ask("submit", address, "made", scores, *words)
        declaration = Declaration("Mine", parameters={"depth": "3"}, cost=rw.arena.Cost(2.0))
        submission = Submission(rw.arena.read_files([scores]), declaration)
        ours = send_submission(address, "made", submission, token=token)
    assert printed.pop("new") and not ours.new
    return printed, {name: one for name, one in to_json(ours).items() if name != "new"}
