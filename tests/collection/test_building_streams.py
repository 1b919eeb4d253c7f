"""Which streams a build indexes: in what order, and under which names."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.collection import build
from rankwise.collection.building import Settings, index_corpus
from rankwise.collection.corpora.corpus import Corpus, open_corpus
from rankwise.collection.corpora.document import Document, Findings, Link
from rankwise.errors import RankwiseError
from tests.collection.corpus_made import PLAIN

SETTINGS = Settings(analysis=PLAIN)


@pytest.mark.parametrize(
    ("features", "asked", "streams"),
    [
        ("gov", (), ("body", "anchor", "Title", "url", "notes", "extracted title")),
        ("ohsumed", (), ("Title", "notes", "body", "url", "anchor", "extracted title")),
        ("gov", ("notes", "body"), ("notes", "body")),
    ],
)
def test_streams_that_are_found_stand_in_letors_order_where_its_table_is_asked_for(
    tmp_path: Path, features: str, asked: tuple[str, ...], streams: tuple[str, ...]
) -> None:
    names = ("extracted title", "Title", "notes", "body", "url")
    documents = [
        Document("a", dict.fromkeys(names, "word"), links=(Link("b", "words"),)),
        Document("b", {"body": "word"}),
    ]
    found = Corpus("web", "tests", "made", (), "web", lambda: iter(documents))
    settings = replace(SETTINGS, features=features, streams=asked)
    index = index_corpus(found, tmp_path, settings, Findings(), lambda done: None)
    assert index.manifest.streams == streams


@pytest.mark.parametrize(
    ("name", "stream", "sentence"),
    [
        ("a\nb", "body", "the name of a corpus must be .*; give another: name"),
        ("web", "a\nb", "the name of a stream must be .*: streams"),
        ("web", "body ", "the name of a stream must be .*: streams"),
        ("web", "", "the name of a stream must be .*: streams"),
    ],
)
def test_names_that_metadata_cannot_hold_are_refused_before_indexing(
    tmp_path: Path, name: str, stream: str, sentence: str
) -> None:
    documents = [Document("a", {"body": "word", stream: "word"})]
    odd = Corpus(name, "tests", "made", (), "odd", lambda: iter(documents))
    with pytest.raises(RankwiseError, match=sentence):
        index_corpus(odd, tmp_path, SETTINGS, Findings(), lambda done: None)
    assert not (tmp_path / "index").exists()


def write_cut(path: Path, rows: list[dict[str, str]]) -> None:
    """The first half of a compressed file."""
    content = gzip.compress("\n".join(map(json.dumps, rows)).encode())
    path.write_bytes(content[: len(content) // 2])


def draw_words(rng: np.random.Generator, count: int) -> str:
    """Numbers, since they cannot be compressed much."""
    return " ".join(map(str, rng.integers(10**9, size=count)))


def test_documents_before_the_end_of_a_file_that_was_cut_off_are_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [{"id": f"d{n}", "title": f"words {draw_words(rng, 60)}"} for n in range(400)]
    write_cut(tmp_path / "corpus.jsonl.gz", rows)
    *documents, last = open_corpus(tmp_path / "corpus.jsonl.gz").documents()
    assert 150 < len(documents) < 220
    assert all(isinstance(one, Document) for one in documents)
    assert "its compression is damaged; the rest of it is left out" in str(last)


def test_a_file_that_was_cut_off_is_not_blamed_on_its_text(tmp_path: Path) -> None:
    """Its only document has no end."""
    title = draw_words(np.random.default_rng(0), 50_000)
    write_cut(tmp_path / "corpus.jsonl.gz", [{"id": "d1", "title": title}])
    (tmp_path / "queries.tsv").write_text("".join(f"{q}\twords\n" for q in range(1, 7)))
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 d1 1\n" for q in range(1, 7)))
    with pytest.raises(RankwiseError, match=r"found none; .*corpus\.jsonl\.gz: its compression is"):
        build(
            output=tmp_path / "built",
            corpus=tmp_path / "corpus.jsonl.gz",
            queries=tmp_path / "queries.tsv",
            qrels=tmp_path / "qrels.txt",
        )
