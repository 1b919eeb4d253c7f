"""The command line as it was typed: what a report names as the way to make it again."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def typed_command() -> str | None:
    """The words after the program's name; None where something else started the program."""
    program = Path(sys.argv[0])
    as_module = program.name == "__main__.py" and program.parent.name == "rankwise"
    if program.name != "rankwise" and not as_module:
        return None
    return shlex.join(["rankwise", *sys.argv[1:]])
