"""The addresses of pages: of a site that is served, and of one that lies in files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from rankwise.arena.views import EntryComparison

_UNSAFE = re.compile(r"[^A-Za-z0-9.@_-]+")


@dataclass(frozen=True)
class BoardChoice:
    """What a board shows: a measure as a tool computes it, on one half of the queries."""

    measure: str
    tool: str
    half: str


@dataclass(frozen=True)
class SiteLinks:
    """Where every page is, of a site that is served below `root`.

    Templates know addresses from here only, so that a site in files needs no other templates.
    """

    root: str = ""

    def home(self) -> str:
        """All tasks."""
        return f"{self.root}/"

    def static(self, name: str) -> str:
        """A style sheet or a script."""
        return f"{self.root}/static/{name}"

    def task(self, task: str) -> str:
        """One task."""
        return f"{self.root}/tasks/{quote(task, safe='')}"

    def package(self, task: str) -> str:
        """The package that participants download."""
        return f"{self.task(task)}/package"

    def board(self, task: str, choice: BoardChoice | None = None) -> str:
        """The board of a task, by its own measure or as chosen."""
        return f"{self.task(task)}/board{_choice_query(choice)}"

    def board_data(self, task: str, choice: BoardChoice) -> str:
        """The board as JSON."""
        return f"{self.data('tasks', task)}/board{_choice_query(choice)}"

    def board_csv(self, task: str, choice: BoardChoice) -> str:
        """The board as CSV."""
        return f"{self.data('tasks', task)}/board.csv{_choice_query(choice)}"

    def entry(self, entry: str) -> str:
        """One entry."""
        return f"{self.root}/entries/{quote(entry, safe='')}"

    def compares(self, first: str, second: str) -> bool:
        """Whether there is a page that compares the two."""
        return True

    def comparison(self, first: str, second: str) -> str:
        """Two entries beside each other."""
        return f"{self.root}/compare?{urlencode({'first': first, 'second': second})}"

    def comparison_form(self, task: str) -> str:
        """Where the choice of two entries is sent."""
        return f"{self.root}/compare"

    def comparison_data(self, found: EntryComparison) -> str:
        """The comparison as JSON."""
        choice = BoardChoice(found.measure, found.tool, found.half)
        pair = urlencode({"first": found.first, "second": found.second})
        return f"{self.root}/api/compare{_choice_query(choice)}&{pair}"

    def log(self, after: int | None = None) -> str:
        """The log, from a line on, or its end."""
        return f"{self.root}/log" + ("" if after is None else f"?after={after}")

    def data(self, kind: str, name: str = "") -> str:
        """Tasks, entries, standings or the log as JSON."""
        return f"{self.root}/api/{kind}" + (f"/{quote(name, safe='')}" if name else "")

    def submit(self, task: str) -> str:
        """The form for submissions."""
        return f"{self.task(task)}/submit"

    def invitation(self, token: str) -> str:
        """The page of an invitation."""
        return f"{self.root}/invitations/{quote(token, safe='')}"

    def sign_in(self) -> str:
        """The form for a token."""
        return f"{self.root}/sign-in"

    def sign_out(self) -> str:
        """Where the browser is told to forget its token."""
        return f"{self.root}/sign-out"

    def organise(self) -> str:
        """The organisers' page."""
        return f"{self.root}/organise"


@dataclass(frozen=True)
class FileLinks(SiteLinks):
    """The addresses of a site that lies in one folder, one file a page.

    Every name is a file beside the page, so that the folder can be moved, and read from a disk.
    `pairs` are the entries whose comparison has a page.
    """

    pairs: frozenset[frozenset[str]] = frozenset()

    def home(self) -> str:
        """The file that web servers show first."""
        return "index.html"

    def static(self, name: str) -> str:
        """A style sheet or a script."""
        return name

    def task(self, task: str) -> str:
        """One task."""
        return name_file("task", task)

    def package(self, task: str) -> str:
        """The package that participants download."""
        return name_file("package", task, ending="zip")

    def board(self, task: str, choice: BoardChoice | None = None) -> str:
        """The board of a task, by its own measure or as chosen."""
        return name_file("board", task, *_choice_values(choice))

    def board_data(self, task: str, choice: BoardChoice) -> str:
        """The board as JSON."""
        return name_file("board", task, *_choice_values(choice), ending="json")

    def board_csv(self, task: str, choice: BoardChoice) -> str:
        """The board as CSV."""
        return name_file("board", task, *_choice_values(choice), ending="csv")

    def entry(self, entry: str) -> str:
        """One entry."""
        return name_file("entry", entry)

    def compares(self, first: str, second: str) -> bool:
        """Whether the comparison was written."""
        return frozenset((first, second)) in self.pairs

    def comparison(self, first: str, second: str) -> str:
        """Two entries, in whichever order: one file holds both."""
        return name_file("compare", *sorted((first, second)))

    def comparison_data(self, found: EntryComparison) -> str:
        """The comparison as JSON."""
        return name_file("compare", *sorted((found.first, found.second)), ending="json")

    def log(self, after: int | None = None) -> str:
        """The log, from a line on, or its end."""
        return name_file("log", *([] if after is None else [str(after)]))

    def data(self, kind: str, name: str = "") -> str:
        """Tasks, entries, standings or the log as JSON."""
        return name_file(kind, *([name] if name else []), ending="json")


def name_file(*parts: str, ending: str = "html") -> str:
    """A file name of parts: what a file system may not take becomes a hyphen."""
    return "-".join(_UNSAFE.sub("-", part).strip(".-") or "-" for part in parts) + f".{ending}"


def _choice_values(choice: BoardChoice | None) -> tuple[str, ...]:
    return () if choice is None else (choice.measure, choice.tool, choice.half)


def _choice_query(choice: BoardChoice | None) -> str:
    if choice is None:
        return ""
    given = {"measure": choice.measure, "tool": choice.tool, "half": choice.half}
    return "?" + urlencode({name: value for name, value in given.items() if value})
