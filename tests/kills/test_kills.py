"""Nothing is lost, doubled or left behind by commands that are killed: a few, and 200."""

from __future__ import annotations

import sys

import pytest

from tests.kills.killing import format_table, kill_all

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def test_a_few_kills_lose_and_leave_nothing() -> None:
    found = kill_all(6, 1, ["data convert", "data split", "results gc"])
    assert [problem for one in found for problem in one.problems] == []
    assert sum(one.kills for one in found) >= 6


@pytest.mark.slow
def test_two_hundred_kills_lose_and_leave_nothing() -> None:
    found = kill_all(200, 7)
    print(format_table(found))
    assert [problem for one in found for problem in one.problems] == []
    assert sum(one.kills for one in found) == 200
