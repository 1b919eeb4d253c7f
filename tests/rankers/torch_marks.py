"""The mark of tests that train networks."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None, reason="torch is not installed: networks cannot be trained"
)
