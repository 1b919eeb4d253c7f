"""Queries and judgements matched: by id, by place only where there is no doubt, refused early."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.collection.analysis import Analysis
from rankwise.collection.corpora.document import Document, Findings, find_places
from rankwise.collection.corpora.judgements import Judgements
from rankwise.collection.corpora.query_files import CorpusQuery
from rankwise.collection.features.feature_files import QueryClasses
from rankwise.collection.index.indexing import IndexPlan, build_index
from rankwise.collection.judged_queries import (
    check_queries,
    is_named_by_place,
    match_numbering,
    select_judged_queries,
)
from rankwise.errors import RankwiseError

CRANFIELD_LIKE = [1, 2, 4, 8, 9, 10, 12, 13]


def asked(ids: list[int]) -> list[CorpusQuery]:
    return [CorpusQuery(str(number), f"text of {number}") for number in ids]


def judged(ids: range | list[int]) -> Judgements:
    return Judgements({str(number): {"d": 1} for number in ids}, "smart", "binary")


@pytest.mark.parametrize(
    "ids",
    [
        [1, 2, 3, 5, 6, 7],
        [1, 2, 3, 4, 5, 6],
        [7, 1, 8, 2, 9, 3],
        [1, 2, 3, 4, 5],
        [101, 102, 103, 104, 105, 106, 107],
    ],
)
def test_a_missing_topic_never_moves_judgements(ids: list[int]) -> None:
    queries = asked(ids)
    findings = Findings()
    assert match_numbering(queries, judged(range(1, 7)), findings) is queries
    assert not findings.counts


@pytest.mark.parametrize("missing", range(1, 9))
def test_judgements_that_leave_out_a_place_do_not_name_places(missing: int) -> None:
    names = [number for number in range(1, 9) if number != missing]
    assert not is_named_by_place(asked(CRANFIELD_LIKE), judged(names))


def test_cranfields_way_is_recognised_and_said() -> None:
    findings = Findings()
    renamed = match_numbering(asked(CRANFIELD_LIKE), judged(range(1, 9)), findings)
    assert [query.id for query in renamed] == [str(n) for n in range(1, 9)]
    assert [query.text for query in renamed] == [f"text of {n}" for n in CRANFIELD_LIKE]
    assert "query 13 is now 8" in findings.lines()[0]


def test_what_is_asked_for_decides() -> None:
    cranfield, plain = asked(CRANFIELD_LIKE), asked([1, 2, 3, 5, 6, 7])
    assert match_numbering(cranfield, judged(range(1, 9)), Findings(), "file") is cranfield
    renamed = match_numbering(plain, judged(range(1, 7)), Findings(), "place")
    assert [query.id for query in renamed] == ["1", "2", "3", "4", "5", "6"]


def test_ids_that_are_no_numbers_of_this_world_are_ids() -> None:
    queries = [*asked([1, 2, 4]), CorpusQuery("9" * 5000, "x")]
    assert not is_named_by_place(queries, judged(range(1, 5)))


@pytest.mark.parametrize(
    ("asked_for", "there", "expected"),
    [
        (["001", "1"], ["1", "001"], {"001": 1, "1": 0}),
        (["51", "052"], ["051", "52"], {"51": 0, "052": 1}),
        (["0", "00a", "9"], ["000", "0a", "8"], {"0": 0}),
        (["1"], ["01", "001"], {}),
        (["1"], ["01", "1"], {"1": 1}),
        (["1", "01"], ["001"], {"1": 0, "01": 0}),
        (["1", "01"], ["1"], {"1": 0, "01": 0}),
    ],
)
def test_ids_are_matched_exactly_and_else_without_leading_zeros_where_only_one_can_be_meant(
    asked_for: list[str], there: list[str], expected: dict[str, int]
) -> None:
    assert find_places(asked_for, there) == expected


def test_zeros_in_front_lose_no_judgement_and_ids_stay_as_they_are(tmp_path: Path) -> None:
    plan = IndexPlan("x", ("t",), analysis=Analysis(stemmer="none"))
    index = build_index([Document(f"00{n}", {"t": "x"}) for n in range(9)], tmp_path, plan)
    queries = [CorpusQuery(f"05{number}", "words") for number in range(1, 7)]
    labels = {"51": {"001": 1, "2": 1}, "052": {"3": 2, "9": 1}}
    findings = Findings()
    one, two = select_judged_queries(index, queries, Judgements(labels, "trec", "as-is"), findings)
    assert (one.query.id, two.query.id) == ("051", "052")
    assert (one.judged, two.judged) == ({1: 1, 2: 1}, {3: 2})
    assert findings.examples == {
        "judgement for a document that is not there, left out": ["query 052, document 9"],
        "query without judgements, left out": ["query 053", "query 054", "query 055", "query 056"],
    }
    check_queries(queries, judged([51, 52, 53, 54, 55]), Analysis(stemmer="none"))


def test_places_may_be_written_with_zeros() -> None:
    places = Judgements({f"{n:03d}": {"d": 1} for n in range(1, 9)}, "smart", "binary")
    queries = [CorpusQuery(f"{n:03d}", "text") for n in CRANFIELD_LIKE]
    assert is_named_by_place(queries, places)
    assert match_numbering(queries, places, Findings())[-1].id == "8"


@pytest.mark.parametrize("identifier", ["", "a b", "a#b", "q" * 300, "ü" * 60])
def test_ids_that_no_file_can_hold_are_refused_before_indexing(identifier: str) -> None:
    queries = [*asked([1, 2, 3, 4, 5, 6]), CorpusQuery(identifier, "x")]
    with pytest.raises(RankwiseError, match="a query id must"):
        check_queries(queries, judged(range(1, 7)), Analysis(stemmer="none"))


def test_too_few_queries_are_refused_before_indexing_with_the_reasons() -> None:
    queries = [*asked([1, 2, 3, 4, 5]), CorpusQuery("6", "the of and")]
    with pytest.raises(RankwiseError, match=r"at least 5.* found 4; .*without judgements.*query 5"):
        check_queries(queries, judged([1, 2, 3, 4, 6]), Analysis(stemmer="none"))
    check_queries(queries, judged(range(1, 6)), Analysis(stemmer="none"))


def test_only_queries_of_the_data_set_need_a_class() -> None:
    queries = [*asked([1, 2, 3, 4, 5, 7]), CorpusQuery("6", "the of and")]
    plain, labels = Analysis(stemmer="none"), judged(range(1, 7))
    classes = {str(number): "ab"[number % 2] for number in range(1, 6)}
    check_queries(queries, labels, plain, QueryClasses(classes))
    del classes["4"]
    with pytest.raises(RankwiseError, match="every query must have a class, found none for '4'"):
        check_queries(queries, labels, plain, QueryClasses(classes))


def test_zeros_in_front_lose_no_class() -> None:
    queries = [CorpusQuery(f"{number:03d}", "words") for number in range(1, 6)]
    given = QueryClasses({str(number): f"c{number}" for number in range(1, 6)} | {"9": "a"})
    classes = check_queries(queries, judged(range(1, 6)), Analysis(stemmer="none"), given)
    assert classes is not None and classes.numbers == given.numbers
    assert [classes.number(query.id) for query in queries] == [2, 3, 4, 5, 6]


PROGRAM = """
from rankwise.collection.analysis import Analysis
from rankwise.collection.corpora.query_files import CorpusQuery
from rankwise.collection.corpora.document import Findings
from rankwise.collection.corpora.judgements import Judgements
from rankwise.collection.judged_queries import check_queries
labels = {f"q{n}": {"d": 1} for n in range(40)}
try:
    check_queries([CorpusQuery("q1", "x")], Judgements(labels, "trec", "as-is"), Analysis())
except Exception as error:
    print(error)
"""


def test_findings_do_not_depend_on_how_python_hashes() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert "query q0; query q2; query q3; query q4; query q5; …" in said[0]


def test_two_spellings_must_not_contradict_each_other_and_count_once(tmp_path: Path) -> None:
    plan = IndexPlan("x", ("t",), analysis=Analysis(stemmer="none"))
    index = build_index([Document(f"{n}", {"t": "x"}) for n in range(9)], tmp_path, plan)
    queries = [CorpusQuery("1", "words")]
    labels: dict[str, dict[str, int]] = {"1": {"3": 1, "03": 1}, "01": {"3": 1, "4": 0, "99": 2}}
    [found] = select_judged_queries(index, queries, Judgements(labels, "trec", "as-is"), Findings())
    assert (found.judged, found.relevant) == ({3: 1, 4: 0}, 2)
    for wrong in ({"1": {"3": 1, "03": 0}}, {"1": {"3": 1}, "01": {"3": 0}}):
        with pytest.raises(RankwiseError, match="must have one label in query '1', found two"):
            select_judged_queries(index, queries, Judgements(wrong, "trec", "as-is"), Findings())
