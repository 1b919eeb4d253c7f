from __future__ import annotations

from typing import Any

import pytest

from rankwise.comparison.mixtures import describe_mixtures
from rankwise.results.table import ResultTable


def row(method: str, **others: Any) -> dict[str, Any]:
    fixed = {"collection": "LETOR 4.0", "dataset": "MQ2008", "measure": "NDCG@10", "value": 0.4}
    return {**fixed, "method": method, **others}


PUBLISHED = row("published")
FIVE = [row("mine", fold=str(fold), tool="letor4") for fold in range(1, 6)]


def found(*rows: dict[str, Any]) -> list[str]:
    return describe_mixtures(ResultTable.from_rows(rows))


def test_official_figures_stand_beside_published_ones() -> None:
    assert found(PUBLISHED, *FIVE) == []


def test_another_tool_beside_published_figures_is_said() -> None:
    other = [{**one, "tool": "definition"} for one in FIVE]
    (sentence,) = found(PUBLISHED, *other)
    assert "1 column holds figures of several tools" in sentence
    assert "NDCG@10 on LETOR 4.0 MQ2008: definition, the collection's script" in sentence
    assert found(*other) == []


def test_fewer_folds_are_said() -> None:
    (sentence,) = found(PUBLISHED, *FIVE[:1])
    assert "means over different numbers of folds side by side" in sentence
    assert sentence.endswith("MQ2008: 1, 5; finish the runs first")
    (between,) = found(*FIVE, row("less", fold="1", tool="letor4"))
    assert "1, 5" in between


def test_folds_are_counted_once_for_all_tools() -> None:
    both = [*FIVE, *({**one, "tool": "yahoo"} for one in FIVE)]
    (sentence,) = found(PUBLISHED, *both)
    assert "several tools" in sentence


@pytest.mark.parametrize("collection", ["Yahoo", ""])
def test_of_other_collections_the_folds_of_published_figures_are_not_known(collection: str) -> None:
    rows = [{**one, "collection": collection} for one in (PUBLISHED, FIVE[0])]
    assert found(*rows) == []
