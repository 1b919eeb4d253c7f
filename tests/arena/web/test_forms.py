"""Forms: invitations, sessions, submissions by page; and what forged ones get."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from rankwise.arena import OPERATOR, WebSettings, make_application
from rankwise.arena.web.request_context import is_marked, mark_forms

from .conftest import HOSTILE, TASK, Made, find_mark, sign_in

SUBMIT = f"/tasks/{TASK}/submit"


def send(client: TestClient, scores: bytes, mark: str | None = None, **fields: str) -> Any:
    page = client.get(SUBMIT).text
    given = {"form_mark": find_mark(page) if mark is None else mark, "title": "Mine", **fields}
    return client.post(SUBMIT, data=given, files=[("file", ("Fold1.scores", scores))])


def test_an_invitation_is_accepted_once(client: TestClient, made: Made) -> None:
    token = made.arena.invite("participant", "Fresh", OPERATOR)
    path = f"/invitations/{token}"
    page = client.get(path)
    assert "Fresh" in page.text and client.get(path).status_code == 200, "looking spends nothing"
    data = {"form_mark": find_mark(page.text), "name": "Ada"}
    welcome = client.post(path, data=data)
    assert welcome.status_code == 200 and "rwt_" in welcome.text
    cookie = welcome.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie
    assert "Ada, Fresh" in client.get("/").text
    assert client.post(path, data=data).status_code in (401, 403), "a second time"
    with TestClient(client.app) as other:
        assert "Sign in" in other.get(path).text


def test_names_of_people_are_checked(client: TestClient, made: Made) -> None:
    path = f"/invitations/{made.arena.invite('reader', '', OPERATOR)}"
    mark = find_mark(client.get(path).text)
    wrong = client.post(path, data={"form_mark": mark, "name": "x" * 81})
    assert wrong.status_code == 400 and 'role="alert"' in wrong.text
    named = client.post(path, data={"form_mark": mark, "name": HOSTILE[:60]})
    assert named.status_code == 200 and "<script>w" not in named.text


def test_a_submission_by_page(client: TestClient, made: Made) -> None:
    sign_in(client, made.tokens["One"])
    sent = send(
        client, made.scores(1), description="two\r\nlines", parameters="trees = 10\nrate = 0.1",
        training_seconds="12.5", model_bytes="1000", embargo_days="", layout="scores",
    )  # fmt: skip
    assert sent.status_code == 303, sent.text
    page = client.get(sent.headers["location"]).text
    assert "The submission was checked, evaluated and kept." in page and "receipt" in page
    assert "trees" in page and "12 s" in page
    entry = sent.headers["location"].split("/")[-1].split("?")[0]
    assert entry in client.get(f"/tasks/{TASK}/board").text, "who submits sees it at once"
    again = send(client, made.scores(1))
    assert again.headers["location"] == f"/entries/{entry}?just-now=known"
    assert "it cost no quota" in client.get(again.headers["location"]).text


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda lines: lines[:2], "found 2 scores"),
        (lambda lines: [*lines[:6], b"x7", *lines[7:]], "Fold1:7"),
        (lambda lines: [b"nan", *lines[1:]], "Fold1:1"),
        (lambda lines: [], "found 0 scores"),
        (lambda lines: [b"\x1f\x8b\x08 no gzip"], "Fold1"),
    ],
)
def test_a_broken_upload_is_told_where_and_costs_nothing(
    client: TestClient, made: Made, broken: Any, said: str
) -> None:
    scores = b"\n".join(broken(made.scores(1).splitlines()))
    sign_in(client, made.tokens["Two"])
    account = made.arena.authenticate(made.tokens["Two"])
    before = made.arena.quota(account, TASK).used
    answer = send(client, scores, title="Kept <title>", description=HOSTILE)
    assert answer.status_code == 422
    assert said in answer.text and "Kept &lt;title&gt;" in answer.text, "the form keeps its fields"
    assert "<script>window" not in answer.text
    assert made.arena.quota(account, TASK).used == before


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"parameters": "no equals sign"},
        {"training_seconds": "soon"},
        {"model_bytes": "-1"},
        {"embargo_days": "1e9"},
        {"layout": "table"},
    ],
)
def test_fields_are_checked(client: TestClient, made: Made, fields: dict[str, str]) -> None:
    sign_in(client, made.tokens["One"])
    answer = send(client, made.scores(2), **fields)
    assert answer.status_code == 422 and 'role="alert"' in answer.text


def test_forged_forms_are_refused(client: TestClient, made: Made) -> None:
    sign_in(client, made.tokens["One"])
    scores = made.scores(3, noise=5)
    for mark in ("", "x", "0.0", mark_forms("another cookie"), mark_forms(made.tokens["Two"])):
        assert send(client, scores, mark).status_code == 403
    right = find_mark(client.get(SUBMIT).text)
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        answer = client.post(
            SUBMIT, data={"form_mark": right, "title": "x"},
            files=[("file", ("s", scores))], headers=headers,
        )  # fmt: skip
        assert answer.status_code == 403
    assert client.post("/sign-out", data={"form_mark": "x"}).status_code == 403


def test_signing_in_needs_a_right_token(client: TestClient, made: Made) -> None:
    mark = find_mark(client.get("/sign-in").text)
    wrong = client.post("/sign-in", data={"form_mark": mark, "token": "rwt_wrong"})
    assert wrong.status_code == 401 and "set-cookie" not in wrong.headers
    assert client.post("/sign-in", data={"token": made.tokens["One"]}).status_code == 403
    sign_in(client, made.tokens["One"])
    out = client.post("/sign-out", data={"form_mark": find_mark(client.get("/").text)})
    assert out.status_code == 303
    assert client.get(SUBMIT).headers["location"] == "/sign-in"


def test_guessing_tokens_is_slow(made: Made) -> None:
    with TestClient(make_application(made.arena, WebSettings())) as client:
        codes = [
            client.get("/api/account", headers={"authorization": f"Bearer rwt_{n}"}).status_code
            for n in range(15)
        ]
        assert codes[:10] == [401] * 10 and codes[-1] == 429
        right = {"authorization": f"Bearer {made.tokens['One']}"}
        assert client.get("/api/account", headers=right).status_code == 429, "not told apart"


def test_cookies_travel_over_https_only_where_it_is_said(made: Made) -> None:
    settings = WebSettings(secure=True, root_path="/arena")
    with TestClient(make_application(made.arena, settings), base_url="https://a.test") as client:
        answer = client.get("/arena/sign-in")
        assert "Secure" in answer.headers["set-cookie"]
        assert "Path=/arena" in answer.headers["set-cookie"]
        assert "max-age=31536000" in answer.headers["strict-transport-security"]


def test_organisers_invite_by_page(client: TestClient, made: Made) -> None:
    sign_in(client, made.tokens["organiser"])
    page = client.get("/organise").text
    data = {"form_mark": find_mark(page), "role": "participant", "team": HOSTILE[:50]}
    answer = client.post("/organise", data=data)
    assert "http://arena.test/invitations/rwi_" in answer.text
    assert "<script>w" not in answer.text
    data = {**data, "role": "king"}
    assert client.post("/organise", data=data).status_code == 400


def test_marks_belong_to_one_cookie() -> None:
    mark = mark_forms("cookie")
    assert is_marked("cookie", mark) and mark != mark_forms("cookie")
    assert not is_marked("other", mark)
    assert not is_marked("cookie", mark + "0") and not is_marked("cookie", None)
