"""The mark of tests that train networks."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs the extra neural")
# Of the registered rankers, those that train by torch alone, whatever their settings.
NETWORKS = {"self-attention"}


def with_marks(names: list[str]) -> list[Any]:
    """Names of rankers as parameters of a test that trains them."""
    return [pytest.param(one, marks=needs_torch) if one in NETWORKS else one for one in names]
