"""Match queries with their judged documents in the index, and report what does not fit together.

Of judgements that a build would lose, a few are reported; many stop it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from rankwise.collection.analysis import Analyser, Analysis
from rankwise.collection.corpora.document import Findings, find_places, strip_zeros
from rankwise.collection.corpora.judgements import Judgements
from rankwise.collection.corpora.query_files import CorpusQuery, numbered_by_position
from rankwise.collection.features.feature_files import QueryClasses
from rankwise.collection.index.index import Index
from rankwise.collection.metadata import make_query_file_name
from rankwise.data.formats.letor_writer import FORBIDDEN_IN_ID
from rankwise.errors import Advice, RankwiseError

FEWEST_QUERIES = 5
# Most file systems allow 255 bytes, of which a file that is being written needs ten more.
_LONGEST_FILE_NAME = 200
_LONGEST_NUMBER = 10

Id = TypeVar("Id", int, str)
Numbers = Literal["auto", "file", "place"]


@dataclass(frozen=True)
class JudgedQuery:
    """A query ready to be sampled.

    Attributes:
        query: as it was read.
        words: as the index has words.
        judged: labels by document number, judged documents that the corpus has.
        relevant: how many documents are judged relevant, in the corpus or not.
    """

    query: CorpusQuery
    words: tuple[str, ...]
    judged: Mapping[int, float]
    relevant: int


def name_queries(judgements: Judgements, queries: Sequence[CorpusQuery]) -> Judgements:
    """The judgements under the ids of the queries, where they name queries by their texts.

    Quepid's do. Capitals and the number of blanks do not count, and an id counts before a text.
    """
    if judgements.format != "quepid":
        return judgements
    known = {query.id for query in queries}
    by_text: dict[str, set[str]] = {}
    for query in queries:
        by_text.setdefault(_fold_text(query.text), set()).add(query.id)
    labels: dict[str, dict[str, float]] = {}
    for name, found in judgements.labels.items():
        named = {name} if name in known else by_text.get(_fold_text(name), {name})
        for query_id in named:
            labels.setdefault(query_id, {}).update(found)
    return replace(judgements, labels=labels)


def _fold_text(text: str) -> str:
    return " ".join(text.casefold().split())


def match_numbering(
    queries: list[CorpusQuery],
    judgements: Judgements,
    findings: Findings,
    numbers: Numbers = "auto",
) -> list[CorpusQuery]:
    """The queries under the names that the judgements use.

    `file` keeps the ids of the query file, `place` names queries 1, 2, … in its order, `auto` does
    so only where `is_named_by_place` leaves no doubt.
    """
    if numbers == "file" or (numbers == "auto" and not is_named_by_place(queries, judgements)):
        return queries
    findings.add(
        "queries named by their place, since the judgements do so",
        f"query {queries[-1].id} is now {len(queries)}",
    )
    return numbered_by_position(queries)


def is_named_by_place(queries: Sequence[CorpusQuery], judgements: Judgements) -> bool:
    """Whether judgements call queries by their place, as Cranfield's do (1 to 225 for 1 to 365).

    The names must be exactly the places 1 … n, the ids rising numbers that go past n, and a
    quarter or more of the queries must be without judgements if ids are meant. So a topic that
    is missing from the query file never moves judgements from one query to another.
    """
    n = len(queries)
    if set(map(strip_zeros, judgements.query_ids)) != set(map(str, range(1, n + 1))):
        return False
    if not all(query.id.isdecimal() and len(query.id) < _LONGEST_NUMBER for query in queries):
        return False
    ids = [int(query.id) for query in queries]
    rising = all(one < other for one, other in itertools.pairwise(ids))
    return rising and sum(number > n for number in ids) >= n / 4


def check_queries(
    queries: Sequence[CorpusQuery],
    judgements: Judgements,
    analysis: Analysis,
    classes: QueryClasses | None = None,
    most_lost: float = 1.0,
) -> QueryClasses | None:
    """Refuse queries that no corpus could make a data set of, before it is indexed.

    Queries with judgements and words must have a class, where others have one. Those of `classes`
    come back under the ids that the queries have. More than the share `most_lost` of the judgements
    may not belong to queries that are left out.
    """
    for query in queries:
        _check_id(query)
    findings = Findings()
    asked = list(_filter_queries(queries, judgements, analysis, findings))
    if len(asked) < FEWEST_QUERIES:
        raise refuse_few_queries("judgements and words", len(asked), findings)
    _refuse_lacking_class([query for query, _, _ in asked])
    kept = sum(len(labels) for *_, labels in asked)
    ids = [query.id for query in queries]
    refuse_losses(kept, judgements, findings, most_lost, queries=ids)
    if classes is None:
        return None
    matched = classes.matched(ids)
    for query, _, _ in asked:
        matched.number(query.id)
    return matched


def _refuse_lacking_class(queries: Sequence[CorpusQuery]) -> None:
    """Refuse queries of which some have a class in their file and others have none."""
    without = next((query.id for query in queries if not query.query_class), None)
    if without is not None and any(query.query_class for query in queries):
        raise RankwiseError(
            "either all queries must have a class in the third column of their file or none of "
            f"them, found none for {without!r}"
        )


def refuse_few_queries(having: str, found: int, findings: Findings) -> RankwiseError:
    """What to raise where five folds cannot be made, with the findings that say why."""
    why = "; ".join(findings.lines()) or "give more queries"
    return RankwiseError(
        f"five folds need at least {FEWEST_QUERIES} queries with {having}, found {found}; {why}"
    )


def select_judged_queries(
    index: Index,
    queries: Sequence[CorpusQuery],
    judgements: Judgements,
    findings: Findings,
) -> list[JudgedQuery]:
    """The queries that have words and judgements, with what they are judged by."""
    known = index.find_numbers({d for labels in judgements.labels.values() for d in labels})
    return [
        _make_judged_query(query, words, labels, known, findings)
        for query, words, labels in _filter_queries(queries, judgements, index.analysis, findings)
    ]


def _filter_queries(
    queries: Sequence[CorpusQuery], judgements: Judgements, analysis: Analysis, findings: Findings
) -> Iterator[tuple[CorpusQuery, tuple[str, ...], Mapping[str, float]]]:
    """Queries with judgements and words, with both; the others are counted and named."""
    places = find_places(judgements.labels, [query.id for query in queries])
    for unasked in (name for name in judgements.labels if name not in places):
        findings.add("judgements for a query that is not there, left out", f"query {unasked}")
    judged: dict[int, dict[str, float]] = {}
    for name, place in places.items():
        own = judged.setdefault(place, {})
        for document, label in judgements.labels[name].items():
            _put_label(own, document, label, queries[place], document)
    analyser = Analyser(analysis)
    for place, query in enumerate(queries):
        words = tuple(analyser.words(query.text))
        if not judged.get(place):
            findings.add("query without judgements, left out", f"query {query.id}")
        elif not query.text:
            findings.add(
                "query without a text, left out; of TREC topics other parts can be named",
                f"query {query.id}",
            )
        elif not words:
            findings.add("query without words after stop words, left out", f"query {query.id}")
        else:
            yield query, words, judged[place]


def _make_judged_query(
    query: CorpusQuery,
    words: tuple[str, ...],
    labels: Mapping[str, float],
    known: Mapping[str, int],
    findings: Findings,
) -> JudgedQuery:
    for document in labels:
        if document not in known:
            findings.add(
                "judgement for a document that is not there, left out",
                f"query {query.id}, document {document}",
            )
    judged: dict[int, float] = {}
    for name in (one for one in labels if one in known):
        _put_label(judged, known[name], labels[name], query, name)
    unknown = sum(label > 0 for name, label in labels.items() if name not in known)
    return JudgedQuery(query, words, judged, unknown + sum(one > 0 for one in judged.values()))


def _put_label(
    labels: dict[Id, float], place: Id, label: float, query: CorpusQuery, document: str
) -> None:
    """Two spellings of one document, or of one query, must not contradict each other."""
    if labels.setdefault(place, label) != label:
        raise RankwiseError(
            f"document {document!r} must have one label in query {query.id!r}, found two, under "
            "ids that differ by leading zeros"
        )


def _check_id(query: CorpusQuery) -> None:
    encoded = query.id.encode("utf-8", "replace")
    if not encoded or FORBIDDEN_IN_ID & set(encoded):
        raise RankwiseError(
            f"a query id must not be empty or hold blanks or '#', found {query.id!r}"
        )
    if len(make_query_file_name(query.id)) > _LONGEST_FILE_NAME:
        raise RankwiseError(
            "a query id must be short enough to name a file, at most about "
            f"{_LONGEST_FILE_NAME} letters, found one of {len(query.id)}: {query.id[:40]!r}…"
        )


MOST_LOST = 0.2
"""The share of judgements that a build may lose where nothing else is asked for."""
_MOST_NAMES, _LONGEST_SHOWN_NAME = 2, 40


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
        f"the judgements name the {what} {_show_names(strange)}, the {where} {_show_names(there)}"
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


def _show_names(names: Sequence[str]) -> str:
    """The first two, of which each is one."""
    more = ", …" if len(names) > _MOST_NAMES else ""
    return " and ".join(repr(name[:_LONGEST_SHOWN_NAME]) for name in names[:_MOST_NAMES]) + more


def _list_strange(named: Collection[str], there: Sequence[str]) -> list[str]:
    found = find_places(named, there)
    return [name for name in named if name not in found]
