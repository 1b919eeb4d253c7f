"""The HTTP API: shapes as the dataclasses have them, errors with a code and a sentence."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from rankwise.arena import OPERATOR, make_application, to_json

from .conftest import TASK, Made, bearer, sign_in

ENTRIES = f"/api/tasks/{TASK}/entries"


def plain(value: Any) -> Any:
    return json.loads(json.dumps(to_json(value)))


def send(client: TestClient, token: str, scores: bytes, **more: Any) -> Any:
    fields = {"declaration": json.dumps({"title": "By API"}), **more}
    return client.post(
        ENTRIES, data=fields, files=[("file", ("Fold1.scores", scores))], headers=bearer(token)
    )


def test_answers_are_the_arena_s_own(client: TestClient, made: Made) -> None:
    arena = made.arena
    expected = {
        "/api/tasks": {"tasks": arena.tasks()},
        f"/api/tasks/{TASK}": arena.task(TASK),
        f"/api/tasks/{TASK}/board?measure=MAP": arena.board(TASK, "MAP"),
        f"/api/tasks/{TASK}/history": {"history": arena.history(TASK)},
        f"/api/tasks/{TASK}/usage": arena.usage(TASK),
        f"/api/entries/{TASK}-1": arena.entry(f"{TASK}-1"),
        f"/api/compare?first={TASK}-1&second={TASK}-2": arena.compare(f"{TASK}-1", f"{TASK}-2"),
        "/api/standings": {"standings": arena.standings()},
        "/api/log?after=2&limit=3": {"events": arena.events(after=2, limit=3)},
    }
    for path, value in expected.items():
        assert client.get(path).json() == plain(value), path


@pytest.mark.parametrize(
    "choice", ["measure=DCG(gain=2=1000,average=sum)@1", "measure=NDCG@9", "tool=letor4"]
)
def test_while_a_task_is_open_no_way_leads_to_what_its_rules_do_not_list(
    client: TestClient, made: Made, choice: str
) -> None:
    pair = f"first={TASK}-1&second={TASK}-2"
    paths = ("board", "board.csv")
    api = [
        *(f"/api/tasks/{TASK}/{path}?{choice}" for path in paths),
        f"/api/compare?{pair}&{choice}",
    ]
    for headers in ({}, bearer(made.tokens["One"]), bearer(made.tokens["organiser"])):
        for path in api:
            answer = client.get(path, headers=headers)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
            assert "while small is open" in answer.json()["error"]["message"]
        for path in (f"/tasks/{TASK}/board?{choice}", f"/compare?{pair}&{choice}"):
            answer = client.get(path, headers=headers)
            assert answer.status_code == 403 and "while small is open" in answer.text


def test_what_the_ladder_hid_has_its_own_value_once_it_is_revealed(revealed: Made) -> None:
    with TestClient(make_application(revealed.arena)) as client:
        found = client.get(f"/api/entries/{TASK}-2").json()
        board = client.get(f"/api/tasks/{TASK}/board?half=public").json()
        (row,) = (one for one in board["rows"] if one["entry"] == f"{TASK}-2")
        assert found["shown"] and found["value"] == row["value"]
        assert client.get(f"/api/tasks/{TASK}/board?measure=MAP&tool=letor4").status_code == 200


def test_the_board_as_csv(client: TestClient, made: Made) -> None:
    text = client.get(f"/api/tasks/{TASK}/board.csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    entries = [row.entry for row in made.arena.board(TASK).rows]
    assert len(entries) >= 3 and [row["entry"] for row in rows] == entries


def test_a_submission_is_taken_once(client: TestClient, made: Made) -> None:
    scores = made.scores(5, noise=1)
    first, again = (send(client, made.tokens["One"], scores) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert first.json()["new"] and not again.json()["new"]
    mine = client.get(ENTRIES, headers=bearer(made.tokens["One"])).json()["entries"]
    assert first.json()["id"] in {one["id"] for one in mine}
    other = send(client, made.tokens["Two"], made.scores(5, noise=2))
    assert other.json()["team"] == "Two"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"declaration": "{"}, 400, "bad-request"),
        ({"declaration": "[]"}, 400, "bad-request"),
        ({"declaration": "[" * 100_000}, 400, "bad-request"),
        ({"declaration": '{"title": "x", "other": 1}'}, 400, "bad-request"),
        ({"layout": "x"}, 400, "bad-request"),
        ({"embargo_days": "99999"}, 400, "bad-request"),
    ],
)
def test_wrong_fields_have_a_code(
    client: TestClient, made: Made, change: dict[str, str], status: int, code: str
) -> None:
    answer = send(client, made.tokens["One"], made.scores(1), **change)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["message"]


def test_who_may_do_what(client: TestClient, made: Made) -> None:
    scores = made.scores(7)
    assert send(client, "rwt_forged", scores).json()["error"]["code"] == "unauthorized"
    assert send(client, made.tokens["reader"], scores).status_code == 403
    for path in (ENTRIES, f"/api/tasks/{TASK}/quota", "/api/account"):
        assert client.get(path).status_code == 401
    duplicates = f"/api/tasks/{TASK}/near-duplicates"
    assert client.get(duplicates, headers=bearer(made.tokens["One"])).status_code == 403
    assert client.get(duplicates, headers=bearer(made.tokens["organiser"])).status_code == 200
    reveal = client.post(f"/api/tasks/{TASK}/reveal", headers=bearer(made.tokens["One"]))
    assert reveal.status_code == 403
    who = client.get("/api/account", headers=bearer(made.tokens["One"])).json()
    assert (who["team"], who["role"]) == ("One", "participant")


def test_a_cookie_alone_changes_nothing_by_api(client: TestClient, made: Made) -> None:
    """A page of another site could have a browser send it."""
    sign_in(client, made.tokens["organiser"])
    for path, content in (
        (ENTRIES, None),
        ("/api/invitations", {"role": "organiser", "team": ""}),
        (f"/api/tasks/{TASK}/reveal", None),
    ):
        assert client.post(path, json=content).status_code == 401
    assert made.arena.task(TASK).open


def test_joining_by_api(client: TestClient, made: Made) -> None:
    asked = {"role": "participant", "team": "By API"}
    made_it = client.post("/api/invitations", json=asked, headers=bearer(made.tokens["organiser"]))
    invitation = made_it.json()["invitation"]
    joined = client.post("/api/accounts", json={"invitation": invitation, "name": "Bo"})
    assert joined.status_code == 201
    who = client.get("/api/account", headers=bearer(joined.json()["token"])).json()
    assert who["name"] == "Bo"
    again = client.post("/api/accounts", json={"invitation": invitation, "name": "Bo"})
    assert again.status_code == 401
    for wrong in (b"", b"[1]", b'{"invitation": 3}', b"x" * 70_000, b"\xff\xfe"):
        assert client.post("/api/accounts", content=wrong).status_code in (400, 401, 413)


def test_an_arena_that_is_not_public_needs_a_token(tmp_path: Any) -> None:
    from rankwise.arena import Arena, make_application
    from rankwise.arena.task_creation import create_arena

    with Arena.open(create_arena(tmp_path / "closed", public=False)) as arena:
        token = arena.accept(arena.invite("reader", "", OPERATOR), "R")
        client = TestClient(make_application(arena), follow_redirects=False)
        assert client.get("/api/tasks").status_code == 401
        assert client.get("/").headers["location"] == "/sign-in"
        assert client.get("/api/tasks", headers=bearer(token)).json() == {"tasks": []}
        sign_in(client, token)
        assert "no task yet" in client.get("/").text
