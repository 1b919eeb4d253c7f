"""Rankers of a user's own, of every kind: what tests name as `tests.rankers.own_rankers:Name`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from lightgbm import LGBMRanker, LGBMRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.linear.regression import RidgeRegression
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Learned, Ranker, Training

__all__ = ["LGBMRanker", "LGBMRegressor", "LogisticRegression", "PoissonRegressor",
           "RandomForestRegressor", "Ridge"]  # fmt: skip

HERE = __name__

pipeline = make_pipeline(StandardScaler(), Ridge(alpha=3.0))
forest = RandomForestRegressor(5, random_state=42)
ranker_object = RidgeRegression(regularization=0.3)
not_a_ranker = 7


@dataclass(frozen=True)
class Centroid(Ranker):
    """w = scale Σ_q Σ_i y_i (x_i − mean of q)."""

    scale: float = parameter(1.0, "of all scores", grid=(0.5, 1.0), lowest=0.0)

    def _learn(self, training: Training) -> Learned[Linear]:
        return Learned(Linear(self.scale * centroid(training.train)), {})


class Heir(RidgeRegression):
    """A subclass that changes nothing and states no name."""


class Usurper(RidgeRegression):
    name: ClassVar[str] = "listnet"


class Undecorated(Ranker):
    depth: int = parameter(3, "how deep", lowest=1)

    def _learn(self, training: Training) -> Any: ...


class Unfinished(Ranker):
    pass


@dataclass(frozen=True)
class Defective(Ranker):
    def _learn(self, training: Training) -> Any:
        raise ZeroDivisionError("a defect\nof many lines")


class ByList:
    """Takes and scores data sets: a document's score is relative to its list."""

    grid: ClassVar = {"power": [0.5, 1.0]}

    def __init__(self, power: float = 1.0) -> None:
        self.power = power

    def fit(self, dataset: Dataset, validation: Dataset | None = None, seed: int = 9) -> None:
        self.weights = centroid(dataset)
        self.given = (dataset, validation, seed)

    def score(self, dataset: Dataset) -> np.ndarray:
        return np.concatenate([self._of(query.features) for query in dataset.queries()])

    def _of(self, rows: np.ndarray) -> np.ndarray:
        raw = (rows - rows.mean(axis=0)) @ self.weights
        return np.sign(raw) * np.abs(raw) ** self.power


class ByQueryIds:
    """Takes the query of each row, in training and in scoring."""

    def fit(self, X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> ByQueryIds:
        self.weights = centroid(Dataset.from_arrays(X, y, qid))
        return self

    def predict(self, X: np.ndarray, qid: np.ndarray) -> np.ndarray:
        means = np.stack([X[qid == number].mean(axis=0) for number in qid])
        return (X - means) @ self.weights


class LikeXGBoost:
    """The signature of XGBRanker, which takes group or qid and refuses both."""

    def __init__(self, *, rounds: int = 3, **more: Any) -> None:
        self.rounds = rounds

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"rounds": self.rounds, "depth": None, "missing": float("nan"), "random_state": None}

    def fit(self, X: Any, y: Any, *, group: Any = None, qid: Any = None, eval_set: Any = None,
            eval_group: Any = None, eval_qid: Any = None) -> None:  # fmt: skip
        assert group is None and eval_group is None
        self.given = (X, y, qid, eval_set, eval_qid)

    def predict(self, X: Any, output_margin: bool = False) -> Any:
        return X[:, 0]

    def score(self, X: Any, y: Any) -> float:
        raise AssertionError("judges, and does not score")


class Seeded:
    """Draws its weights from its seed."""

    def __init__(self, seed: int = 17, scale: float = 1.0) -> None:
        self.seed, self.scale = seed, scale

    def fit(self, X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> None:
        self.drawn = rng.random()
        self.weights = np.random.default_rng(self.seed).random(X.shape[1]) * self.scale

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X @ self.weights


class Written:
    """Has no method that scores but says what its scorer is."""

    paper: ClassVar[str] = "Somebody (2026)"
    family: ClassVar[str] = "listwise"

    def fit(self, train: Dataset) -> None:
        self.weights = centroid(train)

    def as_scorer(self) -> Linear:
        return Linear(self.weights)


class Misquoted(Written):
    def predict(self, X: np.ndarray) -> np.ndarray:
        return X @ self.weights + 1.0


class WronglyWritten(Written):
    def as_scorer(self) -> Any:
        return self.weights


class NarrowlyWritten(Written):
    def as_scorer(self) -> Linear:
        return Linear(self.weights[1:])


class Clipped(Ridge):
    """Linear where it was trained, and nowhere else."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.clip(super().predict(X), -1.0, 3.0)


class Factory:
    """Its `fit` returns what scores."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Ridge:
        return Ridge().fit(X, y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        raise AssertionError("the returned object scores")


class Needy:
    def __init__(self, depth: int) -> None:
        self.depth = depth

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        pass

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, self.depth]


class Picky(Needy):
    def __init__(self, depth: int = 0) -> None:
        if depth < 0:
            raise ValueError("depth must not be negative")
        super().__init__(depth)


class FailingFit(Picky):
    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        raise KeyError("nothing here")


class FailingPrediction(Picky):
    def predict(self, X: np.ndarray) -> np.ndarray:
        return 1 / np.int64(0) if len(X) == 0 else [][0]


class TooMany(Picky):
    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, :2]


class NotFinite(Picky):
    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), np.nan)


class OneArgument(Picky):
    def fit(self, data: Any) -> None:  # type: ignore[override]
        pass


class Demanding(Picky):
    def fit(self, X: np.ndarray, y: np.ndarray, prices: Any) -> None:  # type: ignore[override]
        pass


class Judging:
    """Like an estimator without predictions."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        pass

    def score(self, X: np.ndarray, y: np.ndarray) -> float:
        return 1.0


class OnlyFit:
    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        pass


def centroid(data: Dataset) -> np.ndarray:
    return sum(q.labels @ (q.features - q.features.mean(axis=0)) for q in data.queries())


def share_of_good_first(ranked: Any) -> float:
    """A measure of somebody's own: whether the first document has a label above 1."""
    return float(ranked.labels[0] > 1)
