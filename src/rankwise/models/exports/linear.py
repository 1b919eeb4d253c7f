"""Linear models for other tools: a weight per feature; the intercept moves no document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.models.model_file import ModelFile
from rankwise.rankers.scorers.linear import Linear

_SINGLE = (
    "weights and features are held in single precision there, so that scores agree to about seven "
    "digits"
)


def ranklib_linear(file: ModelFile) -> tuple[str, list[str]]:
    """RankLib's Coordinate Ascent: `number:weight`, numbers from 1, weights in double precision.

    RankLib reads features in single precision; for those that single precision holds, its scores
    are w · x exactly as here but for the order of summation.
    """
    weights = _linear(file).weights.tolist()
    pairs = " ".join(f"{number}:{weight!r}" for number, weight in enumerate(weights, 1))
    return f"## Coordinate Ascent\n{pairs}\n", _intercept(file)


def linear_json(file: ModelFile) -> tuple[str, list[str]]:
    """`{feature: weight}`, the plug-ins' model/linear."""
    return _pretty(_by_name(file)), [*_intercept(file), _SINGLE]


def solr_linear(file: ModelFile) -> tuple[str, list[str]]:
    """Solr's LinearModel; all features must stand in its feature store under these names."""
    document = {
        "class": "org.apache.solr.ltr.model.LinearModel",
        "name": file.model.ranker,
        "features": [{"name": name} for name in file.names],
        "params": {"weights": _by_name(file)},
    }
    return _pretty(document), [*_intercept(file), _SINGLE]


def _by_name(file: ModelFile) -> dict[str, float]:
    return dict(zip(file.names, _linear(file).weights.tolist(), strict=True))


def _intercept(file: ModelFile) -> list[str]:
    intercept = _linear(file).intercept
    if intercept == 0.0:
        return []
    return [f"the intercept {intercept!r} is left out: scores are lower by it, the order is equal"]


def _linear(file: ModelFile) -> Linear:
    scorer = file.model.scorer
    if not isinstance(scorer, Linear):
        raise RankwiseError(f"a linear model is needed for this, found {scorer.kind}")
    return scorer


def _pretty(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
