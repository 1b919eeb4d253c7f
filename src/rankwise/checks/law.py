"""What a law is: a name, its meaning and a check that a ranker passes, breaks or is exempt from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from rankwise.checks.subject import ExaminedRanker
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.registry import describe_failure
from rankwise.shown import LONGEST_PIECE

Function = TypeVar("Function", bound=Callable[..., None])

REGISTERED: list[Law] = []
"""All laws whose modules have been imported, in their order."""


class CheckFailed(AssertionError):
    """A ranker breaks a law.

    Attributes:
        expected: what must hold.
        found: what was found instead.
        law: the name of the law.
        ranker: the name of the ranker.
    """

    def __init__(self, expected: str, found: object, law: str = "", ranker: str = "") -> None:
        self.expected = expected
        self.found = found
        self.law = law
        self.ranker = ranker
        super().__init__(f"{ranker} breaks the law {law}: expected {expected}, found {found}")


class NotApplicable(Exception):
    """A law says nothing about this ranker; the message says why."""


@dataclass(frozen=True)
class Law:
    """One thing that every ranker must do, and the check of it.

    Attributes:
        name: as in `check_ranker(..., except_for={name: reason})`.
        meaning: the law in a sentence.
        group: what it is about: determinism, learning, models, robustness, settings, starts
            or weights.
    """

    name: str
    meaning: str
    group: str
    _body: Callable[[ExaminedRanker], None]

    def __repr__(self) -> str:
        return f"Law {self.name}: {self.meaning}"

    def check(self, subject: ExaminedRanker) -> None:
        """Return where the law holds, else raise `CheckFailed`, or `NotApplicable` with why."""
        name = subject.ranker.name
        try:
            self._body(subject)
        except NotApplicable:
            raise
        # A ranker whose optional library is absent cannot be examined; its sentence says so.
        except MissingExtra as error:
            raise NotApplicable(str(error)) from error
        except CheckFailed as failure:
            raise CheckFailed(failure.expected, failure.found, self.name, name) from failure
        # A ranker is anybody's code: whatever it raises, it has broken the law.
        except Exception as error:
            expected = f"no error ({self.meaning})"
            raise CheckFailed(expected, describe_failure(error), self.name, name) from error


def law(function: Function) -> Function:
    """Make a function of a subject a law, named as the function; its docstring is the meaning."""
    _register(function.__name__, function, function)
    return function


def law_for_each(cases: Mapping[str, Any]) -> Callable[[Function], Function]:
    """Make a function of a subject and a value a law for each of the named values."""

    def register(function: Function) -> Function:
        for case, value in cases.items():
            _register(f"{function.__name__}_{case}", function, partial(_call, function, value))
        return function

    return register


def require(holds: bool, expected: str, found: object) -> None:
    """Fail the law unless it `holds`."""
    if not holds:
        raise CheckFailed(expected, found)


def refusal(refused: Callable[[], object], expected: str) -> RankwiseError:
    """The error that a user is told; that there is none, or another one, breaks the law."""
    try:
        found = refused()
    # Not what was asked to be refused: nothing was examined.
    except MissingExtra:
        raise
    except RankwiseError as error:
        return error
    raise CheckFailed(f"a RankwiseError: {expected}", f"no error, and {type(found).__name__}")


def require_sentence(error: RankwiseError, *words: str) -> None:
    """What a user may be told: short, one line, naming what is wrong."""
    text = str(error)
    require(20 < len(text) < 400 and "\n" not in text, "one short sentence", repr(text))
    for word in words:
        # Of a long name a sentence shows the beginning.
        known = word in text or word[: LONGEST_PIECE - 1] in text
        require(known, f"a sentence that names {word!r}", repr(text))


def _call(function: Callable[..., None], value: Any, subject: ExaminedRanker) -> None:
    function(subject, value)


def _register(
    name: str, function: Callable[..., None], body: Callable[[ExaminedRanker], None]
) -> None:
    meaning = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
    group = function.__module__.rpartition(".")[2]
    REGISTERED.append(Law(name, meaning.rstrip("."), group, body))
