"""Queries as words with their judged documents; what does not fit together is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankwise.collection.analysis import Analyser
from rankwise.collection.corpora import CorpusQuery, Findings, Judgements
from rankwise.collection.corpora.queries import numbered_by_position
from rankwise.collection.index import Index
from rankwise.data.formats.letor_writer import FORBIDDEN_IN_ID
from rankwise.errors import RankwiseError


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
    judged: Mapping[int, int]
    relevant: int


def match_numbering(
    queries: list[CorpusQuery], judgements: Judgements, findings: Findings
) -> list[CorpusQuery]:
    """The queries under the names that the judgements use.

    Cranfield's judgements call queries by their place (1 to 225), not by their ids (1 to 365).
    This is taken to be so where the judgements name ids that no query has, and all names are
    places.
    """
    ids = {query.id for query in queries}
    places = {str(number) for number in range(1, len(queries) + 1)}
    if judgements.query_ids <= ids or not judgements.query_ids <= places:
        return queries
    if not all(query.id.isdecimal() for query in queries):
        return queries
    findings.add(
        "queries named by their place, since the judgements do so",
        f"query {queries[-1].id} is now {len(queries)}",
    )
    return numbered_by_position(queries)


def judged_queries(
    index: Index,
    queries: Sequence[CorpusQuery],
    judgements: Judgements,
    findings: Findings,
) -> list[JudgedQuery]:
    """The queries that have words and judgements, with what they are judged by."""
    known = index.numbers_of({d for labels in judgements.labels.values() for d in labels})
    for unasked in judgements.query_ids - {query.id for query in queries}:
        findings.add("judgements for a query that is not there, left out", f"query {unasked}")
    analyser = Analyser(index.analysis)
    ready = []
    for query in queries:
        _check_id(query)
        labels = judgements.labels.get(query.id)
        words = tuple(analyser.words(query.text))
        if not labels:
            findings.add("query without judgements, left out", f"query {query.id}")
        elif not words:
            findings.add("query without words after stop words, left out", f"query {query.id}")
        else:
            ready.append(_judged(query, words, labels, known, findings))
    return ready


def _judged(
    query: CorpusQuery,
    words: tuple[str, ...],
    labels: Mapping[str, int],
    known: Mapping[str, int],
    findings: Findings,
) -> JudgedQuery:
    for document in labels:
        if document not in known:
            findings.add(
                "judgement for a document that is not there, left out",
                f"query {query.id}, document {document}",
            )
    judged = {known[name]: label for name, label in labels.items() if name in known}
    return JudgedQuery(query, words, judged, sum(label > 0 for label in labels.values()))


def _check_id(query: CorpusQuery) -> None:
    encoded = query.id.encode("utf-8", "replace")
    if not encoded or FORBIDDEN_IN_ID & set(encoded):
        raise RankwiseError(
            f"a query id must not be empty or hold blanks or '#', found {query.id!r}"
        )
