"""Weights: what counts alike in a winning number."""

from __future__ import annotations

import pytest

from rankwise.comparison import compare, resample_datasets
from rankwise.comparison.method_ranking import compare_table
from rankwise.comparison.sensitivity import PARTS, leave_out
from rankwise.comparison.winning_numbers import WEIGHTS, Weights, count_queries
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable

# A wins 2 of 2 on MQ2008 and 0 of 1 on MQ2007 and on OHSUMED; each in MAP, MQ2008 in NDCG too.
FACTS = (
    ("LETOR 4.0", "MQ2008", "MAP", {"A": 0.3, "B": 0.2, "C": 0.1}),
    ("LETOR 4.0", "MQ2008", "NDCG@10", {"A": 0.3, "B": 0.2, "C": 0.1}),
    ("LETOR 4.0", "MQ2007", "MAP", {"A": 0.1, "B": 0.2}),
    ("LETOR 3.0", "OHSUMED", "MAP", {"A": 0.1, "B": 0.2}),
)
TABLE = ResultTable.from_rows(
    {"collection": c, "dataset": d, "measure": e, "method": m, "value": v, "source": f"study {d}"}
    for c, d, e, values in FACTS
    for m, v in values.items()
)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ("results", (2 + 2 + 0 + 0) / (2 + 2 + 1 + 1)),
        ("measures", (2 / (2 + 1 + 1) + 2 / 2) / 2),
        ("collections", (4 / (4 + 1) + 0 / 1) / 2),
        ("datasets", (4 / 4 + 0 / 1 + 0 / 1) / 3),
        ("queries", (784 * 4 / 4) / (784 + 1692 + 106)),
    ],
)
def test_each_rule_is_its_equation(weights: Weights, expected: float) -> None:
    found = compare_table(TABLE, weights=weights).by_method["A"]
    assert found.nwn == pytest.approx(expected, abs=1e-15)
    assert (found.wn, found.iwn) == (4, 6)


@pytest.mark.parametrize("weights", list(WEIGHTS))
@pytest.mark.parametrize("part", PARTS)
def test_leaving_out_is_comparing_what_remains(part: str, weights: Weights) -> None:
    comparison = compare_table(TABLE, weights=weights)
    for one in leave_out(comparison, part, ["A", "B", "C"]).numbers:  # type: ignore[arg-type]
        if one.left_out is not None:
            column = {"study": "source"}.get(part, part)
            rest = TABLE.without(**{column: one.left_out})
            again = compare_table(rest, weights=weights).by_method.get(one.method)
            assert one.nwn == (None if again is None else pytest.approx(again.nwn, abs=1e-15))


def test_queries_are_counted_where_the_catalogue_knows_them() -> None:
    assert count_queries("LETOR 4.0 MQ2008") == 784
    remarks = compare(weights="queries").remarks
    assert remarks == (
        "without a weight, for their numbers of queries are not known: AOL AOL, WCL2R WCL2R FS, "
        "WCL2R WCL2R NC",
    )
    own = ResultTable.from_rows([{**row, "collection": "Mine"} for row in TABLE.rows()])
    with pytest.raises(RankwiseError, match="need a data set of the catalogue"):
        compare_table(own, weights="queries")


def test_what_cannot_be_weighed_is_refused() -> None:
    with pytest.raises(RankwiseError, match="weights must be one of results, measures"):
        compare_table(TABLE, weights="equal")  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="leave out weights, or leave out resamples"):
        resample_datasets(compare_table(TABLE, weights="datasets"), 5)
