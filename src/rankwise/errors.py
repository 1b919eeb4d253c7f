"""One root for everything a user can cause: a sentence, never a traceback.

Every message says what must hold, what was found, where, and where it helps what to do. What to do
is an `Advice`: it names an argument, in Python as Python writes it, in a command as the flag which
that command has for it, and says nothing where it has none.

A missing extra is told with the line that installs it. Rankwise is on no package index, so its
extras cannot be asked for by name where there is no clone. What they stand for is in the metadata
of every installation, from a clone or from a wheel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from rankwise.sanitize import bounded, path_text, visible

Flags = Callable[[str], str | None]
"""Gives the flag of an argument, or None."""


@dataclass(frozen=True)
class Advice:
    """What helps: an argument, with what to give it.

    Attributes:
        clause: a part of a sentence; `{}` is where the argument stands.
        argument: as Python's functions call it, and the parameters of commands; without one the
            clause is for all.
        value: what to give: True for a switch, several to choose from, None for a name of one's
            own. Words in capitals stand for something of one's own.
        otherwise: what a command says that has no such flag.
    """

    clause: str
    argument: str = ""
    value: str | bool | int | tuple[str, ...] | None = None
    otherwise: str = ""

    def in_python(self) -> str:
        """The clause with the argument as a call writes it: `zero_based=True`."""
        if self.value is None or (isinstance(self.value, str) and self.value.isupper()):
            return self.clause.format(self.argument) if self.argument else self.clause
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        return self.clause.format(f"{self.argument}={_listed([repr(one) for one in values])}")

    def in_command(self, flags: Flags) -> str:
        """The clause with the flag: `--zero-based`."""
        if not self.argument:
            return self.clause
        flag = flags(self.argument)
        if flag is None:
            return self.otherwise
        if self.value is None or isinstance(self.value, bool):
            return self.clause.format(flag)
        values = self.value if isinstance(self.value, tuple) else (str(self.value),)
        return self.clause.format(f"{flag} {_listed(values)}")


class RankwiseError(Exception):
    """What was asked cannot be done; the message is one clear sentence for the user."""

    on_one_line: ClassVar[bool] = True

    def __init__(self, message: str = "", *advice: Advice) -> None:
        text = visible(message)
        if self.on_one_line:
            text = bounded(text.replace("\n", "\\n"))
        self.message = text
        self.advice = advice
        super().__init__(_join(text, [one.in_python() for one in advice]))

    def __reduce__(self) -> tuple[Any, ...]:
        # Subclasses are made of other things than their sentence, and come from other processes.
        return _restore, (type(self), self.args, self.__dict__)

    def advised(self, *advice: Advice) -> Self:
        """The same error with more to do about it."""
        self.advice += advice
        self.args = (_join(self.message, [one.in_python() for one in self.advice]),)
        return self

    def in_command(self, flags: Flags) -> str:
        """The sentence for the user of a command that has these flags."""
        return _join(self.message, [one.in_command(flags) for one in self.advice])


class FormatError(RankwiseError):
    """A file does not have the layout it must have; names file, line and column."""

    def __init__(
        self,
        message: str,
        path: str | Path,
        line: int | None = None,
        column: int | None = None,
        advice: tuple[Advice, ...] = (),
    ) -> None:
        self.path = str(path)
        self.line = line
        self.column = column
        super().__init__(f"{location(path, line, column)}: {message}", *advice)

    @property
    def what(self) -> str:
        """The sentence without the place, which stands before it."""
        place = location(self.path, self.line, self.column)
        return self.message.removeprefix(f"{visible(place)}: ")


class EarlyRemark(UserWarning):
    """What is said before work begins: a warning in Python, on standard error in commands."""

    def __init__(self, sentence: str) -> None:
        super().__init__(bounded(visible(sentence).replace("\n", "\\n")))


class GuessRemark(EarlyRemark):
    """What was guessed, in a sentence."""


class TrainingRemark(EarlyRemark):
    """What a training that begins now will do, where that may not be meant."""


class MissingExtra(RankwiseError):
    """An optional library is needed for this and is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the libraries of the extra {extra!r}; install them: "
            f"{install_line(extra)}"
        )


def _restore(kind: type[RankwiseError], args: tuple[str], facts: dict[str, Any]) -> RankwiseError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


def location(path: str | Path, line: int | None = None, column: int | None = None) -> str:
    """`file`, `file:line` or `file:line:column`, as editors and compilers write it."""
    return ":".join(str(part) for part in (path_text(path), line, column) if part is not None)


def _join(message: str, clauses: list[str]) -> str:
    said = ", or ".join(clause for clause in clauses if clause)
    return f"{message}; {said}" if said else message


def _listed(values: tuple[str, ...] | list[str]) -> str:
    *first, last = values
    return f"{', '.join(first)} or {last}" if first else str(last)


_PACKAGE = "rankwise"


def install_line(extra: str) -> str:
    """A command that installs what an extra needs: `pip install 'lightgbm>=4.3'`."""
    found = " ".join(f"'{one}'" for one in list_requirements(extra))
    return f"pip install {found}" if found else f"pip install '.[{extra}]' in a clone of Rankwise"


def list_requirements(extra: str) -> list[str]:
    """The requirements of an extra, those of the extras that it names among them, each once."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires(_PACKAGE) or []
    except PackageNotFoundError:
        return []
    return list(dict.fromkeys(_expand(extra, lines)))


def _expand(extra: str, lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        requirement, _, marker = (part.strip() for part in line.partition(";"))
        if not re.search(rf"""extra *== *["']{re.escape(extra)}["']""", marker):
            continue
        own = re.fullmatch(rf"{_PACKAGE} *\[(.*)\]", requirement)
        inner = own[1].split(",") if own else []
        found += [one for name in inner for one in _expand(name.strip(), lines)] or [requirement]
    return found
