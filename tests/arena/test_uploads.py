"""Uploads: every layout, every damage, bombs, and names that would like to be paths."""

from __future__ import annotations

import bz2
import gzip
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import zstandard

from rankwise.arena.arena import Arena
from rankwise.arena.hidden_data import name_fold_files
from rankwise.arena.participation import (
    Account,
    ArenaError,
    BadUpload,
    Declaration,
    Submission,
    TooLarge,
)
from rankwise.arena.sandbox import LimitedProcess
from tests.arena.conftest import BACKENDS, MakeArena
from tests.arena.playing import join, lines, noise


@pytest.fixture(scope="module", params=BACKENDS)
def arena(request: pytest.FixtureRequest, make_arena: MakeArena) -> Arena:
    return make_arena(request.param, largest_upload=1 << 20)


@pytest.fixture
def account(arena: Arena) -> Account:
    return join(arena)


def send(arena: Arena, account: Account, content: bytes, name: str = "a", layout: str = "scores"):  # type: ignore[no-untyped-def]
    submission = Submission({name: content}, Declaration("t"), layout=layout)  # type: ignore[arg-type]
    return arena.submit(account, "made", submission)


def make_run(arena: Arena, scores: np.ndarray, skip: int = 0) -> bytes:
    hidden = arena.open_hidden("made")
    text = []
    for number, query in enumerate(hidden.query_ids):
        begin, end = hidden.query_offsets[number : number + 2]
        for row in range(begin, end - skip):
            text.append(f"{query} Q0 {hidden.document_ids[row]} 1 {float(scores[row])!r} me\n")
    return "".join(text).encode()


def test_compressed_scores_and_a_run_are_the_same_entry(arena: Arena, account: Account) -> None:
    scores = noise(arena, 1)
    plain = lines(scores)
    first = send(arena, account, plain)
    for content in (gzip.compress(plain), bz2.compress(plain), zstandard.compress(plain)):
        assert send(arena, account, content).id == first.id
    assert send(arena, account, make_run(arena, scores), layout="run").id == first.id
    assert send(arena, account, plain.replace(b"\n", b"\r\n")).id == first.id


def test_a_run_may_leave_documents_out(arena: Arena, account: Account) -> None:
    whole = send(arena, account, make_run(arena, noise(arena, 2)), layout="run")
    part = send(arena, account, make_run(arena, noise(arena, 2), skip=3), layout="run")
    assert part.id != whole.id
    assert arena.audit().problems == ()


def test_names_of_files_are_never_paths(arena: Arena, account: Account, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    for number, name in enumerate(
        (f"../../../../../..{victim}", str(victim), "..", "a/../../b", "nul\x00name", "-rf", "")
    ):
        assert send(arena, account, lines(noise(arena, 10 + number)), name).new
    assert not victim.exists()


WRONG_SCORES = {
    "empty": b"",
    "nothing": b"\n",
    "text": b"score\n",
    "not a number": b"nan\n",
    "infinite": b"inf\n",
    "two numbers": b"1 2\n",
    "control": b"\x1b[31m\n",
    "markup": b"<script>alert(1)</script>\n",
    "no text": bytes(range(256)),
    "cut compression": gzip.compress(b"1\n" * 1000)[:-9],
    "pickle": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\n",
}


@pytest.mark.parametrize("content", WRONG_SCORES.values(), ids=WRONG_SCORES)
def test_wrong_scores_are_told_by_their_place(
    arena: Arena, account: Account, content: bytes
) -> None:
    rest = b"1\n" * (arena.task("made").documents - 1)
    compressed = content.startswith((b"\x1f\x8b", b"\x80"))
    with pytest.raises(BadUpload) as caught:
        send(arena, account, content if compressed or not content else content + rest)
    said = str(caught.value)
    assert "Fold1" in said and "\x1b" not in said
    assert "/tmp" not in said and "nan=" not in said
    assert arena.quota(account, "made").used == 0


def test_wrong_runs_are_told_by_query_and_document(arena: Arena, account: Account) -> None:
    good = make_run(arena, noise(arena, 3))
    first = good.split(b"\n")[0]
    query, document = (word.decode() for word in (first.split()[0], first.split()[2]))
    cases = {
        good + first + b"\n": "must occur once in query",
        good.replace(f" {document} ".encode(), b" other ", 1): "'other'",
        good.replace(f"{query} Q0".encode(), b"other Q0"): "query 'other'",
        b"\n".join(good.split(b"\n")[:3]) + b"\n": "every query of the test part",
        good.replace(first.split()[4], b"high", 1): "run:1: ",
        good.replace(first.split()[4], b"inf", 1): "finite",
        b"1 2 3\n": "run:1: expected 6 columns",
    }
    for content, expected in cases.items():
        with pytest.raises(BadUpload, match="run") as caught:
            send(arena, account, content, layout="run")
        assert expected in str(caught.value)


def test_too_many_bytes_are_refused_before_they_are_read(arena: Arena, account: Account) -> None:
    with pytest.raises(TooLarge, match="at most 1048576 bytes, found 1048577"):
        send(arena, account, b"1" * ((1 << 20) + 1))


def test_bombs_are_defused(arena: Arena, account: Account) -> None:
    content = bytes(1 << 25)
    for bomb in (gzip.compress(content, 1), zstandard.compress(content)):
        assert len(bomb) < 1 << 20
        with pytest.raises(BadUpload):
            send(arena, account, bomb)
    assert send(arena, account, lines(noise(arena, 30))).new


def test_files_must_be_of_the_folds() -> None:
    assert name_fold_files(["x"], [3]) == {3: "x"}
    assert name_fold_files(["b/Fold2/Fold1.txt", "fold_02"], [1, 2]) == {
        1: "b/Fold2/Fold1.txt",
        2: "fold_02",
    }
    for names in (
        ["a", "b"],
        ["Fold1", "Fold1"],
        ["Fold1"],
        ["Fold1", "Fold3"],
        ["Fold1", "fold1"],
    ):
        with pytest.raises(BadUpload):
            name_fold_files(names, [1, 2])


def test_a_submission_has_files_of_one_layout(arena: Arena, account: Account) -> None:
    for files, layout in (
        ({}, "scores"),
        ({"a": b"1", "b": b"2"}, "run"),
        ({"a": b"1"}, "pickle"),
        ({"a": b"1", "b": b"2"}, "scores"),
    ):
        with pytest.raises(BadUpload):
            arena.submit(account, "made", Submission(files, Declaration("t"), layout=layout))  # type: ignore[arg-type]


def test_the_script_of_the_package_agrees_with_the_arena(
    sqlite_arena: Arena, tmp_path: Path
) -> None:
    arena, account = sqlite_arena, join(sqlite_arena)
    with zipfile.ZipFile(arena.package("made")) as archive:
        archive.extractall(tmp_path)
    rows = arena.task("made").documents
    good = lines(noise(arena, 40))
    cases = [
        (good, "scores"),
        (gzip.compress(good), "scores"),
        (b"1\n" * (rows - 1), "scores"),
        (b"1\n" * (rows + 1), "scores"),
        (b"x\n" + b"1\n" * (rows - 1), "scores"),
        (b"inf\n" + b"1\n" * (rows - 1), "scores"),
        (b"1_0\n" + b"1\n" * (rows - 1), "scores"),
        (make_run(arena, noise(arena, 41)), "run"),
        (make_run(arena, noise(arena, 42))[:-40], "run"),
        (make_run(arena, noise(arena, 43)) * 2, "run"),
        (b"1 2 3\n", "run"),
    ]
    script = tmp_path / "made" / "check_submission.py"
    for number, (content, layout) in enumerate(cases):
        path = tmp_path / f"file{number}"
        path.write_bytes(content)
        words = ["--run"] if layout == "run" else []
        done = subprocess.run(
            [sys.executable, "-I", str(script), *words, str(path)],
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        try:
            send(arena, account, content, layout=layout)
            taken = True
        except ArenaError:
            taken = False
        assert (done.returncode == 0) == taken, (number, done.stdout)
        assert taken == (done.stdout == "ready to be uploaded\n"), done.stderr


@pytest.mark.parametrize(
    ("defect", "said"),
    [
        ("while True: pass", "1 seconds of processor time"),
        ("bytearray(1 << 33)", "2048 MiB of memory, found that it needs more"),
        ("os.kill(os.getpid(), 9)", "found that it needs more"),
        ("os.write(answers, b'x' * 100)", "found that it needs more"),
    ],
)
def test_a_worker_beyond_its_bounds_is_ended_and_the_next_one_works(
    defect: str, said: str, sqlite_arena: Arena, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A reader with a defect, as an upload might find one."""
    arena = sqlite_arena
    program = tmp_path / "defective.py"
    program.write_text(
        "import os\n"
        "from rankwise.arena import limited_worker\n"
        "answers = 4\n"
        "def run(frame):\n"
        f"    {defect}\n"
        "limited_worker.JOBS['read'] = run\n"
        "limited_worker.main()\n"
    )
    process = LimitedProcess(memory=1 << 31, seconds=1)
    shape = arena._evaluator._shape(arena.task("made"))
    (tmp_path / "Fold1").write_bytes(lines(noise(arena, 1)))
    facts = {"job": "read", "task": "made", "folder": str(tmp_path), "layout": "scores"}
    with monkeypatch.context() as patch:
        patch.setattr("rankwise.arena.sandbox.WORKER", [str(program)])
        with pytest.raises(TooLarge, match=said):
            process.ask(facts, (), lambda: (shape, ()))
    process._end()
    # The worker that follows has all the time that a slow machine needs.
    process.seconds = 600
    answer = process.ask(facts, (), lambda: (shape, ()))
    assert len(answer.blobs[0]) == 8 * arena.task("made").documents
    process.close()
