"""Data sets go by any clear name."""

from __future__ import annotations

import pytest

from rankwise.comparison.dataset_names import match_datasets
from rankwise.literature.shipped import read_shipped
from rankwise.results.table import ResultTable


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
