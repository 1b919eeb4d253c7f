"""Data sets go by any clear name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.cli.main import main
from rankwise.errors import RankwiseError
from rankwise.results.dataset_names import match_datasets
from rankwise.results.published.published_tables import read_shipped
from rankwise.results.result_table import ResultTable


def named(collection: str, dataset: str) -> ResultTable:
    fixed = {"method": "mine", "measure": "MAP", "value": 0.4}
    return ResultTable.from_rows([{**fixed, "collection": collection, "dataset": dataset}])


@pytest.mark.parametrize(
    "name",
    [("", "mq2008"), ("", "MQ 2008"), ("letor 4.0", "mq2008"), ("", "LETOR 4.0 MQ2008"),
     ("", "letor4/mq2008"), ("LETOR4.0", "MQ2008")],
)  # fmt: skip
def test_one_data_set_is_meant(name: tuple[str, str]) -> None:
    found = match_datasets(named(*name), [read_shipped("tax2015_results")])
    assert found.datasets() == ["LETOR 4.0 MQ2008"]
    assert (found.collection[0], found.dataset[0]) == ("LETOR 4.0", "MQ2008")
    written_out = name == ("", "LETOR 4.0 MQ2008")
    assert [remark.partition(" is taken for ")[2] for remark in found.remarks] == (
        [] if written_out else ["LETOR 4.0 MQ2008"]
    )


@pytest.mark.parametrize("name", [("LETOR 4.0", "MQ2008"), ("Mine", "MQ2008"), ("", "my data")])
def test_other_names_stay(name: tuple[str, str]) -> None:
    own = named(*name)
    found = match_datasets(own, [read_shipped("tax2015_results")])
    assert (found == own, found.remarks) == (True, ())


def test_several_data_sets_of_a_name_are_told() -> None:
    found = match_datasets(named("", "td2003"), [read_shipped("tax2015_results")])
    assert found.datasets() == ["td2003"]
    assert found.remarks == (
        "td2003 may be LETOR 2.0 TD2003 or LETOR 3.0 TD2003; name its collection",
    )


def test_what_the_tables_have_comes_first() -> None:
    there = read_shipped("dearank_tables_2_to_5")
    assert match_datasets(named("", "td2003"), [there]).datasets() == ["LETOR 3.0 TD2003"]


SPELLINGS = [("", "MQ2008"), ("", "mq2008"), ("", "mq-2008"), ("letor 4.0", "MQ2008")]


def spelt(names: list[tuple[str, str]]) -> ResultTable:
    """A method for each name of a data set."""
    return ResultTable.from_rows(
        [
            {"collection": collection, "dataset": dataset, "method": f"method {number}",
             "measure": "MAP", "value": 0.1 * (number + 1)}
            for number, (collection, dataset) in enumerate(names)
        ]
    )  # fmt: skip


def test_one_table_alone_names_a_data_set_once(tmp_path: Path) -> None:
    compared = rw.compare(spelt(SPELLINGS))
    assert compared.table.datasets() == ["LETOR 4.0 MQ2008"]
    assert [row.iwn for row in compared.rows] == [3] * 4
    assert any("mq-2008 is taken for LETOR 4.0 MQ2008" in said for said in compared.remarks)
    unknown = rw.compare(spelt([("", "My Shop"), ("", "my-shop"), ("", "MY_SHOP"), ("", "shop")]))
    assert unknown.table.datasets() == ["My Shop", "shop"]


def test_values_that_disagree_under_two_names_are_no_two_data_sets() -> None:
    rows = spelt([("", "MQ2008"), ("", "mq2008")])
    rows = replace(rows, method=np.array(["one", "one"], dtype=object))
    with pytest.raises(RankwiseError, match="one"):
        rw.compare(rows)


def test_a_check_of_results_finds_names_of_one_data_set(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rw.results.write_results(spelt(SPELLINGS), path)
    found = CliRunner().invoke(main, ["results", "check", str(path)])
    assert found.exit_code == 1
    assert "'MQ2008' and 'mq2008' and 'mq-2008' and 'letor 4.0 MQ2008'" in found.stdout
    rw.results.write_results(spelt([("", "mq2008"), ("", "other")]), path)
    assert CliRunner().invoke(main, ["results", "check", str(path)]).exit_code == 0


def test_shipped_tables_keep_their_names() -> None:
    for name in ("tax2015_results", "published_results", "modern_results", "rankwise_dense"):
        assert match_datasets(read_shipped(name), []).remarks == ()
