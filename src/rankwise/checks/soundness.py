"""Whether scores are what scores must be, and whether odd data are trained on or refused."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.checks.law import NotApplicable, refusal, require, require_sentence
from rankwise.checks.made import half_way, mean
from rankwise.checks.subject import ExaminedRanker
from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError

Floats = NDArray[np.float64]


def require_sound(scores: object, data: Dataset) -> None:
    """Finite scores, one per row."""
    require(isinstance(scores, np.ndarray), "an array", type(scores))
    found = np.asarray(scores)
    wanted = (data.n_documents,)
    require(found.shape == wanted, f"scores of the shape {wanted}", found.shape)
    require(found.dtype == np.float64, "scores in double precision", found.dtype)
    require(bool(np.isfinite(found).all()), "finite scores", found)


def train(subject: ExaminedRanker, data: Dataset, validation: Dataset | None = None) -> Floats:
    """The scores of the training data, which must be sound."""
    scores = subject.quick().fit(data, validation).score(data)
    require_sound(scores, data)
    return scores


def require_learned(scores: Floats, data: Dataset) -> None:
    """The planted order must have been found in the training data."""
    found = mean(scores, data=data)
    require(found > half_way(), f"NDCG@5 above {half_way():.4f} on training", f"{found:.4f}")


def train_or_refuse(subject: ExaminedRanker, law: str, data: Dataset, *words: str) -> None:
    """Sound scores, or of rankers that cannot, a sentence; see `ExaminedRanker.refuses`."""
    if subject.refuses is None:
        try:
            train(subject, data)
        except MissingExtra:
            raise
        except RankwiseError as error:
            require_sentence(error)
    elif law in subject.refuses:
        found = refusal(lambda: subject.quick().fit(data), f"what it cannot learn from: {words}")
        skip_without_extra(found)
        require_sentence(found, *words)
    else:
        train(subject, data)


def skip_without_extra(error: RankwiseError) -> None:
    """A ranker whose optional library is absent cannot be examined; its own sentence says so."""
    if isinstance(error, MissingExtra):
        raise NotApplicable(str(error)) from error
