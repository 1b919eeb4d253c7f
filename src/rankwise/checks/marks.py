"""The laws as tests of pytest, which is imported when asked for: one law, one test id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from rankwise.checks.law import NotApplicable
from rankwise.checks.running import Check, checks_of
from rankwise.errors import RankwiseError


def parametrize_with_laws(
    *rankers: object,
    parameters: Mapping[str, Any] | None = None,
    refuses: Collection[str] | Mapping[str, Collection[str]] | None = None,
    except_for: Mapping[str, str] | None = None,
) -> Any:
    """A mark that gives a test function the argument `check`, once for each law and ranker.

    The test calls it; a law that does not apply is skipped with its reason. The arguments are those
    of `check_ranker`, for one or more rankers.
    """
    try:
        import pytest
    except ImportError as error:
        raise RankwiseError(
            "parametrize_with_laws needs pytest; install it with: pip install pytest"
        ) from error
    found = checks_of(rankers, parameters, refuses=refuses, except_for=except_for)
    return pytest.mark.parametrize("check", [_skipping(one, pytest.skip) for one in found],
                                   ids=[str(one) for one in found])  # fmt: skip


def _skipping(check: Check, skip: Callable[[str], object]) -> Callable[[], None]:
    def call() -> None:
        try:
            check()
        except NotApplicable as error:
            skip(str(error))

    return call
