"""Pages whose code is run: files are written, code and sessions executed, commands compared.

A comment in the line before a block says what is special about it:

    <!-- not run: the reason -->
    <!-- real data -->              run where RANKWISE_SHARED is set, in a folder with real data
    <!-- needs the extra neural --> run where torch is installed

A table of figures says where they are from. The next such sentence of its section, or one of the
page's beginning, says when and at which commit a command that the page names measured them:

    Measured on 2026-11-18 at 4a864de.

Or the comment `<!-- compared by tests/… -->` in the line before it names the test that compares it.
What a command prints in seconds is no table but the output of a `console` block, which is compared.
"""

from __future__ import annotations

import doctest
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.docs.shell import Shell

ROOT = Path(__file__).parents[2]
RUN = ("python", "pycon", "console", "sh", "toml")
REAL_DATA = "real data"
# Of the extras that make test does without: the remark, and the library that it brings.
EXTRAS = {"needs the extra neural": "torch"}
_BLOCK = re.compile(r"^( *)(?:<!-- ([^\n]*?) -->\n\1)?```(\w*)\n(.*?)^\1```$", re.M | re.S)
_FILE = re.compile(r"# ([\w/-]+\.(?:py|toml))\n")
_SECTION = re.compile(r"^## .*$", re.M)
_TABLE = re.compile(
    r"^\|.*\n\|[-:| ]+\|\n(?P<rows>(?:\|.*\n?)+)|^```text\n(?P<printed>[\s\S]*?)^```$", re.M
)
# A cell that is a number, perhaps with a unit, a range or a margin, or that begins with decimals.
_FIGURE = re.compile(
    r"[*(]*[-+−±<]?(\d[\d,]*|\d*\.\d+)( ?(%|s|ms|µs|MB|×))?[*)]*( (\(|to|±|/) ?[-+\d.].*)?"
    r"|[-+−]?\d*\.\d+.*"
)
_MEASURED = re.compile(r"[Mm]easured on (\d{4}-\d\d-\d\d) at ([0-9a-f]{7,40})\b")
_COMPARED = re.compile(r"<!-- compared by (tests/[\w/]+\.py) -->\n\Z")
_COMMAND = re.compile(r"(?:^(?:\$ )?|`)((?:rankwise|python|make) [^`\n]+)", re.M)
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A piece of a page: its language, its text, its first line's number, and its remark."""

    language: str
    text: str
    line: int
    remark: str = ""

    @property
    def is_run(self) -> bool:
        """Whether it is code of ours, and nothing is said against running it."""
        return self.language in RUN and not self.remark.startswith("not run:")

    @property
    def needs_real_data(self) -> bool:
        """Whether its commands name data that are not made on the spot."""
        return self.remark == REAL_DATA

    @property
    def lacks_its_extra(self) -> bool:
        """Whether it needs an optional library that is not installed."""
        return self.remark in EXTRAS and find_spec(EXTRAS[self.remark]) is None


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return list(_find_blocks(text))


def _find_blocks(text: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(text):
        margin, remark, language, content = found.groups()
        lines = content.splitlines(keepends=True)
        plain = "".join(line.removeprefix(margin) for line in lines)
        yield Block(language, plain, text.count("\n", 0, found.start(4)) + 1, remark or "")


@dataclass(frozen=True)
class FigureTable:
    """A table whose rows hold figures: the line of its head, and where the figures are from.

    `measured` has the day and the commit, `compared` the path of a test, `command` the last one
    that stands above.
    """

    line: int
    measured: tuple[str, str] | None
    compared: str | None
    command: str | None


def find_figure_tables(page: Path) -> list[FigureTable]:
    """Tables and blocks of text of which at least half of the rows have a figure in a cell."""
    text = page.read_text("utf-8")
    sections = [found.start() for found in _SECTION.finditer(_hide_code(text))]
    return [
        _describe_table(text, found, sections)
        for found in _TABLE.finditer(_hide_code(text, keep="text"))
        if _has_figures(found["rows"] or found["printed"])
    ]


def _describe_table(text: str, found: re.Match[str], sections: list[int]) -> FigureTable:
    end = next((start for start in sections if start > found.end()), len(text))
    introduction = text[: sections[0]] if sections else text
    measured = _MEASURED.search(text, found.end(), end) or _MEASURED.search(introduction)
    commands = _COMMAND.findall(text[: found.end()])
    compared = _COMPARED.search(text[: found.start()])
    return FigureTable(
        text.count("\n", 0, found.start()) + 1,
        (measured[1], measured[2]) if measured else None,
        compared[1] if compared else None,
        commands[-1] if commands else None,
    )


def _has_figures(rows: str) -> bool:
    cells = [_split_cells(line) for line in rows.splitlines() if line.strip()]
    if [row[0] for row in cells] == [str(number) for number in range(1, len(cells) + 1)]:
        cells = [row[1:] for row in cells]
    with_figures = [row for row in cells if any(map(_FIGURE.fullmatch, row))]
    return len(cells) > 1 and 2 * len(with_figures) >= len(cells)


def _split_cells(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|" if line.startswith("|") else r"\s{2,}", line.strip("| "))
    return [cell.strip() for cell in cells]


def _hide_code(text: str, keep: str = "") -> str:
    """The text with blanks for all that stands between fences, but for one language."""
    return _BLOCK.sub(
        lambda found: found[0] if keep and found[3] == keep else re.sub(r"[^\n]", " ", found[0]),
        text,
    )


def read_blocks(guide: str, *languages: str) -> list[str]:
    """The blocks in these languages of a page of docs/guides."""
    page = ROOT / "docs" / "guides" / guide
    return [block.text for block in blocks_of(page) if block.language in languages]


def run_block(block: Block, names: dict[str, Any], page: str, shell: Shell) -> None:
    """In the current folder, with the names that earlier blocks have made."""
    file = _FILE.match(block.text)
    if file:
        Path(file[1]).write_text(block.text, "utf-8")
    elif block.language == "python":
        exec(compile(block.text, page, "exec"), names)
    elif block.language == "pycon":
        _run_session(block, names, page)
    elif block.language == "console":
        _compare_output(block, page, shell)
    elif block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "sh":
        for command in split_commands(block.text):
            shell.run(command, page)


def split_commands(text: str) -> list[str]:
    """The commands of a script: a line each, with what continues it; the whole where it is more.

    Loops and texts that follow a command are left to a shell in one piece.
    """
    if re.search(r"<<|^(for|while|if)\b", text, re.M):
        return [text]
    joined = text.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def _run_session(block: Block, names: dict[str, Any], page: str) -> None:
    session = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.line)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_OPTIONS)
    runner.run(session, out=said.append, clear_globs=False)
    assert not runner.failures, "".join(said)
    names.update(session.globs)


def _compare_output(block: Block, page: str, shell: Shell) -> None:
    """Lines after `$` are commands; what follows is their output, `…` any part of it."""
    for part in re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.M)[1:]:
        line, _, wanted = part.partition("\n")
        found = shell.run(line, page, refused=wanted.startswith("rankwise: "))
        same = doctest.OutputChecker().check_output(_plain(wanted), _plain(found), _OPTIONS)
        assert same, f"{page}: {line}\nwanted:\n{wanted}\nfound:\n{found}"


def _plain(text: str) -> str:
    """With dots for `…`; a rule of a table is drawn in the characters that the output has."""
    return re.sub(r"[─-]{4,}", "────", text.replace("…", "..."))
