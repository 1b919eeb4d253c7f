"""The papers to cite for a method or a shipped table."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.literature.citations import (
    Citation,
    cite,
    cite_sources,
    cite_table,
    find_citations,
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
    """The papers of a method, or of a shipped table.

    The sources are those that Tax, Bockting and Hiemstra (2015) took its results from.
    """
    if name in {table.name for table in SHIPPED}:
        return Papers(tuple(cite_table(name)), ())
    sources = cite_sources(name)
    papers = find_citations(name) if sources else cite(name)
    return Papers(tuple(papers), tuple(one for one in sources if one not in papers))
