"""Which columns of a table are what: as they are named by whoever reads it, or found by name.

A `TableFile` is a path that knows this of its table, so that it can go wherever a path goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.errors import Advice, RankwiseError

LABEL, QUERY, DOCUMENT, COMMENT = "label", "qid", "document", "comment"

_KNOWN_NAMES = {
    QUERY: ("qid", "queryid", "query", "searchid", "srchid", "topic", "topicid"),
    LABEL: ("label", "labels", "relevance", "rel", "grade", "judgement", "judgment", "rating",
            "relevancelabel", "relevancegrade"),
    DOCUMENT: ("document", "documentid", "doc", "docid", "docno", "itemid", "productid",
               "passageid"),
}  # fmt: skip
"""What columns are called elsewhere, without capitals, blanks and marks."""
_ADVICE = {
    QUERY: Advice("say which: {}", "query_column", "NAME"),
    LABEL: Advice("say which: {}", "label_column", "NAME"),
    DOCUMENT: Advice("say which: {}", "document_column", "NAME"),
}
_WORDS = {QUERY: "query", LABEL: "label", DOCUMENT: "document"}
_UNNAMED_INDEX = re.compile(r"__index_level_[0-9]+__|Unnamed: 0|")
_MOST_NAMED = 6


@dataclass(frozen=True)
class TableColumns:
    """The columns that somebody named; what is None is found by its name.

    Attributes:
        query: the ids of queries.
        label: the relevance judgements.
        document: the ids of documents.
        features: the features, in their order; else all other columns that hold numbers.
        weight: what a row counts in training; never guessed, since it may be a feature.
    """

    query: str | None = None
    label: str | None = None
    document: str | None = None
    features: tuple[str, ...] | None = None
    weight: str | None = None

    def named(self) -> Iterator[tuple[str, str]]:
        """The argument and the column of everything that was named."""
        for argument, name in (
            ("query_column", self.query),
            ("label_column", self.label),
            ("document_column", self.document),
            ("weight_column", self.weight),
            *(("features", name) for name in self.features or ()),
        ):
            if name is not None:
                yield argument, name


@dataclass(frozen=True)
class ColumnRoles:
    """What each column of one table is; `guessed` tells which of it nobody had said."""

    query: str | None
    label: str | None
    document: str | None
    comment: str | None
    weight: str | None
    features: tuple[str, ...]
    guessed: tuple[str, ...]


def assign_roles(
    names: Sequence[str],
    columns: TableColumns,
    *,
    needs_queries: bool = True,
    needs_labels: bool = True,
    index: Collection[str] = (),
) -> ColumnRoles:
    """What the columns called `names` are; `index` are those that only number the rows.

    The names that Rankwise itself writes (qid, label, document) are taken as they are. Of other
    names that are usual for a role there may be one, which `guessed` tells, or somebody chooses.
    """
    _refuse_unusable(names, columns)
    free = [name for name in names if name not in {name for _, name in columns.named()}]
    guessed: list[str] = []
    query = columns.query or _find_role(QUERY, free, guessed) if needs_queries else columns.query
    label = columns.label or _find_role(LABEL, free, guessed)
    document = columns.document or _find_role(DOCUMENT, free, guessed)
    for role, found, needed in ((QUERY, query, needs_queries), (LABEL, label, needs_labels)):
        if found is None and needed:
            raise RankwiseError(
                f"the table must have the columns label and qid, {role} is missing: none of "
                f"{quote_few(names)} is called so",
                _ADVICE[role],
            )
    comment = COMMENT if COMMENT in free and columns.features is None else None
    taken = {query, label, document, comment, columns.weight, *index}
    features = columns.features
    if features is None:
        features = tuple(n for n in names if n not in taken and not _UNNAMED_INDEX.fullmatch(n))
    return ColumnRoles(query, label, document, comment, columns.weight, features, tuple(guessed))


def refuse_second_roles(features: Sequence[str]) -> None:
    """Refuse features that nobody named whose names are usual for a query, label or document.

    A second label, or an id, is learnt from as if it were a feature.
    """
    for name in features:
        role = next((role for role, known in _KNOWN_NAMES.items() if _plain(name) in known), None)
        if role is not None:
            raise RankwiseError(
                f"a feature must not be called as a {_WORDS[role]} is unless it is named as one, "
                f"found the column {name!r} beside the {_WORDS[role]}; leave it out",
                Advice("name all features: {}", "features", "A,B,C"),
            )


def _find_role(role: str, names: Sequence[str], guessed: list[str]) -> str | None:
    """The column of a role; one that is called otherwise than Rankwise writes it is a guess."""
    if role in names:
        return role
    alike = [name for name in names if _plain(name) in _KNOWN_NAMES[role]]
    if len(alike) > 1:
        raise RankwiseError(
            f"one column must be the {_WORDS[role]}, found {' and '.join(map(repr, alike))}",
            _ADVICE[role],
        )
    if not alike:
        return None
    guessed.append(f"{alike[0]!r} is the {_WORDS[role]}")
    return alike[0]


def _refuse_unusable(names: Sequence[str], columns: TableColumns) -> None:
    """Refuse a named column that is not there, and one that is named for two things."""
    seen: set[str] = set()
    for _, name in columns.named():
        if name not in names:
            raise RankwiseError(
                f"the table must have the column {name!r}, found {quote_few(names)}"
            )
        if name in seen:
            raise RankwiseError(f"a column is one thing, found {name!r} named twice")
        seen.add(name)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def quote_few(names: Sequence[str]) -> str:
    """The first names of columns, in quotes."""
    shown = ", ".join(map(repr, names[:_MOST_NAMED]))
    return f"{shown}, …" if len(names) > _MOST_NAMED else shown


if TYPE_CHECKING:
    _PlatformPath = Path
else:
    # Before Python 3.12 only the class of the platform can be derived from.
    _PlatformPath = type(Path())

TEXT_TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
"""The endings of tables of text, and what stands between their cells."""
ARROW_TABLES = (".parquet", ".feather", ".arrow")
TEXT_ENDINGS = (".txt", ".dat", ".letor", ".svm", ".svmlight", ".libsvm")
"""The endings that LETOR text usually has; it may have others."""
COMPRESSED_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zstd")


class TableFile(_PlatformPath):
    """The path of a table, with the names of its columns; paths made from it have none."""

    # Not `columns`, by which others tell a frame.
    table_columns = TableColumns()

    def __reduce__(self) -> tuple[Callable[..., TableFile], tuple[str, TableColumns]]:
        return name_columns_of, (str(self), self.table_columns)


def name_columns_of(path: str | Path, columns: TableColumns) -> TableFile:
    """The path of a table whose columns are these."""
    named = TableFile(path)
    named.table_columns = columns
    return named


def find_columns(path: str | Path) -> TableColumns:
    """The columns that were named for a path; of any other path none was."""
    return path.table_columns if isinstance(path, TableFile) else TableColumns()


def is_table(path: str | Path) -> bool:
    """Whether a file is a table by its ending."""
    return find_ending(path) is not None


def find_ending(path: str | Path) -> str | None:
    """The ending that makes a file a table, that of a compression left aside; None: it is none."""
    place = Path(path)
    ending = place.suffix.lower()
    if ending in COMPRESSED_ENDINGS:
        inner = place.with_suffix("").suffix.lower()
        return inner if inner in TEXT_TABLES else None
    return ending if ending in TEXT_TABLES or ending in ARROW_TABLES else None
