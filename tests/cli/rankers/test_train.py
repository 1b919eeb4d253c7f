"""`rankwise train`: models from files, errors before training, Ctrl-C that keeps the best model."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.cli.rankers.training_commands import figures, train
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read, write
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.models import load_model, read_model_file
from rankwise.rankers.ranker import Round
from rankwise.rankers.registry import find_ranker
from tests.cli.command import run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Training data, validation data, and where the model goes."""
    write(planted(), tmp_path / "train.txt")
    write(planted(8, seed=1), tmp_path / "vali.txt")
    return tmp_path / "train.txt", tmp_path / "vali.txt", tmp_path / "model.json"


def test_the_model_is_that_of_the_library(files: tuple[Path, Path, Path]) -> None:
    data, validation, output = files
    settings = ("--set", "rounds=25", "--set", "reweighting=multiplicative", "--seed", 4)
    options = ("--ranker", "adarank-map", "--validate", validation, *settings)
    result = run(train, data, *options, "-o", output)
    assert (result.exit_code, result.stdout) == (0, "")
    ranker = find_ranker("adarank-map")(rounds=25, reweighting="multiplicative")
    expected = ranker.fit(read(data), read(validation), seed=4)
    found = load_model(output)
    assert found.parameters == expected.parameters
    scores = found.score(read(data))
    assert scores.tobytes() == expected.score(read(data)).tobytes()
    figure = evaluate(read(data), scores, ["MAP"])["MAP"].mean
    assert f"training MAP (definition): {figure:.4f}\n" in result.stderr
    assert "validation MAP (definition): " in result.stderr


def test_measure_and_tool_reach_methods_that_look_at_them(files: tuple[Path, Path, Path]) -> None:
    data, _, output = files
    options = ("--measure", "NDCG@3", "--tool", "letor3", "-o", output)
    result = run(train, data, "--ranker", "adarank-map", *options)
    found = load_model(output).parameters
    assert (found["measure"], found["tool"]) == ("NDCG@3", "letor3")
    assert "training NDCG@3 (letor3): " in result.stderr
    # Others are only reported by it.
    result = run(train, data, "--ranker", "ridge-regression", *options)
    assert "training NDCG@3 (letor3): " in result.stderr


def test_feature_names_of_parquet_files_are_kept(tmp_path: Path) -> None:
    made = planted()
    named = Dataset(made.features, made.labels, made.query_offsets, made.query_ids,
                    feature_names=("a", "b", "c", "d", "[red]"))  # fmt: skip
    write(named, tmp_path / "train.parquet")
    run(train, tmp_path / "train.parquet", "--ranker", "ridge-regression", "-o", tmp_path / "m")
    assert read_model_file(tmp_path / "m").feature_names == ("a", "b", "c", "d", "[red]")


def test_sparse_files_of_different_width_fit(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("1 qid:1 1:1 2:2\n0 qid:1 1:0 3:1\n")
    (tmp_path / "vali.txt").write_text("1 qid:2 1:1\n0 qid:2 2:1\n")
    run(train, tmp_path / "train.txt", "--ranker", "ridge-regression", "--validate",
        tmp_path / "vali.txt", "-o", tmp_path / "m")  # fmt: skip
    assert load_model(tmp_path / "m").scorer.n_features == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--ranker", "rankbost"], "there is no ranker 'rankbost'; did you mean 'rankboost'"),
        (["--ranker", "rankboost", "--set", "rounds"], "written name=value, found 'rounds'"),
        (["--ranker", "rankboost", "--set", "round=3"], "'round'; did you mean 'rounds'"),
        (["--ranker", "rankboost", "--set", "rounds=x"], "of the kind of 500, found 'x'"),
        (["--ranker", "rankboost", "--set", "rounds=0"], "rounds must be at least 1, found 0"),
        (
            ["--ranker", "rankboost", "--set", "rounds=3", "--set", "rounds=4"],
            "a setting must be given once, found rounds twice",
        ),
        (["--ranker", "rankboost", "--measure", "NDGC"], "NDGC"),
        (["--ranker", "rankboost", "--tool", "letor9"], "letor9"),
        (["--ranker", "rankboost", "--validate", "none.txt"], "cannot read none.txt"),
    ],
)
def test_errors_are_one_sentence(
    files: tuple[Path, Path, Path], arguments: list[str], sentence: str
) -> None:
    with pytest.raises(RankwiseError) as caught:
        run(train, files[0], *arguments, "-o", files[2])
    assert sentence in str(caught.value)
    assert not files[2].exists()


def test_an_output_folder_that_is_not_there_is_told_before_training(
    files: tuple[Path, Path, Path],
) -> None:
    with pytest.raises(RankwiseError, match=r"the folder .*no does not exist"):
        run(train, "not read.txt", "--ranker", "rankboost", "-o", files[2].parent / "no" / "m")
    with pytest.raises(RankwiseError, match="it is a directory; name a file in it"):
        run(train, "not read.txt", "--ranker", "rankboost", "-o", files[2].parent)


def test_figures_of_the_live_line() -> None:
    assert figures(Round(1, 5, 0.45, None)) == "training 0.4500"
    assert figures(Round(1, 5, 0.45, 0.4)) == "training 0.4500  validation 0.4000"
    assert figures(Round(1, 5)) == ""


class Terminal:
    """A command on a terminal of its own, whose screen is read while it runs."""

    def __init__(self, *arguments: object) -> None:
        self.screen, inner = pty.openpty()
        self.seen = ""
        program = "from rankwise.cli.rankers.training_commands import train; train()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)],
            stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
        )  # fmt: skip
        os.close(inner)

    def read_until(self, pattern: str, seconds: float = 600.0) -> None:
        end = time.monotonic() + seconds
        while re.search(pattern, self.seen) is None:
            assert time.monotonic() < end, f"{pattern!r} did not appear in {self.seen[-2000:]!r}"
            assert self.process.poll() is None, self.seen[-2000:]
            if select.select([self.screen], [], [], 1.0)[0]:
                self.seen += self._read()

    def finish(self) -> int:
        """Read to the end, as the terminal would; the exit code."""
        while self.process.poll() is None or select.select([self.screen], [], [], 0.2)[0]:
            if select.select([self.screen], [], [], 0.2)[0]:
                part = self._read()
                self.seen += part
                if not part and self.process.poll() is not None:
                    break
        os.close(self.screen)
        return self.process.wait()

    def _read(self) -> str:
        try:
            return os.read(self.screen, 65536).decode(errors="replace")
        except OSError:  # the other side is closed
            return ""


ENDLESS = ("--ranker", "rankboost", "--set", "rounds=1000000")


def test_ctrl_c_keeps_the_best_model_so_far(files: tuple[Path, Path, Path]) -> None:
    data, validation, output = files
    terminal = Terminal(data, *ENDLESS, "--validate", validation, "-o", output)
    # The model of a few rounds may be poor on any machine; from a hundred on it is not.
    terminal.read_until(r"round [1-9][0-9]{2,} of 1000000")
    terminal.read_until(r"validation 0\.")
    os.kill(terminal.process.pid, signal.SIGINT)
    assert terminal.finish() == 0, terminal.seen
    assert "stopping after this round" in terminal.seen
    assert "this is the best model up to there" in terminal.seen
    model = load_model(output)
    assert 1 <= model.facts["stopped_at_round"] < 1_000_000
    scores = model.score(read(validation))
    assert len(np.unique(scores)) > 10
    assert evaluate(read(validation), scores, ["MAP"])["MAP"].mean > 0.8


def test_ctrl_c_in_a_pipe_works_too_and_shows_no_progress(
    files: tuple[Path, Path, Path],
) -> None:
    data, _, output = files
    program = (
        "import os, signal\n"
        "from rankwise.cli.rankers import training_commands\n"
        "def silent(progress):\n"
        "    if progress.number == 5:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "training_commands._stay_silent = silent\n"
        "training_commands.train()\n"
    )
    command = [sys.executable, "-c", program, str(data), *ENDLESS, "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout) == (0, "")
    assert load_model(output).facts["stopped_at_round"] == 5
    assert "round 5" in done.stderr
    assert " of 1000000" not in done.stderr


def test_a_second_ctrl_c_gives_up_without_a_model(files: tuple[Path, Path, Path]) -> None:
    data, _, output = files
    program = (
        "import os, signal\n"
        "from rankwise.cli.rankers import training_commands\n"
        "def silent(progress):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "training_commands._stay_silent = silent\n"
        "training_commands.train()\n"
    )
    command = [sys.executable, "-c", program, str(data), *ENDLESS, "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode != 0
    assert not output.exists()


def test_a_column_of_classes_trains_a_model_for_each(tmp_path: Path) -> None:
    kinds = np.repeat([1.0, 2.0, 2.0, 1.0, 2.0, 1.0], 14)
    data, path = planted(6), tmp_path / "data.txt"
    write(data.with_features(np.column_stack([data.features, kinds])), path)
    options = ("--ranker", "per-class", "--set", "of=ridge-regression", "-o", tmp_path / "m.json")
    run(train, path, *options, "--class-column", 6)
    assert load_model(tmp_path / "m.json").facts["classes"] == 2
    with pytest.raises(RankwiseError, match="must be a feature from 1 to 6, found '7'"):
        run(train, path, *options, "--class-column", 7)
    with pytest.raises(RankwiseError, match="feature 1 must be the same in all documents"):
        run(train, path, *options, "--class-column", 1)


def test_a_column_of_classes_that_nobody_looks_at_is_refused(
    files: tuple[Path, Path, Path],
) -> None:
    data, _, output = files
    with pytest.raises(RankwiseError, match="listnet does not look at classes of queries"):
        run(train, data, "--ranker", "listnet", "--class-column", 1, "-o", output)
