"""Categories of documents from a file: lines of document id, tab, category.

Corpora other than JSON lines have no place for them. A category of the file counts before that of
the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.registry import Corpus
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.data.catalog.checksums import compute_checksum
from rankwise.errors import FormatError, RankwiseError


def read_categories(path: str | Path) -> dict[str, str]:
    """The category of each document of a file."""
    found: dict[str, str] = {}
    for number, line in lines(path):
        if not line.strip():
            continue
        columns = [column.strip() for column in decoded(line).split("\t")]
        if len(columns) != 2 or not all(columns):
            raise FormatError(
                f"a line must be document id, tab and category, found {len(columns)} columns",
                path,
                number,
            )
        identifier, category = columns
        if found.setdefault(identifier, category) != category:
            raise FormatError(
                f"document {identifier!r} must have one category, found two", path, number
            )
    if not found:
        raise RankwiseError(f"{path} must hold categories, found none")
    return found


def add_categories(corpus: Corpus, path: str | Path) -> Corpus:
    """The corpus whose documents have the categories of a file."""
    categories = read_categories(path)

    def documents() -> Iterator[Document | Broken]:
        for found in corpus.documents():
            if isinstance(found, Document) and found.id in categories:
                yield replace(found, category=categories[found.id])
            else:
                yield found

    # With other categories it is another corpus, whose index is made anew.
    source = f"{corpus.source} {compute_checksum(Path(path))}"
    return replace(corpus, source=source, documents=documents)
