"""The papers to cite for a method, a shipped table or the source of a result."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.literature.citations import (
    Citation,
    cite,
    cite_source,
    cite_sources,
    cite_table,
    find_citations,
    is_source,
    split_sources,
)
from rankwise.literature.shipped import SHIPPED


@dataclass(frozen=True)
class Papers:
    """Papers that proposed a method, and other studies that its published results are from."""

    proposed: tuple[Citation, ...]
    sources: tuple[Citation, ...]

    def bibtex(self) -> str:
        """All of them as BibTeX entries."""
        return "\n\n".join(paper.bibtex() for paper in (*self.proposed, *self.sources))


def find_papers(name: str) -> Papers:
    """The papers of a method, of a shipped table, or of a source that such a table names.

    The sources are those that Tax, Bockting and Hiemstra (2015) took its results from.
    """
    if name in {table.name for table in SHIPPED}:
        return Papers(tuple(cite_table(name)), ())
    if all(map(is_source, split_sources(name))):
        return Papers(tuple(cite_source(name)), ())
    sources = cite_sources(name)
    papers = find_citations(name) if sources else cite(name)
    return Papers(tuple(papers), tuple(one for one in sources if one not in papers))
