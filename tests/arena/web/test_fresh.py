"""Answers that are kept: computed once for many, anew when the arena changed, bounded."""

from __future__ import annotations

import asyncio

import pytest

from rankwise.arena.web.request_context import (
    LONGEST_SECONDS,
    MOST_ANSWERS,
    PATIENCE_SECONDS,
    FreshAnswers,
)


class Changing:
    """Something with a revision whose answers take a moment."""

    def __init__(self) -> None:
        self.now = 0.0
        self.revision = 1
        self.computed = 0
        self.looked = 0
        self.answers: FreshAnswers[int] = FreshAnswers(lambda: self.now)

    async def find_revision(self) -> int:
        self.looked += 1
        await asyncio.sleep(0)
        return self.revision

    async def compute(self) -> int:
        self.computed += 1
        seen = self.revision
        await asyncio.sleep(0)
        return seen

    async def ask(self, question: str = "board", patient: bool = True) -> int:
        return await self.answers.ask(question, self.find_revision, self.compute, patient=patient)


async def settle() -> None:
    """Let what runs beside come to its end."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_many_who_ask_have_it_computed_once() -> None:
    async def run() -> None:
        arena = Changing()
        assert await asyncio.gather(*(arena.ask() for _ in range(50))) == [1] * 50
        assert await arena.ask() == 1 and arena.computed == 1 and arena.looked == 1

    asyncio.run(run())


def test_the_patient_wait_for_nothing_while_a_new_answer_is_made() -> None:
    async def run() -> None:
        arena = Changing()
        await arena.ask()
        arena.revision = 2
        assert await arena.ask() == 1, "too soon after the last look"
        await settle()
        assert arena.looked == 1
        arena.now = 2.0
        assert [await arena.ask() for _ in range(5)] == [1] * 5, "made anew meanwhile"
        await settle()
        assert await arena.ask() == 2 and arena.computed == 2 and arena.looked == 2
        arena.revision, arena.now = 3, 2.0 + PATIENCE_SECONDS
        assert await arena.ask() == 3, "what is old is not given out"

    asyncio.run(run())


def test_an_answer_that_is_still_right_is_only_looked_at() -> None:
    async def run() -> None:
        arena = Changing()
        await arena.ask()
        for second in range(1, int(LONGEST_SECONDS)):
            arena.now = float(second)
            assert await arena.ask() == 1
            await settle()
        assert arena.computed == 1
        arena.now = LONGEST_SECONDS + 1
        await arena.ask()
        await settle()
        assert arena.computed == 2, "an embargo may have ended"

    asyncio.run(run())


def test_the_others_get_what_is() -> None:
    async def run() -> None:
        arena = Changing()
        await arena.ask()
        arena.revision = 2
        assert await arena.ask(patient=False) == 2
        slow = asyncio.create_task(arena.ask("slow", patient=False))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        arena.revision = 3
        assert await arena.ask("slow", patient=False) == 3, "what began before the change is old"
        await slow

    asyncio.run(run())


def test_not_all_are_kept() -> None:
    async def run() -> None:
        arena = Changing()
        for number in range(MOST_ANSWERS + 10):
            await arena.ask(str(number))
        assert not arena.answers.has("0") and arena.answers.has(str(MOST_ANSWERS + 9))

    asyncio.run(run())


def test_a_failure_is_told_and_not_kept() -> None:
    async def run() -> None:
        arena = Changing()

        async def fail() -> int:
            raise LookupError

        for patient in (True, False):
            with pytest.raises(LookupError):
                await arena.answers.ask("x", arena.find_revision, fail, patient=patient)
        assert not arena.answers.has("x")

    asyncio.run(run())
