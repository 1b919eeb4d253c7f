"""SMART records and OHSUMED's: where fields begin, citations, text that belongs to none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.query_files import read_queries
from rankwise.errors import RankwiseError


def whole(path: Path, format_name: str = "auto") -> list[Document]:
    found = open_corpus(path, format_name).documents()
    return [one for one in found if isinstance(one, Document)]


def test_smart_fields_streams_and_citations(tmp_path: Path) -> None:
    path = tmp_path / "cacm"
    path.write_text(
        ".I 1\n.T\nFirst\ntitle\n.A\nAuthor\n.W\nText .I is not a record here\n.X\n"
        "02\t5\t1\n1\t5\t1\n3\t6\t1\n02\t5\t1\n.I 02\n.T\nSecond\n.N\nnote\n"
    )
    first, second = whole(path)
    assert first.streams == {
        "title": "First\ntitle",
        "author": "Author",
        "abstract": "Text .I is not a record here",
    }
    assert first.links == (Link("02"),)
    assert second.id == "02" and second.streams == {"title": "Second"}


def test_counts_of_co_citations_are_no_links(tmp_path: Path) -> None:
    path = tmp_path / "cisi"
    record = ".I {0}\n.T\nText\n.X\n{0}\t5\t{0}\n{1}\t5\t{0}\n3\t{2}\t{0}\n"
    for other in (1, 3, 7, 10):
        path.write_text(record.format(1, 2, 5) + record.format(2, 1, other))
        assert [document.links for document in whole(path)] == [(), ()]
    path.write_text(record.format(1, 2, 4) + record.format(2, 1, 6))
    assert [document.links for document in whole(path)] == [(Link("2"),), (Link("1"),)]


def test_cacm_has_the_citations_of_its_description(shared: Path) -> None:
    documents = whole(shared / "data" / "collections" / "cacm" / "cacm.all")
    links = {(d.id, link.target) for d in documents for link in d.links}
    assert all((target, source) in links for source, target in links)
    rows = re.findall(
        r"^(\d+)\t5\t(\d+)$",
        (shared / "data" / "collections" / "cacm" / "cacm.all").read_text("latin-1"), re.MULTILINE,
    )  # fmt: skip
    assert links == {(own, other) for other, own in rows if own != other} and len(links) > 3000


def test_smart_marks_are_two_characters_and_blanks(tmp_path: Path) -> None:
    path = tmp_path / "smart"
    path.write_text(".I\t1\n.T \nOn\n.NT\n.I\t2\n.W\t\n.Net\n.x\n.IX\n")
    first, second = whole(path)
    assert (first.id, first.streams) == ("1", {"title": "On\n.NT"})
    assert (second.id, second.streams) == ("2", {"abstract": ".Net\n.x\n.IX"})


@pytest.mark.parametrize("format_name", ["smart", "ohsumed"])
def test_text_before_the_first_smart_record_is_broken(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "smart"
    path.write_text("\n \n.T\nlost\n.I 2\n.T\nkept\n")
    stray, kept = open_corpus(path, format_name).documents()
    assert isinstance(stray, Broken) and stray.is_damage and stray.where == f"{path}:3"
    assert "found some before it" in stray.reason
    assert isinstance(kept, Document) and (kept.id, kept.streams) == ("2", {"title": "kept"})


def test_ohsumed_is_told_from_smart_and_named_by_its_medline_id(tmp_path: Path) -> None:
    path = tmp_path / "ohsumed"
    path.write_text(".I 1\n.U\n87049087\n.T\nHeart\n.W\nBeats.\n.I 2\n.U\n87049088\n.T\nLung\n")
    corpus = open_corpus(path)
    assert corpus.format == "ohsumed"
    assert [d.id for d in whole(path)] == ["87049087", "87049088"]


def test_text_may_stand_on_the_line_of_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "smart"
    path.write_text(
        ".I 1\n.T On wings\nof song\n.W\tbody\n.5 mach\n. a\n.Z no mark\n.Ab\n.W  more\n"
        ".X 2\t5\t1\n.I 2\n.A\nText\n.U not SMART's\n"
    )
    first, second = whole(path, "smart")
    assert first.streams == {
        "title": "On wings\nof song",
        "abstract": "body\n.5 mach\n. a\n.Z no mark\n.Ab\n more",
    }
    assert first.links == (Link("2"),)
    assert second.streams == {"author": "Text\n.U not SMART's"}
    assert read_queries(path)[0].text.startswith("On wings")
    path.write_text(".I 1\n.U 870\n.M Heart\n.B is no mark\n.W\nBeats.\n")
    (reference,) = open_corpus(path, "ohsumed").documents()
    assert reference == Document("870", {"mesh": "Heart\n.B is no mark", "abstract": "Beats."})


@pytest.mark.parametrize("format_name", ["smart", "ohsumed"])
def test_text_before_the_first_mark_of_a_record_is_said(tmp_path: Path, format_name: str) -> None:
    path = tmp_path / "smart"
    path.write_text(".I 1\n\n.T\nkept\n.I 2\nno mark\n.T\nx\n.I 3\n")
    kept, broken, empty = open_corpus(path, format_name).documents()
    assert isinstance(kept, Document) and isinstance(empty, Document)
    assert isinstance(broken, Broken) and broken.is_damage and broken.where == f"{path}:5"
    assert "found 'no mark'" in broken.reason
    with pytest.raises(RankwiseError, match="found 'no mark'"):
        read_queries(path)
