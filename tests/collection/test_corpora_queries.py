"""Queries and judgements: formats, the numbering of Cranfield, what does not fit together."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.collection.corpora.document import Findings
from rankwise.collection.corpora.judgements import read_judgements
from rankwise.collection.corpora.query_files import CorpusQuery, read_queries
from rankwise.collection.judged_queries import match_numbering
from rankwise.errors import FormatError, RankwiseError


def test_tsv_queries_may_have_a_class(tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    path.write_text("1\tlift of wings\n\nq2\tdrag\tknown item\n")
    assert read_queries(path) == [
        CorpusQuery("1", "lift of wings"),
        CorpusQuery("q2", "drag", "known item"),
    ]


def test_trec_topics_by_field(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text(
        "<top>\n<num> Number: 301\n<title> Crime\n<desc> Description:\nIdentify\norganizations\n"
        "<narr> Narrative:\nA document\n</top>\n<top><num>302<title>Polio</top>\n"
    )
    assert read_queries(path)[0] == CorpusQuery("301", "Crime")
    assert read_queries(path, field="title+desc")[0].text == "Crime Identify organizations"
    assert [query.id for query in read_queries(path)] == ["301", "302"]
    with pytest.raises(RankwiseError, match="joined by"):
        read_queries(path, field="title,desc")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<title> Topic: beta < gamma\n<desc> d", "beta < gamma"),
        ("<title> a <smoothing> method\n<desc> d", "a method"),
        ("<query>aa <b>bo</b>ld &lt;x> tail</query> between <note>n</note>", "aa bold <x> tail"),
        ("<title> T\n<dom> Domain: x\n<desc> d\n<con> c", "T"),
        ("<title>T</title>\n<subtopic number='1'>no</subtopic>", "T"),
        ("<title> Topic: indicadores\n<E-title> indicators\n<purp> background", "indicadores"),
        ("<query>two\n<i>lines</i> of it</query>", "two lines of it"),
        ("<title>\n<p>\nWhat is\n<br/> a cat?", "What is a cat?"),
        ("<title>\n<b>cat\n", "cat"),
        ("<title> see\n<http://x.org/> for more", "see for more"),
        ("<title> cat\n<smry> long summary </smry>", "cat"),
        ("<title> cat <smry> Summary: y", "cat"),
        ("<title> cat\n<fac> Factor(s):\n<nat> n </nat> </fac>", "cat"),
        ("<title></title><title>second</title><title>third</title>", "second"),
    ],
)
def test_the_text_of_a_topic_ends_with_its_field(tmp_path: Path, content: str, text: str) -> None:
    path = tmp_path / "topics"
    path.write_text(f"<top>\n<num> Number: 051 <kind> x {content}</top>\n")
    assert read_queries(path) == [CorpusQuery("051", text)]


@pytest.mark.parametrize("pattern", ["<title", "<title ", "<title>", "<desc><", "</title >", "<a "])
def test_topics_take_time_in_proportion_to_their_size(tmp_path: Path, pattern: str) -> None:
    path = tmp_path / "topics"
    path.write_text(f"<top><num>1<title>x {pattern * (1_000_000 // len(pattern))}</top>")
    assert read_queries(path)[0].id == "1"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("1\ta\tb\tc\n", "found 4 columns"),
        ("1\ta\n1\tb\n", "found '1' twice"),
        ("\n\n", "found none"),
        ("<top><title>no number</top>", "must have a number"),
        ("<top><num>1<title>a\n<top><num>2<title>b</top>", ":1: a topic must have a </top>"),
        ("\n<top>" * 200_000, ":2: a topic must have a </top>"),
        ('<topic type="x"><query>a</query></topic>', "must have a number"),
        (".I\n.W\nwords\n", "found no id"),
        (".IX\n.I 1\n.W\nwords\n", ":1: text must follow"),
    ],
)
def test_bad_queries_are_sentences(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "queries"
    path.write_text(content)
    with pytest.raises(RankwiseError, match=problem):
        read_queries(path)


def test_a_file_without_topics_holds_none(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("nothing")
    with pytest.raises(RankwiseError, match="must hold queries, found none"):
        read_queries(tmp_path / "topics", "trec")


def test_topics_of_the_web_tracks_are_read_without_entities(tmp_path: Path) -> None:
    path = tmp_path / "topics.xml"
    path.write_text(
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>\n<webtrack2012>\n'
        '<topic number="51" type="faceted"><query>horse &amp; &a; hooves</query>\n'
        "<description>About\nhooves</description>"
        '<subtopic number="1" type="inf">not the query</subtopic></topic>\n'
        "<topic type=x number=52><query>avp</query><narrative>N</narrative></topic></webtrack2012>"
    )
    assert read_queries(path) == [CorpusQuery("51", "horse & &a; hooves"), CorpusQuery("52", "avp")]
    assert read_queries(path, field="title+desc+narr")[0].text.endswith("hooves About hooves")
    assert read_queries(path, field="narr")[1].text == "N"


@pytest.mark.parametrize(
    "content", ["1\twings\n", ".I 1\n.W\nwings\n", "<top><num>1<title>wings</top>"]
)
def test_a_byte_order_mark_is_no_part_of_a_query(tmp_path: Path, content: str) -> None:
    path = tmp_path / "queries"
    path.write_text(content, encoding="utf-8-sig")
    assert read_queries(path) == [CorpusQuery("1", "wings")]


def test_a_byte_order_mark_is_no_part_of_a_judgement(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 2\n", encoding="utf-8-sig")
    assert read_judgements(path).labels == {"1": {"a": 2}}


def test_judgement_formats_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 2\n1 0 b -1\n2 0 a 0\n")
    trec = read_judgements(path)
    assert trec.format == "trec"
    assert trec.labels == {"1": {"a": 2, "b": 0}, "2": {"a": 0}}
    path.write_text("01 1410  0 0\n01 1572  0 0\n02 0007 0 0\n")
    smart = read_judgements(path)
    assert smart.format == "smart"
    assert smart.labels == {"01": {"1410": 1, "1572": 1}, "02": {"0007": 1}}
    path.write_text("1 a\n1 b\n2 a\n")
    pairs = read_judgements(path)
    assert pairs.format == "smart" and pairs.labels == {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    path.write_text("1 184 2\n1 12 3\n")
    assert read_judgements(path).labels == {"1": {"184": 2, "12": 3}}


def test_a_qrels_file_of_irrelevant_documents_is_not_taken_for_smart(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 0 0\n2 0 0 0\n")
    assert read_judgements(path).format == "trec"


def test_cleverdons_codes_are_turned_round(tmp_path: Path) -> None:
    path = tmp_path / "cranqrel"
    path.write_text("".join(f"1 {code + 10} {code}\n" for code in (-1, 1, 2, 3, 4, 5)))
    labels = read_judgements(path, "smart", rule="cleverdon").labels["1"]
    assert [labels[str(code + 10)] for code in (1, 2, 3, 4, 5, -1)] == [4, 3, 2, 1, 0, 0]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("1 0 a\n1 0 b 1\n", "columns"),
        ("1 0 a x\n", "label must be a number"),
        ("1 0 a nan\n", "label must be a number"),
        ("1 0 a inf\n", "label must be a number"),
        ("1 0 a 1_0\n", "label must be a number"),
        ("1 0 a 1000.5\n", "label must be a number"),
        ("1 0 a 99999999999\n", "label must be a number"),
        ("1 0 a 0000000001234567\n", "label must be a number"),
        ("1 0 a -0000000001234567\n", "label must be a number"),
        ("1 0 a 1001\n", "label must be a number"),
        (f"1 0 a {'9' * 5000}\n", "label must be a number"),
        ("1 0 a --1\n", "label must be a number"),
        ("1 0 a -\n", "label must be a number"),
        ("1 0 a 1\n1 0 a 2\n", "found two"),
        ("", "found none"),
    ],
)
def test_bad_judgements_are_sentences(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(content)
    with pytest.raises(RankwiseError, match=problem):
        read_judgements(path, "auto" if not content.startswith("1 0 a\n") else "trec")


@pytest.mark.parametrize("format_name", ["auto", "trec", "smart", "columns"])
def test_a_file_without_judgements_is_refused_in_every_format(
    tmp_path: Path, format_name: str
) -> None:
    path = tmp_path / "qrels"
    path.write_text(" \n\n")
    with pytest.raises(RankwiseError, match="must hold judgements, found none"):
        read_judgements(path, format_name)


def test_labels_may_have_leading_zeros(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(f"1 0 a 00000000001000\n1 0 b 000\n1 0 c {'0' * 5000}2\n1 0 d -0001\n")
    assert read_judgements(path).labels == {"1": {"a": 1000, "b": 0, "c": 2, "d": 0}}


def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n1 0 b oops\n")
    with pytest.raises(FormatError) as caught:
        read_judgements(path)
    assert str(caught.value).startswith(f"{path}:2: ")


def test_cranfields_judgements_call_queries_by_their_place(shared: Path) -> None:
    folder = shared / "data/collections/cranfield"
    queries = read_queries(folder / "cran.qry")
    judgements = read_judgements(folder / "cranqrel", rule="cleverdon")
    findings = Findings()
    renamed = match_numbering(queries, judgements, findings)
    assert queries[-1].id == "365" and renamed[-1].id == "225"
    assert renamed[-1].text == queries[-1].text
    assert len(findings.counts) == 1
    topics = read_queries(folder / "cran.qry.trec-format", field="desc")
    assert [q.text.split() for q in topics] == [q.text.split() for q in renamed]


def test_queries_that_judgements_name_by_id_keep_their_ids(shared: Path) -> None:
    folder = shared / "data/collections/cacm"
    queries = read_queries(folder / "query.text")
    judgements = read_judgements(folder / "qrels.text")
    assert match_numbering(queries, judgements, Findings()) is queries
    assert len(queries) == 64 and len(judgements.labels) == 52
