"""Answers that are kept: computed once for many, anew when the arena changed, bounded."""

from __future__ import annotations

import asyncio

import pytest

from rankwise.arena.web.fresh import KEPT, LONGEST_SECONDS, FreshAnswers


class Arena:
    """Something with a revision whose answers take a moment."""

    def __init__(self) -> None:
        self.now = 0.0
        self.revision = 1
        self.computed = 0
        self.answers: FreshAnswers[int] = FreshAnswers(lambda: self.now)

    async def compute(self) -> int:
        self.computed += 1
        seen = self.revision
        await asyncio.sleep(0)
        return seen

    async def ask(self, question: str = "board", patient: bool = True) -> int:
        return await self.answers.ask(question, self.revision, self.compute, patient=patient)


def test_many_who_ask_have_it_computed_once() -> None:
    async def run() -> None:
        arena = Arena()
        assert await asyncio.gather(*(arena.ask() for _ in range(50))) == [1] * 50
        assert await arena.ask() == 1 and arena.computed == 1

    asyncio.run(run())


def test_the_patient_get_the_former_answer_while_a_new_one_is_made() -> None:
    async def run() -> None:
        arena = Arena()
        await arena.ask()
        arena.revision = 2
        assert await arena.ask() == 1 and arena.computed == 1, "too soon after the last"
        arena.now = 2.0
        assert await arena.ask() == 1, "made anew meanwhile"
        await asyncio.sleep(0.01)
        assert await arena.ask() == 2 and arena.computed == 2
        arena.revision, arena.now = 3, 100.0
        assert await arena.ask() == 3, "what is old is not given out"

    asyncio.run(run())


def test_a_glance_looks_at_no_revision() -> None:
    async def run() -> None:
        arena = Arena()
        assert arena.answers.glance("board") is None
        await arena.ask()
        arena.now = 0.5
        assert arena.answers.glance("board") == 1
        arena.now = 1.5
        assert arena.answers.glance("board") is None, "somebody must look again"
        await arena.ask()
        assert arena.answers.glance("board") == 1, "somebody has looked"
        arena.now, arena.revision = 3.0, 2
        await arena.ask()
        assert arena.answers.glance("board") == 1, "another is being made"
        await asyncio.sleep(0.01)
        assert arena.answers.glance("board") == 2

    asyncio.run(run())


def test_the_others_get_what_is() -> None:
    async def run() -> None:
        arena = Arena()
        await arena.ask()
        arena.revision = 2
        assert await arena.ask(patient=False) == 2
        slow = asyncio.create_task(arena.ask("slow", patient=False))
        await asyncio.sleep(0)
        arena.revision = 3
        assert await arena.ask("slow", patient=False) == 3, "what began before the change is old"
        await slow

    asyncio.run(run())


def test_an_answer_is_not_kept_for_ever_and_not_all_are_kept() -> None:
    async def run() -> None:
        arena = Arena()
        await arena.ask()
        arena.now = LONGEST_SECONDS + 1
        await arena.ask()
        assert arena.computed == 2, "an embargo may have ended"
        for number in range(KEPT + 10):
            await arena.ask(str(number))
        assert not arena.answers.has("board") and arena.answers.has(str(KEPT + 9))

    asyncio.run(run())


def test_a_failure_is_told_and_not_kept() -> None:
    async def run() -> None:
        answers: FreshAnswers[int] = FreshAnswers()

        async def fail() -> int:
            raise LookupError

        for _ in range(2):
            with pytest.raises(LookupError):
                await answers.ask("x", 1, fail, patient=True)
        assert not answers.has("x")

    asyncio.run(run())
