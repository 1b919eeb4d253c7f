"""Headers, bounds on bodies, paths that lead out, defects that tell nothing."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from rankwise.arena import (
    BadUpload,
    Declaration,
    Listening,
    RequestRate,
    Submission,
    WebSettings,
    make_application,
)
from rankwise.arena.web import serving
from rankwise.arena.web.addresses import SiteLinks
from rankwise.arena.web.application import make_guarded
from rankwise.arena.web.html_rendering import FailureTeller, Site
from rankwise.arena.web.request_context import Desk, find_address
from rankwise.arena.web.security import MOST_REMEMBERED, RateLimiter

from .conftest import TASK, Made, bearer

SECRET = "label 2 of query 17"


def guarded(**settings: Any) -> Any:
    async def fail(request: Request) -> Response:
        raise ZeroDivisionError(SECRET)

    async def echo(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    routes = [
        Route("/fail", fail),
        Route("/api/fail", fail),
        Route("/echo", echo, methods=["POST"]),
    ]
    return make_guarded(routes, WebSettings(**settings), FailureTeller(SiteLinks(), "Title"))


@pytest.mark.parametrize("path", ["/", "/nothing", "/static/arena.css", "/api/tasks", "/health"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_no_page_has_a_script_or_a_style_of_its_own(client: TestClient) -> None:
    for path in ("/", f"/tasks/{TASK}/board", f"/entries/{TASK}-1"):
        text = client.get(path).text
        assert text.count("<script") == 1 and '<script src="/static/arena.js" defer>' in text
        assert " style=" not in text and " onclick" not in text and "<style" not in text


def test_what_depends_on_the_reader_is_not_kept(client: TestClient, made: Made) -> None:
    assert client.get("/").headers["cache-control"] == "no-store"
    signed = client.get(f"/tasks/{TASK}/board", headers=bearer(made.tokens["One"]))
    assert signed.headers["cache-control"] == "no-store"
    assert "Cookie" in client.get(f"/tasks/{TASK}/board").headers["vary"]


def test_a_defect_tells_nothing_and_still_has_the_headers() -> None:
    with TestClient(guarded(), raise_server_exceptions=False) as client:
        for path in ("/fail", "/api/fail"):
            answer = client.get(path)
            assert answer.status_code == 500 and SECRET not in answer.text
            assert "ZeroDivision" not in answer.text and "Traceback" not in answer.text
            assert "content-security-policy" in answer.headers
        assert client.get("/api/fail").json()["error"]["code"] == "defect"


def test_bodies_are_bounded_whether_declared_or_not() -> None:
    most = 1000 + 64 * 1024
    with TestClient(guarded(largest_upload=1000)) as client:
        assert client.post("/echo", content=b"x" * most).text == str(most)
        assert client.post("/echo", content=b"x" * (most + 1)).status_code == 413

        def pieces() -> Iterator[bytes]:
            for _ in range(most // 500 + 2):
                yield b"x" * 500

        assert client.post("/echo", content=pieces()).status_code == 413
        wrong = client.post("/echo", content=b"x", headers={"content-length": "-5"})
        assert wrong.status_code in (400, 413)


def test_a_body_that_never_ends_is_not_waited_for() -> None:
    """The clock of the server decides, and the test waits for no longer than it says."""
    application = guarded(upload_seconds=0.05)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if not sent:
            await asyncio.sleep(0)
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/echo", "raw_path": b"/echo", "headers": [],
        "query_string": b"", "http_version": "1.1", "scheme": "http", "root_path": "",
        "server": ("a", 80), "client": ("b", 1),
    }  # fmt: skip
    asyncio.run(application(scope, receive, send))
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py", "/static/..%2f..%2fservice.py", "/static/%2e%2e/desk.py",
        "/static//etc/passwd", "/tasks/..%2f..%2fetc/package", "/tasks/%2e%2e/package",
        f"/tasks/{TASK}%00/package", "/entries/..%2f..", "/api/tasks/..%2f/package",
    ],
)  # fmt: skip
def test_no_path_leads_out(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (307, 400, 404)
    assert "import" not in answer.text and "root:" not in answer.text


def test_file_names_are_only_names(client: TestClient, made: Made) -> None:
    scores = made.scores(8)
    answer = client.post(
        f"/api/tasks/{TASK}/entries", data={"declaration": '{"title": "x"}'},
        files=[("file", ("../../../../tmp/Fold1.scores", scores))],
        headers=bearer(made.tokens["Two"]),
    )  # fmt: skip
    assert answer.status_code in (200, 201)
    twice = [("file", ("a/Fold1.scores", scores)), ("file", ("b/Fold1.scores", scores))]
    answer = client.post(
        f"/api/tasks/{TASK}/entries", data={"declaration": '{"title": "x"}'}, files=twice,
        headers=bearer(made.tokens["Two"]),
    )  # fmt: skip
    assert answer.status_code == 400 and "twice" in answer.json()["error"]["message"]


def test_too_many_parts_are_refused(client: TestClient, made: Made) -> None:
    files = [("file", (f"{n}.scores", b"1\n")) for n in range(70)]
    answer = client.post(
        f"/api/tasks/{TASK}/entries", files=files, headers=bearer(made.tokens["One"])
    )
    assert answer.status_code == 400
    fields = {f"f{n}": "x" for n in range(70)}
    answer = client.post(
        f"/api/tasks/{TASK}/entries", data=fields, files=files[:1],
        headers=bearer(made.tokens["One"]),
    )  # fmt: skip
    assert answer.status_code == 400


def test_submissions_of_one_account_are_limited(made: Made) -> None:
    settings = WebSettings(submitting=RequestRate(2, 0.001))
    with TestClient(make_application(made.arena, settings)) as client:
        codes = [
            client.post(f"/api/tasks/{TASK}/entries", headers=bearer(made.tokens["One"])).json()[
                "error"
            ]["code"]
            for _ in range(3)
        ]
    assert codes == ["bad-request", "bad-request", "rate"]


def test_more_than_may_wait_are_asked_to_come_back(made: Made) -> None:
    """One is evaluated, one waits; files are read when the turn comes, not before."""
    desk = Desk(Site(made.arena), WebSettings(evaluations=1, waiting=2))
    account = made.arena.authenticate(made.tokens["One"])
    go, read = threading.Event(), []

    def read_slowly() -> Submission:
        read.append(threading.get_ident())
        go.wait(600)
        return Submission({"Fold1": b"1\n"}, Declaration("x"))

    async def run() -> None:
        tasks = [asyncio.create_task(desk.submit(account, TASK, read_slowly)) for _ in range(2)]
        while not read:
            await asyncio.sleep(0.001)
        with pytest.raises(HTTPException, match="are waiting") as refused:
            await desk.submit(account, TASK, read_slowly)
        assert refused.value.status_code == 503 and len(read) == 1
        go.set()
        for task in tasks:
            with pytest.raises(BadUpload):
                await task
        assert len(read) == 2

    asyncio.run(run())


def test_buckets_fill_again_and_are_bounded() -> None:
    now = [0.0]
    limiter = RateLimiter(lambda: now[0])
    rate = RequestRate(2, 0.5)
    waits = [limiter.seconds_to_wait("k", "a", rate) for _ in range(3)]
    assert waits == [0.0, 0.0, 2.0]
    assert limiter.seconds_to_wait("k", "b", rate) == limiter.seconds_to_wait("l", "a", rate) == 0
    now[0] = 2.0
    assert limiter.seconds_to_wait("k", "a", rate) == 0.0
    for n in range(MOST_REMEMBERED + 10):
        limiter.seconds_to_wait("k", str(n), rate)
    assert len(limiter._buckets) == MOST_REMEMBERED


@pytest.mark.parametrize(
    ("host", "who"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("testclient", "testclient"),
    ],
)
def test_addresses_of_one_network_are_one_asker(host: str, who: str) -> None:
    assert find_address(Request({"type": "http", "client": (host, 1)})) == who


def test_forwarded_headers_mean_something_from_the_proxy_only(made: Made) -> None:
    """Over a real socket, as uvicorn looks at them."""
    seen = {}
    for proxies in ((), ("127.0.0.1",)):
        seen[proxies] = ask_whom_the_server_sees(proxies)
    assert seen[()] == "127.0.0.1 http"
    assert seen[("127.0.0.1",)] == "203.0.113.9 https"


def ask_whom_the_server_sees(proxies: tuple[str, ...]) -> str:
    async def tell(request: Request) -> Response:
        assert request.client is not None
        return PlainTextResponse(f"{request.client.host} {request.url.scheme}")

    application = make_guarded([Route("/", tell)], WebSettings(), FailureTeller(SiteLinks(), "T"))
    servers: list[Any] = []
    ready, origins = threading.Event(), []

    def told(origin: str) -> None:
        origins.append(origin)
        ready.set()

    thread = threading.Thread(
        target=serving.run_server,
        args=(application, Listening(port=0, proxies=proxies), told),
        kwargs={"started": servers.append},
    )
    thread.start()
    assert ready.wait(600)
    port = int(origins[0].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(
            b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\n\r\n"
        )
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    servers[0].should_exit = True
    thread.join(600)
    return answer.partition(b"\r\n\r\n")[2].decode()
