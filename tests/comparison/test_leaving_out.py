"""One part left out, as a table: Table 4 with its fronts."""

from __future__ import annotations

import pytest

from rankwise.comparison import Comparison, compare_table, leave_out
from rankwise.errors import RankwiseError
from rankwise.results import read_shipped_rows


def test_table_4_is_among_its_rows(tax_comparison: Comparison) -> None:
    found = leave_out(tax_comparison, "measure")
    rows = {(one.method, one.left_out or "All"): one for one in found.numbers}
    for row in read_shipped_rows("tax2015_table_4"):
        one = rows[row["method"], row["left_out"]]
        assert one.iwn == row["iwn"]
        assert one.nwn == pytest.approx(row["nwn"], abs=0.5e-4 + 1e-12)


@pytest.mark.parametrize("part", ["measure", "dataset"])
def test_fronts_are_those_of_what_remains(tax_comparison: Comparison, part: str) -> None:
    found = leave_out(tax_comparison, part)  # type: ignore[arg-type]
    for name in list(found.fronts)[:4]:
        rest = compare_table(tax_comparison.table.without(**{part: name}))
        assert found.fronts[name] == rest.front()
    for one in found.numbers:
        if one.left_out is not None:
            assert one.pareto == (one.method in found.fronts[one.left_out])


def test_sentences_say_who_joins_and_who_leaves(tax_comparison: Comparison) -> None:
    found = leave_out(tax_comparison, "measure")
    told = {sentence.partition(":")[0] for sentence in found.describe()}
    assert told == {
        f"without {name}" for name, front in found.fronts.items() if set(front) != set(found.front)
    }
    assert any("FenchelRank off the front" in sentence for sentence in found.describe())


def test_unknown_parts_and_methods_are_named(tax_comparison: Comparison) -> None:
    with pytest.raises(RankwiseError, match="one measure, dataset, study; found 'fold'"):
        leave_out(tax_comparison, "fold")  # type: ignore[arg-type]
    with pytest.raises(RankwiseError, match="no method 'Z'"):
        leave_out(tax_comparison, "measure", ["Z"])
