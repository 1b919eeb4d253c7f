"""Mutated files through every reader: only results and RankwiseErrors, within bounds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from rankwise.errors import RankwiseError
from rankwise.rankers.registry import ranker_names
from tests.fuzz.mutators import BINARY, MUTATORS, STRUCTURED, mutate
from tests.fuzz.reader import Reader
from tests.fuzz.readers import COMPILED, READERS
from tests.fuzz.run import Outcomes, fuzz
from tests.fuzz.sanitized import ROOT, NotAtHand, sanitized_environment


def sanitized() -> dict[str, str]:
    try:
        return sanitized_environment()
    except NotAtHand as reason:
        pytest.skip(f"without sanitizers: {reason}")


def python(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True
    )


def check_run(inputs: int, environment: dict[str, str], readers: list[str], *how: str) -> None:
    """Run `inputs` mutated files; each reader must refuse some and accept some."""
    done = python(environment, "-m", "tests.fuzz.run", f"--inputs={inputs}", *how)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    *rows, total = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == readers
    assert total[:2] == ["all", str(inputs)]
    # A fuzz that is only refused, or never, tests nothing.
    assert all(int(accepted) > 0 and int(refused) > 0 for _, _, accepted, refused, *_ in rows)


def test_more_than_two_thousand_mutated_files() -> None:
    check_run(65 * len(READERS), dict(os.environ), list(READERS), "--seed=2026")


def test_mutated_files_through_the_readers_in_c_with_sanitizers() -> None:
    check_run(600, sanitized(), list(COMPILED), "--seed=2026", "--compiled")


TRAININGS = """
from tempfile import TemporaryDirectory

import numpy as np

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.collection.index.indexing import build_index
from rankwise.collection.link_evidence import gather_evidence
from rankwise.data.folds import Fold
from rankwise.feature_selection.selection import feature_similarity
from rankwise.rankers.registry import find_ranker, ranker_names
from tests.collection.test_features_proximity import PARAMETERS, PROXIMITY_FEATURES, view_of
from tests.collection.test_index import DOCUMENTS, PLAN
from tests.experiments.test_measured import QUICK
from rankwise.collection.features.definition import find_feature

train, validation = planted(7), planted(3, seed=1)
# A query of one document, one without an order, and one longer than all others.
rows = np.flatnonzero(train.query_of_rows > 1)
lengths = [1, 3, len(rows) - 4]
odd = rw.Dataset.from_arrays(train.features[rows], np.where(np.arange(len(rows)) < 4, 0.0,
                             train.labels[rows]), group=lengths)
for name in ranker_names():
    ranker = find_ranker(name)
    declared = {one.name for one in ranker.declared_parameters()}
    settings = {key: value for key, value in QUICK.items() if key in declared}
    for data in (train, odd):
        try:
            model = rw.fit(rw.make_ranker(name, **settings), data, validation)
        except rw.RankwiseError as refused:
            print(name, "refuses", refused)
        else:
            model.score(validation)
            print(name, "trains")
feature_similarity(train)
view = view_of([["a", "b", "a"], [], ["b"]], ["a", "b", "c"])
for name in PROXIMITY_FEATURES:
    find_feature(name).values(view, PARAMETERS)
with TemporaryDirectory() as folder:
    index = build_index(DOCUMENTS, folder, PLAN)
    documents = np.array([7, 0, len(DOCUMENTS) - 1])
    gather_evidence(index, ["w1", "unknown", "w3"], documents, None, places=True)
fold = Fold(1, train.select_queries(slice(0, 4)), None, train.select_queries(slice(4, 7)))
# Lists as long as their queries, and shorter ones.
for shown in (0, 2):
    log = rw.simulate_clicks(odd, 40, logging="random", randomization="swap", shown=shown)
    for method in rw.feedback.INTERLEAVINGS:
        rw.interleave(odd, "feature:1", "random", method=method, sessions=40, shown=shown)
    for learner in rw.feedback.ONLINE_LEARNERS:
        rw.learn_online([fold], [learner], sessions=20, runs=1,
                        shown=shown)
rw.fit("rankwise.feedback:PropensityRankSVM", rw.feedback.label_by_clicks(log))
"""


def test_every_ranker_trains_on_the_core_with_sanitizers() -> None:
    done = python(sanitized(), "-W", "ignore", "-c", TRAININGS)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    trained = {line.split()[0] for line in done.stdout.splitlines() if line.endswith(" trains")}
    assert set(ranker_names()) - trained <= {"self-attention"}


@pytest.mark.slow
def test_a_hundred_thousand_mutated_files() -> None:
    check_run(100_000, dict(os.environ), list(READERS), "--seed=7", "--timed")


@pytest.mark.slow
def test_twenty_thousand_mutated_files_with_sanitizers() -> None:
    check_run(20_000, sanitized(), list(COMPILED), "--seed=7", "--compiled")


WAYS = 20


@pytest.mark.parametrize("reader", READERS)
def test_files_that_are_not_mutated_are_read(reader: str, tmp_path: Path) -> None:
    """In one of the ways at least: some damage the file themselves, or are strict about NaN."""
    kind = READERS[reader]
    for number, seed in enumerate(kind.seeds):
        refused = []
        for way in range(WAYS):
            folder = tmp_path / f"{number}-{way}"
            folder.mkdir()
            path = folder / f"input{kind.ending}"
            path.write_bytes(seed)
            try:
                kind.read(path, Random(way))
                break
            except RankwiseError as error:
                refused.append(error)
        assert len(refused) < WAYS, refused[0]


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
        "from rankwise.data.formats.compression import _count_lines\n"
        "text, first = np.zeros(8, np.uint8), np.zeros(1, np.int64)\n"
        "_count_lines(text, 8 + {more}, first)\n"
    )
    honest = python(sanitized(), "-c", program.format(more=0))
    assert honest.returncode == 0, honest.stderr
    lying = python(sanitized(), "-c", program.format(more=64))
    assert lying.returncode != 0 and "heap-buffer-overflow" in lying.stderr


def raise_key_error(path: Path) -> None:
    raise KeyError("escaped")


def refuse(sentence: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        raise RankwiseError(sentence)

    return read


def repeat_the_file(path: Path) -> None:
    error = RankwiseError("")
    error.args = (f"found {path.read_text()}",)
    raise error


def take_memory(path: Path) -> None:
    bytearray(400 << 20)


@pytest.mark.parametrize(
    "read, said",
    [
        (raise_key_error, "KeyError: 'escaped'"),
        (refuse(""), "a message must be one short sentence"),
        (repeat_the_file, "a message must not repeat its input at length"),
        (take_memory, "it took 4"),
    ],
)
def test_what_is_not_allowed_is_found(
    read: Callable[[Path], None], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = Reader(lambda: (b"0123456789" * 100,), lambda path, rng: read(path), (as_it_is,))
    monkeypatch.setitem(READERS, "scores", kind)
    found: Outcomes = fuzz("scores", 1, 0, tmp_path)
    assert found.escapes[0].startswith("input 0 of reader scores, seed 0: ")
    assert said in found.escapes[0]


def as_it_is(content: bytes, rng: Random) -> bytes:
    return content


def test_a_number_names_an_input() -> None:
    seeds = READERS["letor"].seeds
    first = [mutate(seeds[0], seeds, Random(f"{n}")) for n in range(200)]
    assert first == [mutate(seeds[0], seeds, Random(f"{n}")) for n in range(200)]
    assert len(set(first)) > 150


@pytest.mark.parametrize(
    "mutator", sorted({*MUTATORS, *STRUCTURED, *BINARY}, key=lambda one: one.__name__)
)
def test_every_mutator_changes_something_and_takes_an_empty_file(mutator) -> None:
    content = READERS["letor"].seeds[0]
    assert any(mutator(content, Random(n)) != content for n in range(20))
    for n in range(20):
        assert isinstance(mutator(b"", Random(n)), bytes)
