"""Judgements of several assessors and of tools: grades that are no whole numbers, lists, tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.collection import build_features, open_metadata
from rankwise.collection.corpora.judgements import read_judgements
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from tests.collection.built import make_build

SEVERAL = "1 0 a 3\n1 0 b 0\n1 0 a 1\n1 0 b 0\n1 0 a 1\n2 0 a 2\n"
NAMED = "1 ann a 3\n1 ann b 0\n1 bob a 1\n1 cid a 1\n1 cid b 0\n2 bob a 2\n"


def _read(tmp_path: Path, content: str, **options: Any) -> Any:
    (tmp_path / "qrels").write_text(content)
    return read_judgements(tmp_path / "qrels", **options)


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("mean", {"1": {"a": 5 / 3, "b": 0}, "2": {"a": 2}}),
        ("majority", {"1": {"a": 1, "b": 0}, "2": {"a": 2}}),
        ("max", {"1": {"a": 3, "b": 0}, "2": {"a": 2}}),
        ("assessor=1", {"1": {"a": 3, "b": 0}, "2": {"a": 2}}),
        ("assessor=2", {"1": {"a": 1, "b": 0}}),
        ("assessor=3", {"1": {"a": 1}}),
    ],
)
def test_labels_of_several_assessors_become_one(
    rule: str, labels: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    assert _read(tmp_path, SEVERAL, rule=rule).labels == labels
    columns = SEVERAL.replace(" 0 ", " ", 6).replace("1 b\n", "1 b 0\n")
    assert _read(tmp_path, columns, rule=rule, format_name="columns").labels == labels


def test_assessors_have_the_names_of_the_second_column(tmp_path: Path) -> None:
    assert _read(tmp_path, NAMED, rule="assessor=bob").labels == {"1": {"a": 1}, "2": {"a": 2}}
    assert _read(tmp_path, NAMED, rule="assessor=cid").labels == {"1": {"a": 1, "b": 0}}
    with pytest.raises(RankwiseError, match="must be one of ann, bob, cid, found '2'"):
        _read(tmp_path, NAMED, rule="assessor=2")


def test_equal_numbers_of_votes_are_the_lower_label(tmp_path: Path) -> None:
    assert _read(tmp_path, "1 0 a 3\n1 0 a 1\n", rule="majority").labels == {"1": {"a": 1}}


def test_the_agreement_is_that_of_pairs_and_of_chance(tmp_path: Path) -> None:
    """The pairs of a are 31, 31, 11, that of b 00; of the five labels one is 3, two 1, two 0."""
    found = _read(tmp_path, SEVERAL, rule="mean").agreement
    agreement, chance = (1 / 3 + 1) / 2, (1 / 5) ** 2 + 2 * (2 / 5) ** 2
    assert found == {
        "assessors": 3, "documents_with_several": 2, "agreement": round(agreement, 6),
        "kappa": round((agreement - chance) / (1 - chance), 6),
    }  # fmt: skip
    assert _read(tmp_path, "1 0 a 1\n", rule="mean").agreement == {
        "assessors": 1, "documents_with_several": 0,
    }  # fmt: skip
    same = _read(tmp_path, "1 0 a 1\n1 0 a 1\n", rule="mean").agreement
    assert same["agreement"] == 1 and same["kappa"] is None


def test_several_labels_without_a_rule_are_refused_with_the_rules(tmp_path: Path) -> None:
    sentence = r"'a' must have one label in query '1', found two; .*labels='mean'"
    with pytest.raises(RankwiseError, match=sentence):
        _read(tmp_path, SEVERAL)
    for wrong in ("median", "assessor", "assessor=", "mean=2"):
        with pytest.raises(RankwiseError, match="a label rule is one of"):
            _read(tmp_path, SEVERAL, rule=wrong)


def test_labels_need_not_be_whole_numbers(tmp_path: Path) -> None:
    labels = {"1": {"a": 3, "b": 2.33, "c": 0}}
    assert _read(tmp_path, "1 0 a 3.0\n1 0 b 2.33\n1 0 c -0.5\n").labels == labels
    assert _read(tmp_path, "1 a 3.0\n1 b 2.33\n1 c -1\n").labels == labels


LIST = """\
# grade (0-4)	queryid	docId	title
# qid:1: rambo
#
4	qid:1 #	7555	Rambo
2.5 qid:1 1:0.5 2:NULL # 1370
0 qid:q2 1:3 #docid = 9 inc = 1
"""


def test_judgement_lists_of_ranklib_are_recognised(tmp_path: Path) -> None:
    found = _read(tmp_path, LIST)
    assert found.format == "ranklib"
    assert found.labels == {"1": {"7555": 4, "1370": 2.5}, "q2": {"9": 0}}
    with pytest.raises(RankwiseError, match=r"qrels:1: .*must be: grade qid:ID # document"):
        _read(tmp_path, "4 qid:1 1:0.5\n")


BASIC = 'query,docid,rating\n"red, shoes",d1,3\nTEA  pot,d2,1.5\nTEA  pot,d3,\n'
DETAILED = (
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
    't,c,1,"red, shoes",d1,1,x,3\nt,c,1,TEA pot,d2,1,"a\nb",1.5\n'
)
BOOK = 'query,docid,ann@x.org,Bob\n"red, shoes",d1,2,4\ntea pot,d2,,1.5\n'


def test_tables_of_quepid_are_recognised(tmp_path: Path) -> None:
    labels = {"red, shoes": {"d1": 3}, "TEA pot": {"d2": 1.5}}
    for content in (BASIC, DETAILED):
        found = _read(tmp_path, content)
        assert (found.format, found.labels) == ("quepid", labels)
    book = _read(tmp_path, BOOK, rule="mean")
    assert book.labels == {"red, shoes": {"d1": 3}, "tea pot": {"d2": 1.5}}
    assert _read(tmp_path, BOOK, rule="assessor=ann@x.org").labels == {"red, shoes": {"d1": 2}}
    with pytest.raises(RankwiseError, match="must have one label in query 'red, shoes', found two"):
        _read(tmp_path, BOOK)
    with pytest.raises(RankwiseError, match=r"qrels:2: .*a rating must be a number, found 'x'"):
        _read(tmp_path, "query,docid,rating\na,b,x\n")
    with pytest.raises(RankwiseError, match=r"qrels:2: .*must have the header's 3 cells, found 2"):
        _read(tmp_path, "query,docid,rating\na,b\n")


def test_a_build_has_mean_labels_and_the_agreement_of_its_assessors(tmp_path: Path) -> None:
    make_build(tmp_path)
    rows = [row.split() for row in (tmp_path / "qrels").read_text().splitlines()]
    second = [
        f"{query} 1 {document} {(int(label) + 1) % 3}\n" for query, _, document, label in rows
    ]
    with (tmp_path / "qrels").open("a") as file:
        file.writelines(second)
    built = rw.build(
        tmp_path / "corpus.jsonl", tmp_path / "several", queries=tmp_path / "queries.tsv",
        qrels=tmp_path / "qrels", depth=8, jobs=1, stemmer="none", labels="mean",
    )  # fmt: skip
    card = json.loads((built.output / "data-card.json").read_text())["judgements_from"]
    assert card["labels"] == "mean" and card["assessors"] == 2 and card["agreement"] == 0
    data = read(built.output / "Feature-min" / "ALL" / "corpus.txt")
    assert set(np.unique(data.labels)) == {0.5, 1, 1.5}
    build_features(open_metadata(built.output / "Meta"), tmp_path / "again")
    assert np.array_equal(read(tmp_path / "again/Feature-min/ALL/corpus.txt").labels, data.labels)


def test_queries_of_quepid_are_found_by_their_texts(tmp_path: Path) -> None:
    make_build(tmp_path)
    texts = dict(row.split("\t") for row in (tmp_path / "queries.tsv").read_text().splitlines())
    rows = [row.split() for row in (tmp_path / "qrels").read_text().splitlines()]
    table = [f"{texts[query].upper()},{document},{label}\n" for query, _, document, label in rows]
    (tmp_path / "quepid.csv").write_text("query,docid,rating\n" + "".join(table))
    built = rw.build(
        tmp_path / "corpus.jsonl", tmp_path / "quepid", queries=tmp_path / "queries.tsv",
        qrels=tmp_path / "quepid.csv", depth=8, jobs=1, stemmer="none",
    )  # fmt: skip
    name = "Feature-min/ALL/corpus.txt"
    assert (built.output / name).read_bytes() == (tmp_path / "built" / name).read_bytes()
