"""Output that cannot be written is one sentence and exit code 2, whatever prints it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = "from rankwise.cli.main import run; run()"

pytestmark = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no full device here"
)


@pytest.mark.parametrize(
    "words",
    [("measures",), ("measures", "--format", "json"), ("--help",), ("completion", "bash")],
    ids=" ".join,
)
def test_a_full_device_is_one_sentence(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-c", COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (ended.returncode, ended.stderr) == (
        2,
        "rankwise: cannot write the output: No space left on device; make room there, or write "
        "elsewhere\n",
    )


def test_an_output_that_is_closed_is_no_failure() -> None:
    command = f"exec {sys.executable} -c '{COMMAND}' measures >&-"
    ended = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
