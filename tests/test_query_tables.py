"""Query tables from stores: the methods, queries and values that were stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.comparison import compare
from rankwise.comparison.query_values import read_query_tables, read_store_tables
from rankwise.comparison.significance_of_systems import significance
from rankwise.errors import RankwiseError
from tests.reports.made_queries import MEASURES, METHODS, QUERIES, make_store, make_values


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("queries") / "results.sqlite"
    make_store(path)
    return make_store(path, "other")


def test_a_comparison_of_a_store_knows_its_queries(store: Path) -> None:
    tables = read_query_tables(compare(store))
    assert [table.dataset for table in tables] == ["made", "other"]
    table = tables[0]
    assert (table.collection, table.tool, table.methods) == ("Made", "definition", METHODS)
    assert table.queries == tuple(f"q{number}" for number in range(QUERIES))
    for measure in MEASURES:
        for number, row in enumerate(table.values[measure]):
            assert np.array_equal(row, make_values(number, measure))


def test_what_is_not_compared_is_not_read(store: Path) -> None:
    chosen = compare(store, measures=["MAP"], methods=METHODS[:2], datasets=["other"])
    (table,) = read_query_tables(chosen)
    assert (table.dataset, table.methods, table.measures) == ("other", METHODS[:2], ("MAP",))


def test_results_without_a_store_have_none() -> None:
    assert read_query_tables(compare()) == ()


def test_a_store_gives_all_its_tables(store: Path) -> None:
    assert list(read_store_tables(store)) == [("Made made", None), ("Made other", None)]


def test_a_query_that_one_system_lacks_is_named(tmp_path: Path) -> None:
    rows = ["tool,scores,measure,query,value"]
    rows += [f"definition,{one},NDCG@10,{query},0.5" for one in "ab" for query in ("q7", "q9")]
    path = tmp_path / "values.csv"
    path.write_text("\n".join(rows[:-1]) + "\n")
    with pytest.raises(RankwiseError, match="found none of b for query 'q9'"):
        significance(path)
