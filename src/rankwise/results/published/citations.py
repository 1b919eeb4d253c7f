"""Who to cite for a method, a shipped table or the source of a result, as text or BibTeX."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.results.published.published_tables import (
    OF_ITS_ROWS,
    SHIPPED,
    find_shipped,
    read_shipped,
    read_shipped_rows,
)

_VENUE_FIELD = {"article": "journal", "inproceedings": "booktitle", "techreport": "institution"}


@dataclass(frozen=True)
class Citation:
    """A paper: the facts a reference needs. `label` is how tables name it: "Xu and Li (2007)"."""

    key: str
    label: str
    kind: str
    authors: tuple[str, ...]
    title: str
    year: int | None = None
    venue: str | None = None
    volume: str | None = None
    number: str | None = None
    pages: str | None = None
    doi: str | None = None
    eprint: str | None = None
    url: str | None = None
    methods: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def text(self) -> str:
        """One line for a list of references."""
        year = f" ({self.year})" if self.year else ""
        parts = [f"{_list_names(self.authors)}{year}", self.title, self._place()]
        locators = [self.doi and f"https://doi.org/{self.doi}", self.eprint, self.url]
        return ". ".join(part.rstrip(".") for part in [*parts, *locators] if part) + "."

    def bibtex(self) -> str:
        """A BibTeX entry; the title is protected from changes of case."""
        fields = {
            "author": " and ".join(_bibtex_author(author) for author in self.authors),
            "title": f"{{{_escape_tex(self.title)}}}",
            _VENUE_FIELD.get(self.kind, "howpublished"): self.venue and _escape_tex(self.venue),
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages and self.pages.replace("-", "--"),
            "year": self.year and str(self.year),
            "doi": self.doi,
            "eprint": self.eprint and self.eprint.removeprefix("arXiv:"),
            "archiveprefix": self.eprint and "arXiv",
            "url": self.url,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])

    def _place(self) -> str:
        volume = f"{self.volume or ''}{f'({self.number})' if self.number else ''}"
        pages = self.pages and (f":{self.pages}" if volume else f"pages {self.pages}")
        numbers = f"{volume}{pages or ''}"
        return ", ".join(part for part in (self.venue, numbers) if part)


def cite(method: str) -> list[Citation]:
    """The papers that proposed `method`; raises RankwiseError where none is known.

    Known are the methods of Table A.5 of Tax et al. (2015), those of Jiang and Lin (2014), and all
    rankers, of which one that is in neither says whom to cite.
    """
    found = find_citations(method)
    if found:
        return found
    own = cite_ranker(method)
    if own is not None:
        return [own]
    if _fold_name(method) in _index_methods():
        raise RankwiseError(f"the papers name no original paper for {method!r}")
    from difflib import get_close_matches

    names = {_fold_name(name): name for name in _list_known_methods()}
    near = get_close_matches(_fold_name(method)[:80], names, n=1)
    hint = f"; did you mean {names[near[0]]!r}?" if near else ""
    raise RankwiseError(f"no paper is known for a method called {method[:80]!r}{hint}")


def find_citations(method: str) -> list[Citation]:
    """The papers that proposed `method`, none where it is not known."""
    named = [
        entry
        for entry in _read_citations().values()
        if _fold_name(method) in map(_fold_name, entry.methods)
    ]
    original, _ = _index_methods().get(_fold_name(method), ("", ""))
    return [*_find_labelled(original), *named]


def cite_sources(method: str) -> list[Citation]:
    """The studies from which Tax et al. (2015) took the results of `method`."""
    _, sources = _index_methods().get(_fold_name(method), ("", ""))
    return _find_labelled(sources)


def cite_table(name: str) -> list[Citation]:
    """The paper that a shipped table is from, or the papers that its rows are from."""
    table = find_shipped(name)
    if table.citation != OF_ITS_ROWS:
        return [find_citation(table.citation)]
    sources = dict.fromkeys(source for source in read_shipped(name).source if source)
    return list(dict.fromkeys(paper for source in sources for paper in cite_source(source)))


def cite_ranker(name: str) -> Citation | None:
    """The paper of a ranker by what it says of itself; None where no ranker is called so."""
    from rankwise.rankers.registry import find_ranker, ranker_names

    names = {_fold_name(one): one for one in ranker_names()}
    if _fold_name(name) not in names:
        return None
    ranker = find_ranker(names[_fold_name(name)])
    found = re.fullmatch(r"(?P<authors>.*?) \((?P<year>[0-9]{4})\),? ?(?P<venue>.*)", ranker.paper)
    if found is None:
        return Citation(names[_fold_name(name)], ranker.paper, "misc", (), ranker.paper)
    label = f"{found['authors']} ({found['year']})"
    title = f"the method {names[_fold_name(name)]}"
    return Citation(
        names[_fold_name(name)], label, "misc", (found["authors"],), title, int(found["year"]),
        found["venue"] or None,
    )  # fmt: skip


def find_citation(label: str) -> Citation:
    """The paper a table names as `label`; raises RankwiseError where it is not known."""
    found = _index_by_label().get(label)
    if found is None:
        raise RankwiseError(f"no paper is known as {label[:80]!r}")
    return found


def cite_source(source: str) -> list[Citation]:
    """The papers that the `source` of a result names; several are separated by " | ".

    A paper may be named with the number of its table.
    """
    return [find_citation(_without_table(label)) for label in split_sources(source)]


def is_source(label: str) -> bool:
    """Whether a paper is known as `label`, which may end with the number of a table."""
    return _without_table(label) in _index_by_label()


def split_sources(source: str | None) -> tuple[str, ...]:
    """The studies that the `source` of a result names, separated by " | "; none for None."""
    return tuple(part.strip() for part in (source or "").split(" | ") if part.strip())


def _without_table(label: str) -> str:
    return re.sub(r"\s+Tables? \d.*", "", label)


def _find_labelled(labels: str) -> list[Citation]:
    # Table A.5 writes "L2, L3; Wang et al. (2012a)".
    return [find_citation(label) for label in re.split(r";\s*|,\s*(?=L[234]\b)", labels) if label]


@cache
def _read_citations() -> dict[str, Citation]:
    file = resources.files("rankwise.results.published") / "citations.toml"
    entries = tomllib.loads(file.read_text("utf-8"))
    return {facts["label"]: _make_citation(key, facts) for key, facts in entries.items()}


@cache
def _index_by_label() -> dict[str, Citation]:
    """Every paper by its label and by its other names."""
    papers = _read_citations().values()
    return {name: paper for paper in papers for name in (paper.label, *paper.aliases)}


def _make_citation(key: str, facts: dict[str, Any]) -> Citation:
    lists = {name: tuple(facts.get(name, ())) for name in ("authors", "methods", "aliases")}
    return Citation(key, **{**facts, **lists})


@cache
def _index_methods() -> dict[str, tuple[str, str]]:
    return {
        _fold_name(row["method"]): (row["original_paper"] or "", row["evaluation_sources"] or "")
        for row in read_shipped_rows("tax2015_table_a5")
    }


def _list_known_methods() -> list[str]:
    named = [method for entry in _read_citations().values() for method in entry.methods]
    return [row["method"] for row in read_shipped_rows("tax2015_table_a5")] + named


@lru_cache(maxsize=1 << 14)
def _fold_name(method: str) -> str:
    return re.sub(r"[\s_-]+", "", method.casefold())


def _list_names(authors: tuple[str, ...]) -> str:
    if len(authors) < 3:
        return " and ".join(authors)
    return f"{', '.join(authors[:-1])} and {authors[-1]}"


def _bibtex_author(author: str) -> str:
    # Without a comma BibTeX would take the last word of an institution for a surname.
    return _escape_tex(author) if "," in author else f"{{{_escape_tex(author)}}}"


def _escape_tex(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)


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
