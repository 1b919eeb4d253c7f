"""A small random corpus with links, and the literal counts that an index of it must have."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankwise.collection.analysis import Analysis
from rankwise.collection.corpora.document import Document, Link

PLAIN = Analysis(stemmer="none", stop_words="none")
WORDS = [f"w{number}" for number in range(40)]


def made_corpus(n_documents: int = 60, seed: int = 0) -> list[Document]:
    rng = np.random.default_rng(seed)

    def text(longest: int) -> str:
        ranks = rng.zipf(1.3, rng.integers(0, longest))
        return " ".join(WORDS[rank % len(WORDS)] for rank in ranks.tolist())

    documents = []
    for number in range(n_documents):
        targets = rng.integers(0, n_documents + 5, rng.integers(0, 4)).tolist()
        links = tuple(
            Link(f"d{t}" if t % 2 else f"http://h{t % 3}/{t}.html", text(4)) for t in targets
        )
        documents.append(
            Document(
                f"d{number}",
                {"title": text(6), "body": text(40)},
                f"http://h{number % 3}/{number}.html",
                links,
                ("red", "green", "")[number % 3],
            )
        )
    return documents


def words_by_stream(documents: list[Document]) -> dict[str, list[list[str]]]:
    """The words of title, body, anchor and whole of each document, in order."""
    ids = {document.id: number for number, document in enumerate(documents)}
    urls = {document.url: number for number, document in enumerate(documents)}
    anchors: list[list[str]] = [[] for _ in documents]
    for number, document in enumerate(documents):
        for link in document.links:
            target = ids.get(link.target, urls.get(link.target))
            if target is not None and target != number:
                anchors[target] += link.text.split()
    titles = [document.streams["title"].split() for document in documents]
    bodies = [document.streams["body"].split() for document in documents]
    whole = [t + b + a for t, b, a in zip(titles, bodies, anchors, strict=True)]
    return {"title": titles, "body": bodies, "anchor": anchors, "whole": whole}


def counted(texts: list[list[str]]) -> list[Counter[str]]:
    return [Counter(text) for text in texts]
