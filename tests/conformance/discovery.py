"""Every registered ranker as a parameter of every law."""

from __future__ import annotations

import pytest

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.rankers.ranker import Model
from rankwise.rankers.registry import ranker_names

every_ranker = pytest.mark.parametrize("name", ranker_names())


def skip_without_extra(error: RankwiseError) -> None:
    """A ranker whose optional library is absent is skipped with its own sentence."""
    if isinstance(error, MissingExtra):
        pytest.skip(str(error))


def one_sentence(error: RankwiseError, *words: str) -> None:
    """What a user may be told: short, one line, naming what is wrong."""
    text = str(error)
    assert 20 < len(text) < 400
    assert "\n" not in text
    for word in words:
        assert word in text


def sound(model: Model, rows: int, scores: object) -> None:
    """Finite scores, one per row."""
    import numpy as np

    assert isinstance(scores, np.ndarray)
    assert (scores.shape, scores.dtype) == ((rows,), np.float64)
    assert np.isfinite(scores).all()
