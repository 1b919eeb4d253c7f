"""Rankers for trials of the runner: quick, slow, greedy, mortal, faulty ones."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training, Watch


@dataclass(frozen=True)
class OneFeature(Ranker):
    """Scores by feature number `feature`, whatever the data say."""

    name: ClassVar[str] = "one-feature"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "none"

    feature: int = parameter(0, "which feature", grid=(0, 1, 2, 3), lowest=0)
    pause: float = parameter(0.0, "seconds to sleep", lowest=0.0)

    def _learn(self, training: Training) -> Learned[Scorer]:
        self._behave(training.train, training.watch)
        weights = np.zeros(training.train.n_features)
        weights[self.feature] = 1.0
        return Learned(Linear(weights), {"chance": float(training.rng.random())})

    def _behave(self, train: Dataset, watch: Watch) -> None:
        for number in range(10 if self.pause else 0):
            time.sleep(self.pause / 10)
            watch(Round(number, 10))


@dataclass(frozen=True)
class Unkeepable(OneFeature):
    """Gives a model that no file can hold."""

    name: ClassVar[str] = "unkeepable"

    def _learn(self, training: Training) -> Learned[Scorer]:
        scorer, facts = super()._learn(training)
        return Learned(scorer, {**facts, "loss": float("nan")})


@dataclass(frozen=True)
class Drowsy(OneFeature):
    """Tells of no rounds."""

    name: ClassVar[str] = "drowsy"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        time.sleep(0.2)


@dataclass(frozen=True)
class Unwritable(OneFeature):
    name: ClassVar[str] = "unwritable"

    kind: int = parameter(frozenset(), "what no store can hold")


@dataclass(frozen=True)
class Faulty(OneFeature):
    name: ClassVar[str] = "faulty"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        raise ZeroDivisionError("a defect")


@dataclass(frozen=True)
class Leaving(OneFeature):
    name: ClassVar[str] = "leaving"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        sys.exit("enough")


@dataclass(frozen=True)
class Interrupting(OneFeature):
    name: ClassVar[str] = "interrupting"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        raise KeyboardInterrupt


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@dataclass(frozen=True)
class Speechless(OneFeature):
    name: ClassVar[str] = "speechless"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        raise Unspeakable


@dataclass(frozen=True)
class Talkative(OneFeature):
    name: ClassVar[str] = "talkative"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        print("in the midst of things", flush=True)


@dataclass(frozen=True)
class Refusing(OneFeature):
    name: ClassVar[str] = "refusing"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        if self.feature != 2:
            raise RankwiseError(f"feature {self.feature} must be 2")


@dataclass(frozen=True)
class Greedy(OneFeature):
    name: ClassVar[str] = "greedy"

    def _behave(self, train: Dataset, watch: Watch) -> None:
        held = np.ones(25 * 10**6)
        # Until it is ended for that; where nobody does, the test fails.
        time.sleep(600.0)
        held[0] = 2.0


@dataclass(frozen=True)
class Patient(OneFeature):
    """Writes the number of its process into a file and waits until another one is there."""

    name: ClassVar[str] = "patient"

    sign: str = parameter("", "the file that says it is here")
    go: str = parameter("", "the file it waits for")

    def _behave(self, train: Dataset, watch: Watch) -> None:
        beside = Path(f"{self.sign}.{os.getpid()}")
        beside.write_text(str(os.getpid()))
        beside.rename(self.sign)
        while not Path(self.go).exists():
            time.sleep(0.02)


@dataclass(frozen=True)
class Mortal(OneFeature):
    """Kills its process as often as `deaths` says, counting in a file."""

    name: ClassVar[str] = "mortal"

    deaths: int = parameter(1, "how often")
    counter: str = parameter("", "the file that counts")

    def _behave(self, train: Dataset, watch: Watch) -> None:
        path = Path(self.counter)
        count = len(path.read_text()) if path.exists() else 0
        if count < self.deaths:
            path.write_text("x" * (count + 1))
            os.kill(os.getpid(), signal.SIGKILL)
