"""Corpora, queries and judgements as they come: readers of many formats, one kind of result."""

from __future__ import annotations

from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.findings import Findings
from rankwise.collection.corpora.judgements import Judgements, read_judgements
from rankwise.collection.corpora.queries import CorpusQuery, read_queries
from rankwise.collection.corpora.registry import CORPUS_FORMATS, Corpus, open_corpus

__all__ = [
    "CORPUS_FORMATS",
    "Broken",
    "Corpus",
    "CorpusQuery",
    "Document",
    "Findings",
    "Judgements",
    "Link",
    "open_corpus",
    "read_judgements",
    "read_queries",
]
