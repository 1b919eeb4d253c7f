"""Pages as a reader without a script gets them."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from rankwise.arena import RequestRate, WebSettings, make_application

from .conftest import HOSTILE, TASK, Made, bearer, sign_in

PAGES = ("/", f"/tasks/{TASK}", f"/tasks/{TASK}/board", f"/entries/{TASK}-1", "/log", "/sign-in")


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole_and_named(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert [answer.text.count(tag) for tag in ("<h1", "<main", "<head>", "</title>\n")] == [1] * 4
    assert "</html>" in answer.text and "None" not in re.sub(r"<[^>]*>", "", answer.text)


def test_the_board_shows_intervals_and_groups_and_no_ranks(client: TestClient, made: Made) -> None:
    page = client.get(f"/tasks/{TASK}/board").text
    board = made.arena.board(TASK)
    assert len(board.rows) >= 3
    for row in board.rows:
        assert f"{row.value:.4f}" in page
        assert f"{row.low:.3f} to {row.high:.3f}" in page
    assert "are not separated by paired t-tests" in page
    assert not re.search(r"<th[^>]*>\s*(#|Rank)\s*</th>", page)
    assert page.count('class="strip') >= len(board.rows)


def test_an_open_board_offers_what_its_rules_list(client: TestClient, made: Made) -> None:
    page = client.get(f"/tasks/{TASK}/board?measure=MAP").text
    rows = made.arena.board(TASK, "MAP").rows
    assert rows and all(f"{row.value:.4f}" in page for row in rows)
    assert re.findall(r'<option value="([^"]*)">', page) == ["NDCG@10", "MAP", "P@5"]
    assert re.findall(r"<option[^>]*>([a-z_0-9]+)</option>", page) == ["definition"]
    assert "values are rounded to steps of 1/15" in page


def test_a_closed_board_shows_any_measure_by_any_tool(revealed: Made) -> None:
    with TestClient(make_application(revealed.arena)) as client:
        page = client.get(f"/tasks/{TASK}/board?measure=MAP&tool=trec_eval").text
    rows = revealed.arena.board(TASK, "MAP", "trec_eval").rows
    assert rows and all(f"{row.value:.4f}" in page for row in rows)
    assert "<option selected>trec_eval</option>" in page and "rounded to steps" not in page


def test_a_revealed_entry_stands_beside_the_interval_of_its_own_half(revealed: Made) -> None:
    """What the Ladder hid has its own values, each beside its half."""
    with TestClient(make_application(revealed.arena)) as client:
        page = client.get(f"/entries/{TASK}-2").text
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", page))
    rows = {
        half: next(one for one in revealed.arena.board(TASK, half=half).rows
                   if one.entry == f"{TASK}-2")
        for half in ("private", "public")
    }  # fmt: skip
    for half, row in rows.items():
        assert facts[f"NDCG@10 (definition), {half} half"] == f"{row.value:.4f}"
    private = rows["private"]
    assert facts["95 % interval"] == f"{private.low:.3f} to {private.high:.3f}"
    assert list(facts)[:2] == ["NDCG@10 (definition), private half", "95 % interval"]


@pytest.mark.parametrize(
    "choice",
    ["measure=NDGC", "tool=nobody", "half=other", "measure=os:system", "measure=" + "9" * 500],
)
def test_a_wrong_choice_is_told_in_the_form(client: TestClient, choice: str) -> None:
    answer = client.get(f"/tasks/{TASK}/board?{choice}")
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text and 'name="measure"' in answer.text


def test_no_module_is_imported_for_a_measure(client: TestClient) -> None:
    import sys

    assert "antigravity" not in sys.modules
    for path in (f"/tasks/{TASK}/board", f"/api/tasks/{TASK}/board"):
        assert client.get(f"{path}?measure=antigravity:geohash").status_code == 400
    assert "antigravity" not in sys.modules


def test_private_figures_are_not_shown_before_the_end(client: TestClient) -> None:
    assert client.get(f"/tasks/{TASK}/board?half=private").status_code in (400, 403)


def test_the_comparison_tells_what_the_test_says(client: TestClient, made: Made) -> None:
    found = made.arena.compare(f"{TASK}-1", f"{TASK}-2")
    page = client.get(f"/compare?first={TASK}-1&second={TASK}-2").text
    assert f"{found.difference:+.4f}" in page
    assert ("do not separate" in page) == (found.p_value >= 0.05)
    classes = {
        0.05: "0.05 or more", 0.01: "0.01 to 0.05", 0.001: "0.001 to 0.01", 0.0: "under 0.001"
    }  # fmt: skip
    assert f"<dd>{classes[found.p_value]}</dd>" in page and "<dd>shown after the end</dd>" in page
    assert "how they spread is shown once the private half is revealed" in page
    ticked = client.get(f"/compare?entry={TASK}-1&entry={TASK}-2&measure=MAP")
    assert ticked.status_code == 200
    assert client.get(f"/compare?entry={TASK}-1").status_code == 400


def test_a_closed_comparison_shows_how_differences_spread(revealed: Made) -> None:
    with TestClient(make_application(revealed.arena)) as client:
        page = client.get(f"/compare?first={TASK}-1&second={TASK}-2&measure=MAP&tool=letor4").text
    assert "the middle half of the queries" in page and 'class="median"' in page


def test_what_is_not_there(client: TestClient) -> None:
    for path in ("/nothing", "/tasks/nothing", "/entries/small-99", "/tasks/nothing/board"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "Traceback" not in answer.text
    assert client.get("/api/tasks/nothing").json()["error"]["code"] == "not-found"


def test_the_package_can_be_downloaded(client: TestClient, made: Made) -> None:
    import hashlib

    answer = client.get(f"/tasks/{TASK}/package")
    checksum = made.arena.task(TASK).package_checksum
    assert hashlib.sha256(answer.content).hexdigest() == checksum
    assert f'filename="{TASK}.zip"' in answer.headers["content-disposition"]


def test_script_in_every_field_stays_text(client: TestClient, made: Made) -> None:
    sign_in(client, made.tokens["organiser"])
    for path in (
        *PAGES,
        f"/entries/{TASK}-3",
        f"/compare?first={TASK}-1&second={TASK}-3",
        "/organise",
    ):
        text = client.get(path).text
        assert "<script>window" not in text and "<img" not in text
        assert 'href="javascript:' not in text
        assert "<b>bold" not in text
    assert "&lt;script&gt;" in client.get(f"/entries/{TASK}-3").text
    assert HOSTILE not in client.get(f"/tasks/{TASK}/board").text


def test_the_log_shows_payloads_to_organisers_only(client: TestClient, made: Made) -> None:
    assert "Facts" not in client.get("/log").text
    events = client.get("/api/log").json()["events"]
    assert events and all(one["payload"] == "" for one in events)
    told = client.get("/api/log", headers=bearer(made.tokens["organiser"])).json()["events"]
    assert any(one["payload"] for one in told)


def test_readers_are_not_all_alike(client: TestClient, made: Made) -> None:
    sign_in(client, made.tokens["One"])
    page = client.get(f"/tasks/{TASK}").text
    assert "Your entries" in page and "One has made" in page
    assert client.get("/organise").status_code == 403


def test_a_page_that_a_browser_has_is_not_sent_again(client: TestClient) -> None:
    first = client.get(f"/tasks/{TASK}/board")
    again = client.get(f"/tasks/{TASK}/board", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_below_a_path_every_link_is_there_too(made: Made) -> None:
    application = make_application(made.arena, WebSettings(root_path="/arena"))
    with TestClient(application) as client:
        for prefix in ("/arena", ""):
            page = client.get(f"{prefix}/tasks/{TASK}/board").text
            addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
            assert addresses and all(one.startswith("/arena/") for one in addresses)
        assert client.get("/arena").status_code == 200


def test_too_many_requests_are_told_when_to_come_back(made: Made) -> None:
    rates = WebSettings(reading=RequestRate(3, 0.001))
    with TestClient(make_application(made.arena, rates)) as client:
        answers = [client.get("/") for _ in range(4)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
