"""`rankwise submit`, against the arena's own server and against servers that are none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from rankwise.arena.arena import Arena
from rankwise.arena.client import read_files, send_submission
from rankwise.arena.participation import OPERATOR, Cost, Declaration, Submission
from rankwise.errors import RankwiseError
from tests.arena.conftest import MakeArena
from tests.arena.playing import lines, noise
from tests.arena.serving import served


@pytest.fixture(scope="module")
def arena(make_arena: MakeArena) -> Arena:
    return make_arena(daily_limit=2)


@pytest.fixture(scope="module")
def address(arena: Arena) -> Iterator[str]:
    with served(arena) as found:
        yield found


@pytest.fixture(scope="module")
def token(arena: Arena) -> str:
    return arena.accept(arena.invite("participant", "Senders", OPERATOR), "sender")


def test_what_is_sent_is_the_entry(arena: Arena, address: str, token: str) -> None:
    said = Declaration(
        "Ünïcode <b>", "two\nlines", parameters={"depth": "3"}, cost=Cost(1.5, None, 7, "cpu")
    )
    submission = Submission({'odd"\r\nname': lines(noise(arena, 1))}, said)
    entry = send_submission(address, "made", submission, token=token)
    assert entry.new and entry.declaration == said and entry.team == "Senders"
    kept = arena.entry(entry.id, OPERATOR)
    assert (kept.declaration, kept.receipt, kept.value) == (said, entry.receipt, entry.value)
    again = send_submission(address + "/", "made", submission, token=f" {token}\n")
    assert again.id == entry.id and not again.new
    hidden = Submission({"a": lines(noise(arena, 2))}, said, alias="Shy", embargo_days=3)
    assert send_submission(address, "made", hidden, token=token).embargo_until is not None


def test_what_the_arena_refuses_is_its_own_sentence(arena: Arena, address: str, token: str) -> None:
    def refused(content: bytes, task: str = "made", by: str = token) -> str:
        with pytest.raises(RankwiseError) as caught:
            submission = Submission({"Fold1": content}, Declaration("t"))
            send_submission(address, task, submission, token=by)
        return str(caught.value)

    rows = arena.task("made").documents
    wrong = b"1\n" * (rows - 1) + b"one\n"
    assert refused(wrong) == f"Fold1:{rows}: expected one score, a number, found 'one'"
    assert "there must be a task 'other'" in refused(b"1\n", "other")
    assert refused(b"1\n", "../made")
    assert "a token must be one that the arena gave" in refused(b"1\n", by="rwt_forged")


def test_a_token_travels_encrypted_or_not_at_all() -> None:
    nothing = Submission({"a": b"1"}, Declaration("t"))
    for address in (
        "http://arena.example.org",
        "ftp://x",
        "arena.example.org",
        "https://",
        "file:///",
    ):
        with pytest.raises(RankwiseError):
            send_submission(address, "made", nothing, token="rwt_secret")


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """A server that answers everything alike, and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(f"{self.path} {self.headers['Authorization']}")
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *words: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(600)


def test_a_token_follows_no_redirect() -> None:
    nothing = Submission({"a": b"1"}, Declaration("t"))
    with answering(200, b"{}") as (elsewhere, stolen):
        for status in (301, 302, 303, 307, 308):
            with (
                answering(status, b"", Location=f"{elsewhere}/x") as (address, _),
                pytest.raises(RankwiseError, match=str(status)),
            ):
                send_submission(address, "made", nothing, token="rwt_secret")
    assert stolen == []


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>"),
        (200, b"{}"),
        (200, b"[]"),
        (201, b'{"value": "x"}'),
        (500, b"oh"),
        (502, b"{}"),
    ],
)
def test_answers_of_no_arena_are_one_sentence(status: int, body: bytes) -> None:
    nothing = Submission({"a": b"1"}, Declaration("t"))
    with answering(status, body) as (address, asked), pytest.raises(RankwiseError, match="must"):
        send_submission(address, "a task/../x", nothing, token="t")
    assert asked == ["/api/tasks/a%20task%2F..%2Fx/entries Bearer t"]


def test_nobody_there_is_one_sentence() -> None:
    nothing = Submission({"a": b"1"}, Declaration("t"))
    with pytest.raises(RankwiseError, match="may be given again"):
        send_submission("http://127.0.0.1:9", "made", nothing, token="t")


def test_files_of_one_name_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    for fold in ("Fold1", "Fold2"):
        (tmp_path / fold).mkdir()
        (tmp_path / fold / "my.scores").write_text(fold)
    found = read_files([tmp_path / "Fold1" / "my.scores", tmp_path / "Fold2" / "my.scores"])
    assert found == {"Fold1-my.scores": b"Fold1", "Fold2-my.scores": b"Fold2"}
