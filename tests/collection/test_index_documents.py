"""Documents as an index takes them: odd ones counted or refused, anchors of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.collection.corpora.document import OTHER_FILE, Broken, Document, Findings, Link
from rankwise.collection.index import indexing
from rankwise.collection.index.indexing import IndexPlan, build_index
from rankwise.errors import RankwiseError
from tests.collection.corpus_made import PLAIN
from tests.collection.made import words_in


def test_odd_documents_are_counted_or_stop_the_build(tmp_path: Path) -> None:
    found = [
        Document("a", {"t": "x"}),
        Broken("file:3", "no id"),
        Document("a", {"t": "again"}),
        Document(" ", {"t": "blank"}),
        Document("b\nc", {"t": "two lines"}),
        Document("\ud800", {"t": "surrogate"}),
        Document("two words", {"t": "blank within"}),
    ]
    plan = IndexPlan("odd", ("t",), analysis=PLAIN)
    findings = Findings()
    index = build_index(found, tmp_path / "a", plan, findings=findings)
    assert index.n_documents == 1 and index.view_names == ("t",)
    assert sorted(findings.counts.values()) == [1, 1, 4]
    for strict_input in (found[:2], [found[0], found[2]], [found[3]]):
        with pytest.raises(RankwiseError):
            build_index(strict_input, tmp_path / "b", plan, findings=Findings(strict=True))
    with pytest.raises(RankwiseError, match=r"found none that is whole; .* no id"):
        build_index(found[1:2], tmp_path / "c", plan)


def test_odd_documents_are_named_with_their_place_and_other_files_are_no_damage(
    tmp_path: Path,
) -> None:
    found = [
        Document("a", {"t": "x"}, where="file:1"),
        Document("a", {"t": "again"}, where="file:7"),
        Broken("README", "no corpus", OTHER_FILE),
    ]
    findings = Findings()
    build_index(found, tmp_path / "a", IndexPlan("odd", ("t",), analysis=PLAIN), findings=findings)
    assert findings.examples["document id that was there before, left out"] == ["'a' at file:7"]
    assert findings.counts[OTHER_FILE] == 1
    strict = Findings(strict=True)
    plan = IndexPlan("odd", ("t",), analysis=PLAIN, source="odd")
    for _ in range(2):
        build_index(found[::2], tmp_path / "b", plan, findings=strict)
        assert strict.counts == {OTHER_FILE: 1}


def test_strict_is_as_strict_with_an_index_that_is_reused(tmp_path: Path) -> None:
    plan = IndexPlan("odd", ("t",), analysis=PLAIN, source="odd")
    found = [Document("a", {"t": "x"}), Broken("file:3", "no id")]
    build_index(found, tmp_path, plan)
    with pytest.raises(RankwiseError, match="broken document, left out: file:3: no id"):
        build_index(found, tmp_path, plan, findings=Findings(strict=True))
    relaxed = Findings()
    build_index(found, tmp_path, plan, findings=relaxed)
    assert relaxed.counts == {"broken document, left out": 1}


def test_documents_without_any_word_are_indexed(tmp_path: Path) -> None:
    empty = [Document("a", {}), Document("b", {"t": ""}, links=(Link("a", ""),))]
    index = build_index(empty, tmp_path, IndexPlan("empty", ("t", "anchor"), analysis=PLAIN))
    assert index.lengths(0).tolist() == [0, 0] and index.find_term_number("x") == -1


def test_a_documents_own_anchor_comes_before_the_words_of_links_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_DOCUMENTS_A_BATCH", 2)
    documents = [
        Document("a", {"t": "x", "anchor": "own words"}, links=(Link("b", "to b"),)),
        Document("b", {"t": "y y"}, links=(Link("a", "to a"), Link("c", "to c"))),
        Document("c", {"anchor": "mine"}, links=(Link("a", "again"), Link("b", "too"))),
        Document("d", {"t": "z", "anchor": "alone"}),
    ]
    index = build_index(documents, tmp_path, IndexPlan("x", ("anchor", "t"), analysis=PLAIN))
    texts = [" ".join(words_in(index, number, "whole")) for number in range(4)]
    assert texts == [
        "own words to a again x",
        "to b too y y",
        "mine to c",
        "alone z",
    ]
    assert index.lengths(index.place("anchor")).tolist() == [5, 3, 3, 1]


def test_links_find_numbers_written_with_other_zeros(tmp_path: Path) -> None:
    links = {"0001": "2", "002": "0001", "3": "001", "04": "4", "004": "04"}
    documents = [Document(one, {"t": "x"}, links=(Link(to),)) for one, to in links.items()]
    findings = Findings()
    index = build_index(documents, tmp_path, IndexPlan("x", ("t",)), findings=findings)
    offsets, targets = index.links
    found = [list(targets[offsets[n] : offsets[n + 1]]) for n in range(5)]
    # `4` may be `04` or `004`.
    assert found == [[1], [0], [0], [], [3]]
    assert sum(findings.counts.values()) == 1
