"""Scorers within scorers: their JSON values, as model files nest them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.registry import find_scorer
from rankwise.rankers.scorers.scorer import Scorer


def nested_json(scorer: Scorer) -> dict[str, Any]:
    """A scorer with its kind, as plain values."""
    return {"kind": scorer.kind, **scorer.as_json()}


def nested_scorer(values: Mapping[str, Any], key: str) -> Scorer:
    """The scorer under `key`; a RankwiseError where there is none."""
    return read_nested(values.get(key), f"under {key!r}")


def read_nested(found: object, where: str) -> Scorer:
    """The scorer that values of `nested_json` describe; `where` is for messages."""
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(kind, str):
        raise RankwiseError(f"a model file must hold a scorer with a kind {where}, found none")
    try:
        return find_scorer(kind).from_json(found)
    except RecursionError as error:
        raise RankwiseError("its scorers are nested too deeply") from error
