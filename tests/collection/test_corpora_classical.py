"""The classical collections: CISI's and MEDLINE's quirks, TIME, and NPL's numbered texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankwise as rw
from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.judgements import read_judgements
from rankwise.collection.corpora.query_files import detected_format, read_queries
from rankwise.errors import RankwiseError

TIME = (
    "*TEXT 017 01/04/63 PAGE 020\n\n THE ALLIES\n\n AFTER NASSAU\n\n"
    "*TEXT 020 01/04/63 PAGE 021\n\n BIG FOUR\n\n*TEXT 563 12/27/63 PAGE 030\n END\n*STOP\n"
)
NPL = "1\ncompact memories have\nflexible capacities\n   /\n2\nanalogue a / b computer\n   /\n"


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_cisi_judgements_need_no_format(tmp_path: Path) -> None:
    text = "     1     28\t0\t0.000000\n     1     35\t0\t0.000000\n     2     29\t0\t0.000000\n"
    found = read_judgements(write(tmp_path, "CISI.REL", text))
    assert found.format == "smart"
    assert found.labels == {"1": {"28": 1, "35": 1}, "2": {"29": 1}}


def test_medline_judgements_are_trec_and_its_documents_have_no_title(tmp_path: Path) -> None:
    assert read_judgements(write(tmp_path, "MED.REL", "1 0 13 1\n1 0 14 1\n")).format == "trec"
    path = write(tmp_path, "MED.ALL", ".I 1\n.W\ncorrelation between levels\n.I 2\n.W\nmore\n")
    assert [one.streams for one in open_corpus(path).documents()] == [
        {"abstract": "correlation between levels"},
        {"abstract": "more"},
    ]


def test_documents_of_time_are_called_by_their_places(tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path, "TIME.ALL", TIME))
    found = list(corpus.documents())
    assert corpus.format == "time"
    assert [(one.id, one.streams["body"]) for one in found] == [
        ("1", "THE ALLIES\n\n AFTER NASSAU"),
        ("2", "BIG FOUR"),
        ("3", "END"),
    ]


def test_a_stray_beginning_moves_no_place(tmp_path: Path) -> None:
    stray, first, *_ = open_corpus(write(tmp_path, "t", "lost\n" + TIME), "time").documents()
    assert isinstance(stray, Broken) and "found some that does not" in stray.reason
    assert isinstance(first, Document) and first.id == "1"


def test_queries_and_judgements_of_time(tmp_path: Path) -> None:
    path = write(
        tmp_path, "TIME.QUE", "*FIND      1\n\n KENNEDY\n PRESSURE\n\n*FIND   2\n X\n*STOP\n"
    )
    assert detected_format(path) == "time"
    assert [(query.id, query.text) for query in read_queries(path)] == [
        ("1", "KENNEDY PRESSURE"),
        ("2", "X"),
    ]
    found = read_judgements(write(tmp_path, "TIME.REL", "1  268 288 304\n\n2  326\n3  1 02\n"))
    assert found.format == "time"
    assert found.labels == {
        "1": {"268": 1, "288": 1, "304": 1}, "2": {"326": 1}, "3": {"1": 1, "2": 1},
    }  # fmt: skip


def test_numbered_texts_as_npl_has_them(tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path, "doc-text", NPL))
    assert corpus.format == "npl"
    assert [(one.id, one.streams["body"]) for one in corpus.documents()] == [
        ("1", "compact memories have\nflexible capacities"),
        ("2", "analogue a / b computer"),
    ]
    queries = read_queries(write(tmp_path, "query-text", "1\nMEASUREMENT\nOF IT\n/\n"))
    assert [(query.id, query.text) for query in queries] == [("1", "MEASUREMENT OF IT")]
    found = read_judgements(write(tmp_path, "rlv-ass", "1\n 1239 1502\n 4462\n   /\n2\n 1613\n/\n"))
    assert found.format == "npl"
    assert found.labels == {"1": {"1239": 1, "1502": 1, "4462": 1}, "2": {"1613": 1}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1\na\n/\nno number\nb\n/\n", "must begin with its number, found 'no number'"),
        ("1\na\n/\n2\nb\n", "must end with a line of '/'"),
    ],
)
def test_a_damaged_numbered_text_is_told(tmp_path: Path, text: str, reason: str) -> None:
    whole, broken = open_corpus(write(tmp_path, "doc-text", text), "npl").documents()
    assert isinstance(whole, Document) and isinstance(broken, Broken)
    assert reason in broken.reason
    with pytest.raises(RankwiseError, match="doc-text:4"):
        read_queries(tmp_path / "doc-text", "npl")


@pytest.mark.parametrize("name", ["time", "npl"])
def test_other_words_in_judgements_are_refused(tmp_path: Path, name: str) -> None:
    text = {"time": "1 2 x\n", "npl": "1\n2 x\n/\n"}[name]
    with pytest.raises(RankwiseError, match="found 'x'"):
        read_judgements(write(tmp_path, "rel", text), name)


@pytest.mark.parametrize("name", ["time", "npl", "cisi", "medline"])
def test_each_is_built_without_naming_a_format(tmp_path: Path, name: str) -> None:
    words = [f"word{n % 7} word{n % 5} common" for n in range(12)]
    smart = "".join(f".I {n}\n.W\n{text}\n" for n, text in enumerate(words, 1))
    asked = [f"word{n}" for n in range(5)]
    npl = "".join(f"{n}\n{text}\n   /\n" for n, text in enumerate(words, 1))
    files = {
        "time": (
            "".join(f"*TEXT {9 * n:03} 01/04/63\n\n{text}\n" for n, text in enumerate(words)),
            "".join(f"*FIND {n}\n\n {text}\n" for n, text in enumerate(asked, 1)),
            "".join(f"{n}  {' '.join(map(str, range(1, n + 2)))}\n" for n in range(1, 6)),
        ),
        "npl": (
            npl,
            "".join(f"{n}\n{text}\n/\n" for n, text in enumerate(asked, 1)),
            "".join(f"{n}\n {n} {n + 1}\n/\n" for n in range(1, 6)),
        ),
        "cisi": (
            smart,
            "".join(f".I {n}\n.W\n{text}\n" for n, text in enumerate(asked, 1)),
            "".join(f"{n} {d}\t0\t0.000000\n" for n in range(1, 6) for d in (n, n + 1)),
        ),
        "medline": (
            smart,
            "".join(f".I {n}\n.W\n{text}\n" for n, text in enumerate(asked, 1)),
            "".join(f"{n} 0 {d} 1\n" for n in range(1, 6) for d in (n, n + 1)),
        ),
    }[name]  # fmt: skip
    corpus, queries, qrels = (
        write(tmp_path, part, text) for part, text in zip("dqr", files, strict=True)
    )
    built = rw.build(corpus, tmp_path / "out", queries=queries, qrels=qrels, jobs=1, depth=5)
    assert built.facts["queries"] == 5
    assert built.facts["documents"] == 12
