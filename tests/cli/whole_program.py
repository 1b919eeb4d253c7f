"""The whole program run in this process: what it prints and how it ends, as a user sees it."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import NamedTuple

import pytest

from rankwise.cli import main


class Ended(NamedTuple):
    """What a run of the program printed, and its exit code."""

    code: object
    out: str
    err: str


def rankwise(*arguments: object) -> Ended:
    """Run `rankwise ARGUMENTS`; the messages are those of the command that was named."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["rankwise", *map(str, arguments)])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main.run()
                code: object = 0
            except SystemExit as end:
                code = end.code or 0
    return Ended(code, out.getvalue(), err.getvalue())
