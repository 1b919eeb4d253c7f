"""What all tests share: the folder of real data, found through RANKWISE_SHARED or skipped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("rankwise", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("rankwise")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes go by their place: gzip writes the time, and xdist's workers must collect one list."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session", autouse=True)
def plain_surroundings() -> Iterator[None]:
    """Servers of tests are reached without a proxy, no terminal's wishes change what we print, and
    the day that reports name is one and the same, at midnight too.

    Processes that tests start inherit this.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1,localhost")
        for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "CLICOLOR_FORCE", "COLUMNS"):
            patch.delenv(name, raising=False)
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared folder with golden files, real data and compiled literature."""
    found = os.environ.get("RANKWISE_SHARED")
    if not found:
        pytest.skip("RANKWISE_SHARED is not set: real data and golden files are not at hand")
    return Path(found).resolve()
