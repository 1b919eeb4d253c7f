"""The error of data that cannot be taken, as both sides know it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rankwise.errors import RankwiseError


class WrongInput(RankwiseError, ValueError):
    """Data or settings that must be otherwise; a ValueError too, as scikit-learn expects one."""


@contextmanager
def as_wrong_input() -> Iterator[None]:
    """Refusals within are a `WrongInput`; those of a kind of their own stay what they are."""
    try:
        yield
    except RankwiseError as error:
        if type(error) is not RankwiseError:
            raise
        raise WrongInput(str(error)) from error
