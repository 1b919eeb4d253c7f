"""What is said of empty and short queries is what the tools give."""

from __future__ import annotations

import numpy as np
import pytest

import rankwise as rw
from rankwise.measures.short_queries import LEFT_OUT, QueryCheck, check_queries
from rankwise.measures.tools.registry import TOOLS

CUTOFF = 5


def make() -> rw.Dataset:
    """Whole, empty, short, and empty as well as short queries; labels that every tool takes."""
    labels, ids = [], []
    for number, (length, relevant) in enumerate([(8, 2), (8, 0), (3, 1), (2, 0), (9, 3)], 1):
        labels += [2] * relevant + [0] * (length - relevant)
        ids += [str(number)] * length
    documents = [f"d{row}" for row in range(len(ids))]
    rows = np.arange(float(len(ids)))[:, None]
    return rw.Dataset.from_arrays(rows, labels, ids, document_ids=documents)


def test_empty_and_short_queries_are_named() -> None:
    check = QueryCheck(CUTOFF)
    check.look("here", make())
    (part,) = check.found
    assert (part.queries, part.empty, part.short) == (5, ("2", "4"), ("3", "4"))


@pytest.mark.parametrize("name", TOOLS)
def test_the_best_mean_is_that_of_a_perfect_ranking(name: str) -> None:
    check = QueryCheck(CUTOFF)
    check.look("here", make())
    dataset = make()
    effects = [effect for effect in check.list_effects() if effect.tool == name]
    assert effects
    for effect in effects:
        perfect = dataset.labels - np.arange(len(dataset.labels)) * 1e-3
        found = rw.evaluate(dataset, perfect, [effect.measure], name)[effect.measure]
        assert effect.best_mean == pytest.approx(found.mean, abs=1e-12)
        empty = found.per_query.get("2")
        assert effect.empty == (LEFT_OUT if empty is None else f"{empty:g}")


def test_a_query_of_several_parts_counts_once() -> None:
    once, twice = QueryCheck(CUTOFF), QueryCheck(CUTOFF)
    once.look("train", make())
    twice.look("train", make())
    twice.look("test", make())
    assert once.list_effects() == twice.list_effects()
    assert len(twice.parts) == 2


def test_files_and_folds_are_checked(tmp_path) -> None:
    rw.write(make(), tmp_path / "rows.txt")
    assert check_queries(tmp_path / "rows.txt", cutoff=CUTOFF).found[0].empty == ("2", "4")
    with pytest.raises(rw.RankwiseError, match="cut-off"):
        check_queries(tmp_path / "rows.txt", cutoff=0)
