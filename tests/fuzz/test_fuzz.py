"""Mutated files, read with sanitizers where they are at hand: only results and RankwiseErrors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.mutators import MUTATORS, mutate
from tests.fuzz.readers import READERS
from tests.fuzz.run import fuzz
from tests.fuzz.sanitized import ROOT, NotAtHand, sanitized_environment


def at_best() -> dict[str, str]:
    """Sanitizers where they can be used, the plain library elsewhere."""
    try:
        return sanitized_environment()
    except NotAtHand:
        return dict(os.environ)


def sanitized() -> dict[str, str]:
    try:
        return sanitized_environment()
    except NotAtHand as reason:
        pytest.skip(f"without sanitizers: {reason}")


def python(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True
    )


def check_run(inputs: int, seed: int, environment: dict[str, str]) -> None:
    done = python(environment, "-m", "tests.fuzz.run", f"--inputs={inputs}", f"--seed={seed}")
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == list(READERS)
    assert sum(int(row[1]) for row in rows) == inputs
    # A fuzz that is only refused, or never, tests nothing.
    assert all(int(accepted) > 0 and int(refused) > 0 for _, _, accepted, refused in rows)


def test_two_thousand_mutated_files() -> None:
    check_run(2000, 2026, at_best())


@pytest.mark.slow
def test_a_hundred_thousand_mutated_files() -> None:
    check_run(100_000, 7, at_best())


@pytest.mark.slow
def test_the_suites_of_reading_and_measures_with_sanitizers() -> None:
    done = python(
        sanitized(), "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
        "tests/native", "tests/data/formats", "tests/data/test_dataset.py", "tests/measures",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]


def test_sanitizers_end_a_process_that_reads_too_far() -> None:
    """Whether they look at all: a length that is a lie."""
    program = (
        "import numpy as np\n"
        "from rankwise.data.formats.lines import _count_lines\n"
        "text, first = np.zeros(8, np.uint8), np.zeros(1, np.int64)\n"
        "_count_lines(text, 8 + {more}, first)\n"
    )
    honest = python(sanitized(), "-c", program.format(more=0))
    assert honest.returncode == 0, honest.stderr
    lying = python(sanitized(), "-c", program.format(more=64))
    assert lying.returncode != 0 and "heap-buffer-overflow" in lying.stderr


def test_what_is_not_allowed_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path, rng: Random) -> None:
        raise KeyError("escaped")

    monkeypatch.setitem(READERS, "scores", READERS["scores"].__class__((b"1\n",), broken))
    with pytest.raises(KeyError) as caught:
        fuzz("scores", 1, 0, tmp_path)
    assert caught.value.__notes__ == ["input 0 of reader scores, seed 0"]


def test_a_number_names_an_input() -> None:
    seeds = READERS["letor"].seeds
    first = [mutate(seeds[0], seeds, Random(f"{n}")) for n in range(200)]
    assert first == [mutate(seeds[0], seeds, Random(f"{n}")) for n in range(200)]
    assert len(set(first)) > 150


@pytest.mark.parametrize("mutator", sorted(set(MUTATORS), key=lambda one: one.__name__))
def test_every_mutator_changes_something_and_takes_an_empty_file(mutator) -> None:
    content = READERS["letor"].seeds[0]
    assert any(mutator(content, Random(n)) != content for n in range(20))
    for n in range(20):
        assert isinstance(mutator(b"", Random(n)), bytes)
