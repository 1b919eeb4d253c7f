"""Pages whose code is run: files are written, code and sessions executed, commands compared."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"# ([\w/]+\.py)\n")
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A piece of a page: its language, its text, and its first line's number."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)
        for found in _BLOCK.finditer(text)
    ]


def read_blocks(guide: str, *languages: str) -> list[str]:
    """The blocks in these languages of a page of docs/guides."""
    page = Path(__file__).parents[2] / "docs" / "guides" / guide
    return [block.text for block in blocks_of(page) if block.language in languages]


def run_block(block: Block, names: dict[str, Any], page: str) -> None:
    """In the current folder, with the names that earlier blocks have made."""
    if block.language == "python":
        file = _FILE.match(block.text)
        if file:
            Path(file[1]).write_text(block.text, "utf-8")
        else:
            exec(compile(block.text, page, "exec"), names)
    elif block.language == "pycon":
        _run_session(block, names, page)
    elif block.language == "console":
        _run_commands(block, page)


def _run_session(block: Block, names: dict[str, Any], page: str) -> None:
    session = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.line)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_OPTIONS)
    runner.run(session, out=said.append, clear_globs=False)
    assert not runner.failures, "".join(said)
    names.update(session.globs)


def _run_commands(block: Block, page: str) -> None:
    """Lines after `$` are commands; what follows is their output, `…` any part of it."""
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        line, _, wanted = part.partition("\n")
        command, *arguments = shlex.split(line)
        assert command == "rankwise"
        done = subprocess.run([sys.executable, _script(), *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        assert done.returncode == 0, f"{page}: {line}\n{done.stdout}"
        same = doctest.OutputChecker().check_output(
            wanted.replace("…", "..."), done.stdout, _OPTIONS
        )
        assert same, f"{page}: {line}\nwanted:\n{wanted}\nfound:\n{done.stdout}"


def _script() -> str:
    """Started as a console script is: its own folder is on the path, not the current one."""
    folder = Path(".scripts")
    folder.mkdir(exist_ok=True)
    script = folder / "rankwise"
    script.write_text("from rankwise.cli.main import run\nif __name__ == '__main__':\n    run()\n")
    return os.fspath(script)
