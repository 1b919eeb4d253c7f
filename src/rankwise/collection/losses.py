"""Judgements that a build would lose: a few are told, many stop it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.collection.corpora import Findings, Judgements
from rankwise.collection.corpora.identifiers import find_places
from rankwise.errors import Advice, RankwiseError

MOST_LOST = 0.2
"""The share of judgements that a build may lose where nothing else is asked for."""
_SHOWN, _LONGEST_SHOWN = 2, 40


def refuse_losses(
    kept: int,
    judgements: Judgements,
    findings: Findings,
    allowed: float,
    *,
    queries: Sequence[str] = (),
    documents: Sequence[str] = (),
) -> None:
    """Refuse to go on with `kept` of the judgements where more than a share of them is lost.

    Of the ids of `queries` and `documents` that are there, two are shown beside two that the
    judgements name and that are not there. Most often the corpus, the queries and the judgements
    are then not those of one collection, or two of them are swapped.
    """
    total = sum(map(len, judgements.labels.values()))
    lost = total - kept
    if lost <= allowed * total:
        return
    reasons = [line for line in findings.lines() if "left out" in line]
    judged = {document for labels in judgements.labels.values() for document in labels}
    reasons += [
        f"the judgements name the {what} {_show(strange)}, the {where} {_show(there)}"
        for what, where, named, there in (
            ("queries", "query file has", judgements.labels, queries),
            ("documents", "corpus has", sorted(judged), documents),
        )
        if there and (strange := _list_strange(named, there))
    ]
    why = "; ".join(reasons)
    raise RankwiseError(
        f"{lost:,} of {total:,} judgements ({lost / total:.0%}) would be lost, at most "
        f"{allowed:.0%} may be: {why}. Are corpus, queries and judgements of one collection, and "
        "in their places?",
        Advice("to go on without these judgements say {}", "lost_judgements", 1),
    )


def _show(names: Sequence[str]) -> str:
    """The first two, of which each is one."""
    more = ", …" if len(names) > _SHOWN else ""
    return " and ".join(repr(name[:_LONGEST_SHOWN]) for name in names[:_SHOWN]) + more


def _list_strange(named: Collection[str], there: Sequence[str]) -> list[str]:
    found = find_places(named, there)
    return [name for name in named if name not in found]
