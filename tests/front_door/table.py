"""The table of commands and functions: a row asks the same question by command and by function.

A row is a function under `@row("command")`. It gets a `Case` with made-up data and returns what
the command answered and what the function did; both must be equal, to the bit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankwise as rw
from rankwise.cli.main import main
from rankwise.data.synthetic import make_dataset

RANKERS = ("linear-regression", "best-feature", "ridge-regression")

Answers = tuple[Any, Any]
ROWS: dict[str, Callable[[Case], Answers]] = {}


def row(command: str) -> Callable[[Callable[[Case], Answers]], Callable[[Case], Answers]]:
    """Put a function into the table."""

    def add(asking: Callable[[Case], Answers]) -> Callable[[Case], Answers]:
        ROWS[command] = asking
        return asking

    return add


@dataclass
class Case:
    """Made-up data in a folder, made when they are first asked for, and a folder for outputs."""

    folder: Path
    shared: Path
    patch: pytest.MonkeyPatch

    def run(self, *words: object, code: int = 0) -> Result:
        """A command, which must end with this exit code."""
        result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
        assert result.exit_code == code, result.output
        return result

    def ask(self, *words: object, code: int = 0) -> Any:
        """What a command prints as JSON."""
        return json.loads(self.run(*words, "--format", "json", code=code).stdout)

    def text(self, name: str, content: str) -> Path:
        """A file of the row's own."""
        path = self.folder / name
        path.write_text(content, "utf-8")
        return path

    @cached_property
    def folds(self) -> Path:
        """Five folds of a made-up data set."""
        home = self.shared / "folds"
        if not home.exists():
            dataset = rw.normalize(make_dataset(25, seed=3), "query-level")
            rw.write_folds(rw.split_folds(dataset), home)
        return home

    @property
    def train(self) -> Path:
        """The training part of fold 1."""
        return self.folds / "Fold1" / "train.txt"

    @property
    def validation(self) -> Path:
        """The validation part of fold 1."""
        return self.folds / "Fold1" / "vali.txt"

    @property
    def test(self) -> Path:
        """The test part of fold 1."""
        return self.folds / "Fold1" / "test.txt"

    def scores(self, feature: int) -> Path:
        """The test part scored by one of its features."""
        path = self.shared / f"{feature}.scores"
        rw.data.write_scores(rw.read(self.test).features[:, feature], path)
        return path

    @cached_property
    def model(self) -> Path:
        """A linear model in a file."""
        path = self.shared / "model.json"
        rw.save_model(rw.fit("ridge-regression", self.train), path)
        return path

    @cached_property
    def store(self) -> Path:
        """The store of a finished experiment with three rankers on two folds."""
        path = self.shared / "results.sqlite"
        if not path.exists():
            rw.bench(
                data=self.folds, rankers=RANKERS, folds=[1, 2], measures=["MAP", "NDCG@5"],
                tools=["own", "letor4"], store=path, jobs=1,
            )  # fmt: skip
        return path

    @cached_property
    def table(self) -> Path:
        """A table of results of three methods on four data sets."""
        lines = ["collection,dataset,method,measure,value\n"]
        rng = np.random.default_rng(1)
        for dataset in ("A", "B", "C", "D"):
            for method in ("x", "y", "z"):
                for measure in ("MAP", "NDCG@10"):
                    lines.append(f"made,{dataset},{method},{measure},{rng.random():.4f}\n")
        path = self.shared / "table.csv"
        path.write_text("".join(lines))
        return path

    @cached_property
    def corpus(self) -> tuple[Path, Path, Path]:
        """A corpus of small documents, queries and judgements."""
        home = self.shared / "corpus"
        home.mkdir(exist_ok=True)
        rng = np.random.default_rng(5)
        documents = [
            {
                "id": f"d{n}",
                "title": f"word{n % 9} other",
                "body": " ".join(f"word{word}" for word in rng.zipf(1.4, 15) % 40),
                "links": [f"d{(7 * n) % 50}"],
            }
            for n in range(50)
        ]
        files = (home / "corpus.jsonl", home / "queries.tsv", home / "qrels")
        files[0].write_text("".join(json.dumps(one) + "\n" for one in documents))
        files[1].write_text("".join(f"{n}\tword{n} word{n + 9}\n" for n in range(10)))
        judged = (f"{n} 0 d{d} {int(n > 0)}\n" for n in range(10) for d in range(n, 50, 9))
        files[2].write_text("".join(judged))
        return files

    @cached_property
    def build(self) -> Path:
        """The data set that is built from the corpus."""
        home = self.shared / "built"
        corpus, queries, qrels = self.corpus
        if not home.exists():
            rw.build(corpus, home, queries=queries, qrels=qrels, depth=10, jobs=1, stemmer="none")
        return home


def plain(value: Any) -> Any:
    """What JSON holds of a value: the same numbers to the bit."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)
