"""Choosing results: by collection, data set and method, and without what is marked."""

from __future__ import annotations

import pytest

from rankwise.comparison import compare
from rankwise.errors import RankwiseError
from rankwise.results import find_marks, read_shipped


def test_names_are_short_or_full_in_any_case() -> None:
    short = compare(datasets=["mq2008"])
    full = compare(datasets=["LETOR 4.0 MQ2008"])
    assert short.rows == full.rows
    assert short.table.datasets() == ["LETOR 4.0 MQ2008"]
    assert set(compare(collections=["letor 3.0"]).table.collection) == {"LETOR 3.0"}


def test_methods_are_compared_among_themselves() -> None:
    found = compare(methods=["ListNet", "RankBoost"])
    assert {row.method for row in found.rows} == {"ListNet", "RankBoost"}
    assert all(row.iwn <= 53 for row in found.rows)


def test_what_is_not_there_gets_the_nearest_name() -> None:
    with pytest.raises(RankwiseError, match="no method called ListNett; did you mean ListNet"):
        compare(methods=["ListNett"])
    with pytest.raises(RankwiseError, match=r"no collection called X; it has LETOR 3\.0"):
        compare(collections=["X"])


def test_credible_leaves_out_what_is_marked_and_says_so() -> None:
    table = read_shipped("tax2015_results")
    found = compare(credible=True)
    assert len(found.table) == sum(not marks for marks in find_marks(table))
    assert found.remarks[0] == "left out: 99 of 1,050 results are marked as not comparable"
    assert {"LRUF", "LARF", "VFLR", "GPRank"}.isdisjoint(row.method for row in found.rows)
    assert found.front() == (
        "RankCSA", "BL-MART", "RE-QR", "BoltzRank-Pair", "SparseRank", "FSMRank", "FenchelRank",
        "SmoothRank", "ListNet", "AdaRank-MAP", "RankBoost", "AdaRank-NDCG",
    )  # fmt: skip
