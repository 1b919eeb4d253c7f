"""Taking part in an arena, for tests."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.arena import Arena
from rankwise.arena.participation import OPERATOR, Account, ArenaEntry, Declaration, Submission

NOON = 1_800_000_000.0
_TEAMS = itertools.count(1)


class Clock:
    """A clock that a test sets."""

    def __init__(self, seconds: float = NOON) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds

    def pass_days(self, days: float) -> None:
        self.seconds += 86_400.0 * days


def join(arena: Arena, team: str | None = None) -> Account:
    """A participant of a new team."""
    name = team or f"team {next(_TEAMS)}"
    token = arena.accept(arena.invite("participant", name, OPERATOR), "somebody")
    return arena.authenticate(token)


def lines(scores: NDArray[np.float64]) -> bytes:
    return "".join(f"{score!r}\n" for score in scores.tolist()).encode()


def noise(arena: Arena, seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).standard_normal(arena.task("made").documents)


def informed(arena: Arena, share: float, seed: int = 0) -> NDArray[np.float64]:
    """Scores that know the labels to some extent, which only a test can."""
    labels = arena.open_hidden("made").labels
    return share * labels + (1.0 - share) * noise(arena, seed)


def scored(scores: NDArray[np.float64], title: str = "mine", **wishes: Any) -> Submission:
    said = {name: wishes.pop(name) for name in list(wishes) if name in _SAID}
    return Submission({"Fold1.scores": lines(scores)}, Declaration(title, **said), **wishes)


_SAID = ("description", "paper", "code", "training_data", "parameters", "cost")


def submit(arena: Arena, account: Account, scores: NDArray[np.float64], **said: Any) -> ArenaEntry:
    return arena.submit(account, "made", scored(scores, **said))
