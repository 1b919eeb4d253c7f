"""Who to cite for a method, a result or a table, as text or BibTeX."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.literature.shipped import OF_ITS_ROWS, find_shipped, read_shipped, read_table_a5

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
        parts = [f"{_listed(self.authors)}{year}", self.title, self._place()]
        locators = [self.doi and f"https://doi.org/{self.doi}", self.eprint, self.url]
        return ". ".join(part.rstrip(".") for part in [*parts, *locators] if part) + "."

    def bibtex(self) -> str:
        """A BibTeX entry; the title is protected from changes of case."""
        fields = {
            "author": " and ".join(_bibtex_author(author) for author in self.authors),
            "title": f"{{{_escaped(self.title)}}}",
            _VENUE_FIELD.get(self.kind, "howpublished"): self.venue and _escaped(self.venue),
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
    if _folded(method) in _methods():
        raise RankwiseError(f"the papers name no original paper for {method!r}")
    from difflib import get_close_matches

    names = {_folded(name): name for name in _known_methods()}
    near = get_close_matches(_folded(method)[:80], names, n=1)
    hint = f"; did you mean {names[near[0]]!r}?" if near else ""
    raise RankwiseError(f"no paper is known for a method called {method[:80]!r}{hint}")


def find_citations(method: str) -> list[Citation]:
    """The papers that proposed `method`, none where it is not known."""
    named = [
        entry for entry in _citations().values() if _folded(method) in map(_folded, entry.methods)
    ]
    original, _ = _methods().get(_folded(method), ("", ""))
    return [*_labelled(original), *named]


def cite_sources(method: str) -> list[Citation]:
    """The studies from which Tax et al. (2015) took the results of `method`."""
    _, sources = _methods().get(_folded(method), ("", ""))
    return _labelled(sources)


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

    names = {_folded(one): one for one in ranker_names()}
    if _folded(name) not in names:
        return None
    ranker = find_ranker(names[_folded(name)])
    found = re.fullmatch(r"(?P<authors>.*?) \((?P<year>[0-9]{4})\),? ?(?P<venue>.*)", ranker.paper)
    if found is None:
        return Citation(names[_folded(name)], ranker.paper, "misc", (), ranker.paper)
    label = f"{found['authors']} ({found['year']})"
    title = f"the method {names[_folded(name)]}"
    return Citation(
        names[_folded(name)], label, "misc", (found["authors"],), title, int(found["year"]),
        found["venue"] or None,
    )  # fmt: skip


def find_citation(label: str) -> Citation:
    """The paper a table names as `label`; raises RankwiseError where it is not known."""
    found = _by_label().get(label)
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
    return _without_table(label) in _by_label()


def split_sources(source: str | None) -> tuple[str, ...]:
    """The studies that the `source` of a result names, separated by " | "; none for None."""
    return tuple(part.strip() for part in (source or "").split(" | ") if part.strip())


def _without_table(label: str) -> str:
    return re.sub(r"\s+Tables? \d.*", "", label)


def _labelled(labels: str) -> list[Citation]:
    # Table A.5 writes "L2, L3; Wang et al. (2012a)".
    return [find_citation(label) for label in re.split(r";\s*|,\s*(?=L[234]\b)", labels) if label]


@cache
def _citations() -> dict[str, Citation]:
    file = resources.files("rankwise.literature") / "citations.toml"
    entries = tomllib.loads(file.read_text("utf-8"))
    return {facts["label"]: _entry(key, facts) for key, facts in entries.items()}


@cache
def _by_label() -> dict[str, Citation]:
    """Every paper by its label and by its other names."""
    papers = _citations().values()
    return {name: paper for paper in papers for name in (paper.label, *paper.aliases)}


def _entry(key: str, facts: dict[str, Any]) -> Citation:
    lists = {name: tuple(facts.get(name, ())) for name in ("authors", "methods", "aliases")}
    return Citation(key, **{**facts, **lists})


@cache
def _methods() -> dict[str, tuple[str, str]]:
    return {
        _folded(row["method"]): (row["original_paper"] or "", row["evaluation_sources"] or "")
        for row in read_table_a5()
    }


def _known_methods() -> list[str]:
    named = [method for entry in _citations().values() for method in entry.methods]
    return [row["method"] for row in read_table_a5()] + named


@lru_cache(maxsize=1 << 14)
def _folded(method: str) -> str:
    return re.sub(r"[\s_-]+", "", method.casefold())


def _listed(authors: tuple[str, ...]) -> str:
    if len(authors) < 3:
        return " and ".join(authors)
    return f"{', '.join(authors[:-1])} and {authors[-1]}"


def _bibtex_author(author: str) -> str:
    # Without a comma BibTeX would take the last word of an institution for a surname.
    return _escaped(author) if "," in author else f"{{{_escaped(author)}}}"


def _escaped(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)
