"""The page of accuracy: that it is made of its facts, what merging keeps, what is published."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from rankwise.rankers.registry import ranker_names
from rankwise.results import name_ranker, read_shipped

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def page() -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        import accuracy_page
    finally:
        sys.path.remove(str(FOLDER))
    return accuracy_page


def test_the_page_is_made_of_the_facts(page: ModuleType) -> None:
    assert page.as_markdown(page.read_facts()) == page.PAGE.read_text("utf-8")


def test_facts_are_read_as_they_were_written(page: ModuleType, tmp_path: Path) -> None:
    known = page.read_facts()
    page.write_facts(reversed(known), tmp_path / "facts.csv")
    assert page.read_facts(tmp_path / "facts.csv") == known
    assert (tmp_path / "facts.csv").read_bytes() == page.FACTS.read_bytes()


def test_merging_replaces_the_same_method_and_data_set_only(page: ModuleType) -> None:
    known = page.read_facts()
    one = next(fact for fact in known if fact.method == "listnet")
    new = replace(one, means=dict.fromkeys(page.MEASURES, 0.5))
    merged = page.merge_facts(known, [new])
    assert len(merged) == len(known)
    assert [fact for fact in merged if fact not in known] == [new]
    added = replace(new, method="zzz:Own")
    assert page.merge_facts(known, [added])[-1].method != "random order"
    assert len(page.merge_facts(known, [added])) == len(known) + 1


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("RankELM (pairwise)", "rankelm-pairwise"),
        ("REG-SHF-SDCG", "reg-shf-sdcg"),
        ("CA", "coordinate-ascent"),
        ("Best Single Feature", "best-feature"),
        ("Linear Regression", "linear-regression"),
    ],
)
def test_methods_of_papers_have_our_names(printed: str, name: str) -> None:
    assert name_ranker(printed) == name


def test_published_figures_are_those_of_the_shipped_tables(page: ModuleType) -> None:
    ohsumed, mq2008, mq2007 = map(page.find_published, ("ohsumed", "mq2008", "mq2007"))
    assert str(ohsumed["ridge-regression"]["MAP"]) == ".4439"
    assert str(ohsumed["dearank-i-map"]["NDCG@10"]) == ".456"
    assert str(ohsumed["rcp"]["MAP"]) == ".4490†"
    assert str(ohsumed["permurank"]["MAP"]).endswith("†*")
    assert str(mq2008["fsm-svm"]["NDCG@10"]).endswith("*")
    assert str(mq2008["rankrls"]["NDCG@10"]) == ".2268"
    assert str(mq2007["ranksvm"]["NDCG@3"]).endswith("*")


def test_each_of_the_87_methods_is_built_or_has_its_reason() -> None:
    methods = {str(name) for name in read_shipped("tax2015_results").method}
    assert len(methods) == 87
    built = {name for name in methods if name_ranker(name) in ranker_names()}
    reasons = (ROOT / "docs/rankers/not-built.md").read_text("utf-8")
    listed = set(re.findall(r"^\| ([^|]+?) \|", reasons, re.M)) - {"method"}
    assert listed == methods - built
    assert f"{len(built)} of the 87 methods" in (ROOT / "README.md").read_text("utf-8")
    assert f"For the {len(listed)} below it does not" in reasons
