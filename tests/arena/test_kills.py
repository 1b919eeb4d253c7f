"""Kill -9 of a process that takes submissions: what it acknowledged is there, the log audits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.arena.arena import Arena
from tests.arena.conftest import BACKENDS, MakeArena

PROGRAM = """
import sys
from rankwise.arena.arena import Arena
from tests.arena.playing import join, noise, submit

with Arena.open(sys.argv[1]) as arena:
    account = join(arena)
    for seed in range(1000):
        entry = submit(arena, account, noise(arena, 1000 * int(sys.argv[2]) + seed))
        print(entry.id, entry.receipt, flush=True)
"""
ROUNDS = 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_was_acknowledged_survives(backend: str, make_arena: MakeArena) -> None:
    arena = make_arena(backend, daily_limit=1000)
    acknowledged: list[tuple[str, str]] = []
    for number in range(ROUNDS):
        writer = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(arena.settings.folder), str(number)],
            stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert writer.stdout is not None
        for _ in range(2 + number):
            entry, receipt = writer.stdout.readline().split()
            acknowledged.append((entry, receipt))
        # It goes on at once: the next submission is under way when this comes.
        writer.kill()
        acknowledged += [
            (words[0], words[1])
            for words in map(str.split, writer.stdout)
            if len(words) == 2 and len(words[1]) > 64
        ]
        writer.wait()
        writer.stdout.close()
    with Arena.open(arena.settings) as again:
        for entry, receipt in acknowledged:
            assert again.entry(entry).receipt == receipt
        found = again.audit([receipt for _, receipt in acknowledged])
    assert found.problems == () and found.entries >= len(acknowledged)
