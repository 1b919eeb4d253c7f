"""Labels of several assessors made one, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from math import comb, fsum
from pathlib import Path

from rankwise.errors import RankwiseError

Votes = dict[str, dict[str, list[tuple[str, float]]]]
"""By query and document the assessors, who may all be called the same, and their labels."""

_MOST_SHOWN = 6


def combine(
    votes: Votes, rule: str, assessor: str, path: str | Path
) -> dict[str, dict[str, float]]:
    """One label for each document: the `mean`, `majority` or `max`, or that of one `assessor`.

    Where assessors have no names of their own, they are called 1, 2, … in the order of their rows.
    A document that the assessor did not judge has no label.
    """
    if rule == "assessor":
        return _choose(votes, assessor, path)
    ways: dict[str, Callable[[list[float]], float]] = {
        "mean": _mean,
        "majority": _majority,
        "max": max,
    }
    return {
        query: {
            document: ways[rule]([code for _, code in given]) for document, given in found.items()
        }
        for query, found in votes.items()
    }


def describe_agreement(votes: Votes) -> dict[str, object]:
    """What a data card says: how many assessors, documents with several labels, and agreement.

    The agreement is the share of pairs of labels of one document that are equal, a, and kappa is
    (a − e) / (1 − e), where e is the share that labels drawn from all of these would have (Fleiss,
    1971, Measuring nominal scale agreement among many raters). Without such pairs there is neither.
    """
    several = [[code for _, code in given] for given in _documents(votes) if len(given) > 1]
    facts: dict[str, object] = {
        "assessors": len(_list_names(votes)),
        "documents_with_several": len(several),
    }
    if not several:
        return facts
    shares = [
        sum(comb(count, 2) for count in Counter(codes).values()) / comb(len(codes), 2)
        for codes in several
    ]
    agreement = fsum(shares) / len(shares)
    counts = Counter(chain.from_iterable(several))
    expected = fsum((count / counts.total()) ** 2 for count in counts.values())
    kappa = None if len(counts) == 1 else round((agreement - expected) / (1 - expected), 6)
    return {**facts, "agreement": round(agreement, 6), "kappa": kappa}


def _mean(codes: list[float]) -> float:
    return fsum(codes) / len(codes)


def _majority(codes: list[float]) -> float:
    counts = Counter(codes)
    most = max(counts.values())
    return min(code for code, count in counts.items() if count == most)


def _choose(votes: Votes, assessor: str, path: str | Path) -> dict[str, dict[str, float]]:
    named = _have_names(votes)
    labels: dict[str, dict[str, float]] = {}
    for query, found in votes.items():
        for document, given in found.items():
            for number, (name, code) in enumerate(given, 1):
                if (name if named else str(number)) == assessor:
                    labels.setdefault(query, {})[document] = code
    if not labels:
        names = _list_names(votes)
        more = ", …" if len(names) > _MOST_SHOWN else ""
        raise RankwiseError(
            f"{path}: the assessor must be one of {', '.join(names[:_MOST_SHOWN])}{more}, found "
            f"{assessor!r}"
        )
    return labels


def _documents(votes: Votes) -> Iterator[list[tuple[str, float]]]:
    return chain.from_iterable(found.values() for found in votes.values())


def _have_names(votes: Votes) -> bool:
    """Whether each label of a document has another assessor, and not all have the same."""
    names = {name for given in _documents(votes) for name, _ in given}
    apart = all(len({name for name, _ in given}) == len(given) for given in _documents(votes))
    return apart and len(names) > 1


def _list_names(votes: Votes) -> list[str]:
    if _have_names(votes):
        return sorted({name for given in _documents(votes) for name, _ in given})
    most = max(map(len, _documents(votes)), default=0)
    return [str(number) for number in range(1, most + 1)]
