"""The fields that families share, with their textbook values; `Measure` says what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Fields = Mapping[str, Any]

ORDER: Fields = {"ties": "input", "comparison": "double"}
AVERAGING: Fields = {"average": "mean", "rounding": "none"}
GRADED: Fields = {"gain": "exponential", "table": None, "empty": 0.0, "short": "cut"}
BINARY: Fields = {"threshold": 1.0, "table": None, "empty": 0.0}

DISCOUNTED: Fields = {**GRADED, "discount": "log2", "threshold": None, **ORDER, **AVERAGING}
RELEVANT: Fields = {**BINARY, "short": "cut", **ORDER, **AVERAGING}
RELEVANT_WHOLE: Fields = {**BINARY, **ORDER, **AVERAGING}
PAIRED: Fields = {"table": None, "empty": "skip", **ORDER, **AVERAGING}
UNORDERED: Fields = {**BINARY, **AVERAGING}
COUNTED: Fields = {"threshold": 1.0, "table": None, "average": "sum", "rounding": "none"}

UNBOUNDED = (0.0, float("inf"))

TREC_BOOK = "Buckley and Voorhees, TREC: Experiment and Evaluation, chapter 3, 2005"
LETOR = "Qin, Liu, Xu and Li, Information Retrieval 13(4), 2010"
