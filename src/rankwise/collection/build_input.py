"""A build reads its input here: a corpus, queries and judgements, and where they come from.

Categories of documents may come from a file of their own, lines of document id, tab, category:
corpora other than JSON lines have no place for them. A category of the file counts before that of
the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack

from rankwise.collection.corpora.corpus import Corpus, open_corpus
from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.judgements import Judgements, read_judgements
from rankwise.collection.corpora.query_files import CorpusQuery, detected_format, read_queries
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.collection.data_card import describe_file
from rankwise.collection.judged_queries import Numbers, is_named_by_place, name_queries
from rankwise.errors import Advice, FormatError, RankwiseError
from rankwise.files import compute_checksum

_NAMED_BY_PLACE = ("smart", "time", "npl")


@dataclass(frozen=True)
class BuildInput:
    """What is built from what; `numbers` says what the judgements call queries by."""

    corpus: Corpus
    queries: list[CorpusQuery]
    judgements: Judgements
    origins: dict[str, dict[str, object]]
    numbers: Numbers = "file"


class ReadingChoices(TypedDict, total=False):
    """How corpus, queries and judgements are read; every keyword has a default.

    Attributes:
        name: what the data set is called; the corpus' own name by default.
        corpus_format: a key of `CORPUS_FORMATS`; `auto` looks at the files.
        queries_format: a key of `QUERY_FORMATS`, or `auto`.
        qrels_format: a key of `JUDGEMENT_FORMATS`, or `auto`.
        query_field: parts of TREC topics, several joined by `+`; `title` by default.
        query_numbers: what judgements call a query by: its id in the `file`, its `place` in it, or
            what leaves no doubt, `auto`.
        labels: a key of `LABEL_RULES`, how codes become labels, and those of several assessors one.
        categories: a file of the categories of documents: lines of document id, tab, category.
    """

    name: str | None
    corpus_format: str
    queries_format: str
    qrels_format: str
    query_field: str
    query_numbers: Numbers
    labels: str | None
    categories: str | Path | None


def read_build_input(
    corpus: str | Path,
    queries: str | Path,
    qrels: str | Path,
    output: str | Path,
    **choices: Unpack[ReadingChoices],
) -> BuildInput:
    """Open a corpus and read its queries and judgements.

    The three may stand beside each other in the folder of the corpus, and the output too: they are
    not taken for documents.
    """
    queries, qrels = Path(queries), Path(qrels)
    categories = choices.get("categories")
    beside = (queries, qrels, Path(output), *([Path(categories)] if categories else []))
    opened = open_corpus(
        Path(corpus), choices.get("corpus_format", "auto"), choices.get("name"), leave_out=beside
    )
    if categories:
        opened = add_categories(opened, categories)
    asked, field = choices.get("queries_format", "auto"), choices.get("query_field", "title")
    queries_format = detected_format(queries) if asked == "auto" else asked
    found = read_queries(queries, queries_format, field=field)
    rule = choices.get("labels")
    judgements = read_judgements(qrels, choices.get("qrels_format", "auto"), rule=rule)
    judgements = name_queries(judgements, found)
    if opened.format == "smart" and judgements.format == "columns" and not rule:
        raise RankwiseError(
            f"{qrels} has three columns, whose third may be a label or Cleverdon's "
            "code, where 1 is best",
            Advice("say which: {}", "labels", ("as-is", "binary", "cleverdon")),
        )
    numbers = choices.get("query_numbers", "auto")
    if (
        numbers == "auto"
        and opened.format not in _NAMED_BY_PLACE
        and is_named_by_place(found, judgements)
    ):
        # Only the classical collections are known to mean places without saying so.
        raise RankwiseError(
            f"{qrels} calls queries 1 to {len(found)}, {queries} has ids up to {found[-1].id}",
            Advice(
                "say whether the judgements mean ids or places: {}",
                "query_numbers",
                ("file", "place"),
            ),
        )
    origins: dict[str, dict[str, object]] = {
        "corpus": {
            "origin": opened.origin, "format": opened.format,
            **({"categories": describe_file(Path(categories))} if categories else {}),
        },
        "queries_from": {
            **describe_file(queries), "number": len(found), "format": queries_format,
            **({"field": field} if queries_format == "trec" else {}),
        },
        "judgements_from": {
            **describe_file(qrels), "format": judgements.format, "labels": judgements.rule,
            **judgements.agreement,
        },
    }  # fmt: skip
    return BuildInput(opened, found, judgements, origins, numbers)


def demo_input(n_queries: int = 100, seed: int = 0) -> BuildInput:
    """The documentation of this Python, with queries from its summaries."""
    from rankwise.collection.demo_collection import make_demo_collection

    demo = make_demo_collection(n_queries, seed)
    origins: dict[str, dict[str, object]] = {
        "corpus": {"origin": demo.corpus.origin, "format": "documentation as a web"},
        "queries_from": {"origin": "summaries of docstrings", "number": len(demo.queries)},
        "judgements_from": {"origin": "what the summaries stand on", "labels": "as-is"},
    }
    return BuildInput(demo.corpus, demo.queries, demo.judgements, origins)


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
