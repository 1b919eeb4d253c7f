"""Examining rankers: all laws, or one by one.

Under pytest, which is imported when asked for, each law is one test with an id of its own.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankwise.checks.law import REGISTERED, Elsewhere, ExaminedRanker, Law, NotApplicable
from rankwise.errors import RankwiseError
from rankwise.rankers.external import reference_of
from rankwise.rankers.registry import find_ranker, ranker_names
from rankwise.registry import is_own

_GROUPS = ("learning", "models", "robustness", "settings")


@dataclass(frozen=True)
class Verdict:
    """What came of a law: it holds, or `reason` says why it was not asked for."""

    law: Law
    reason: str | None = None

    def __repr__(self) -> str:
        return f"{self.law.name}: {self.reason or 'holds'}"


@dataclass(frozen=True)
class Check:
    """One law and one ranker; called it returns, or raises `CheckFailed` or `NotApplicable`."""

    law: Law
    subject: ExaminedRanker
    reason: str | None = None

    def __call__(self) -> None:
        """Examine the ranker, unless a reason was given not to."""
        if self.reason is not None:
            raise NotApplicable(self.reason)
        self.law.check(self.subject)

    def __str__(self) -> str:
        return f"{self.subject.ranker.name}-{self.law.name}"


def ranker_laws() -> Iterator[Law]:
    """Every law that rankers keep, in a fixed order."""
    for group in _GROUPS:
        importlib.import_module(f"rankwise.checks.{group}")
        yield from [law for law in REGISTERED if law.group == group]


def check_ranker(
    ranker: object,
    parameters: Mapping[str, Any] | None = None,
    *,
    refuses: Collection[str] | None = None,
    except_for: Mapping[str, str] | None = None,
) -> list[Verdict]:
    """Examine a ranker by every law; the first that it breaks raises `CheckFailed`.

    Args:
        ranker: a name, `module:Name`, a class or an object with `fit` and `predict` or `score`.
        parameters: hyper-parameters to examine it with.
        refuses: the laws on data without an order (only_constant_features,
            nothing_but_one_document_queries, all_labels_equal) in which it must refuse to train,
            and train in the others; None allows both.
        except_for: laws that it knowingly breaks, with the reasons.

    Returns:
        What came of each law.
    """
    return [
        _verdict(check)
        for check in checks_of([ranker], parameters, refuses=refuses, except_for=except_for)
    ]


def checks_of(
    rankers: Sequence[object],
    parameters: Mapping[str, Any] | None = None,
    *,
    refuses: Collection[str] | Mapping[str, Collection[str]] | None = None,
    except_for: Mapping[str, str] | None = None,
) -> list[Check]:
    """Every law for every ranker, with the arguments of `check_ranker`.

    `refuses` may differ from ranker to ranker: a mapping by their names.
    """
    laws = list(ranker_laws())
    reasons = dict(except_for or {})
    unknown = sorted(set(reasons) - {law.name for law in laws})
    if unknown:
        raise RankwiseError(f"there is no law {unknown[0]!r}; see rankwise.checks.ranker_laws()")
    elsewhere = Elsewhere()
    subjects = [_subject(one, dict(parameters or {}), refuses, elsewhere) for one in rankers]
    return [Check(law, one, reasons.get(law.name)) for one in subjects for law in laws]


def _subject(
    ranker: object,
    parameters: dict[str, Any],
    refuses: Collection[str] | Mapping[str, Collection[str]] | None,
    elsewhere: Elsewhere,
) -> ExaminedRanker:
    found = find_ranker(ranker)
    reference = ranker if isinstance(ranker, str) else reference_of(ranker)
    if _is_found_elsewhere(ranker, reference) and _is_plain(parameters):
        elsewhere.rankers[reference] = parameters
    own = refuses.get(found.name) if isinstance(refuses, Mapping) else refuses
    kept = None if own is None else frozenset(own)
    return ExaminedRanker(found, reference, parameters, kept, elsewhere)


def _is_found_elsewhere(ranker: object, reference: str) -> bool:
    """Whether another process gets the same thing by its name."""
    if reference in ranker_names():
        return True
    if not is_own(reference) or reference.startswith("__main__:"):
        return False
    try:
        found = find_ranker(reference)
    except RankwiseError:
        return False
    return found is find_ranker(ranker)


def _is_plain(parameters: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(json.dumps(parameters)) == dict(parameters))
    except (TypeError, ValueError):
        return False


def _verdict(check: Check) -> Verdict:
    try:
        check()
    except NotApplicable as error:
        return Verdict(check.law, str(error))
    return Verdict(check.law)


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
