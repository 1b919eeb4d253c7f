from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import RankwiseError
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import Values
from rankwise.results.task_records import StoredValue, Subject, TaskName, TaskOutcome
from tests.stores import reading

ONE = TaskName("", "small", None, 1, "one", "ridge-regression", 0, "letor4")
OTHER = replace(ONE, method="other")


def add(path: Path, name: TaskName, queries: str, *values: float) -> None:
    figure = StoredValue("test", "letor4", "MAP", float(np.mean(values)), tuple(queries),
                    np.array(values))  # fmt: skip
    with Store.open(path) as store:
        store.add(repr(name), name, {}, TaskOutcome("done", values=(figure,)))


def values_by_method(path: Path, *what: Any) -> dict[str, Values]:
    return reading(path).paired(*what).values


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "s.sqlite"
    add(path, ONE, "ab", 0.1, 0.2)
    add(path, replace(ONE, fold=2), "ca", 0.3, 0.4)
    # The other method's folds ended in the other order, and its queries stand in another one.
    add(path, replace(OTHER, fold=2), "ac", 0.8, 0.7)
    add(path, OTHER, "ab", 0.5, 0.6)
    return path


def test_queries_are_paired_fold_by_fold_and_by_id(store: Path) -> None:
    found = values_by_method(store, "MAP", "letor4")
    assert found["one"].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert found["other"].tolist() == [0.5, 0.6, 0.7, 0.8]


def test_seeds_count_with_their_mean(store: Path) -> None:
    add(store, replace(ONE, seed=1), "ab", 0.3, 0.6)
    add(store, replace(ONE, seed=1, fold=2), "ca", 0.3, 0.6)
    found = values_by_method(store, "MAP", "letor4")
    np.testing.assert_allclose(found["one"][:2], [(0.1 + 0.3) / 2, (0.2 + 0.6) / 2])


def test_what_is_not_over_the_same_folds_is_left_out_of_those_asked_for(store: Path) -> None:
    for fold, queries in ((1, "ab"), (2, "ca"), (3, "x")):
        for name in (replace(ONE, fold=fold, method="more"), replace(ONE, fold=fold, seed=fold)):
            add(store, name, queries, *([0.9] * len(queries)))
    found = reading(store).paired("MAP", "letor4")
    assert {name: len(values) for name, values in found.values.items()} == {"more": 4, "other": 4}
    assert found.lacking == {"one": "seeds of fold 1, 2"}
    assert found.sentences == [
        "one is left out on small: it lacks seeds of fold 1, 2",
        "fold 3 of small is left aside: not all have it",
    ]
    subject = reading(store).find_subject()[0]
    assert len(values_by_method(store, "MAP", "letor4", subject, ["more"])["more"]) == 5
    with pytest.raises(RankwiseError, match="with all folds and seeds"):
        reading(store).paired("MAP", "letor4", subject, ["one"])
    assert reading(store).methods(subject) == ["one", "other", "more"]


def test_a_measure_is_paired_over_its_own_folds(store: Path) -> None:
    for fold in (1, 2, 3, 4, 5):
        figure = StoredValue("test", "letor4", "P@1", 1.0, ("a",), np.ones(1))
        with Store.open(store) as opened:
            name = replace(ONE, fold=fold, method="precise")
            opened.add(f"p{fold}", name, {}, TaskOutcome("done", values=(figure,)))
    found = reading(store).paired("MAP", "letor4")
    assert (list(found.values), found.sentences) == (["one", "other"], [])


def test_methods_with_other_queries_in_a_fold_cannot_be_paired(store: Path) -> None:
    add(store, replace(ONE, method="elsewhere"), "ax", 0.9, 0.9)
    add(store, replace(ONE, method="elsewhere", fold=2), "ca", 0.9, 0.9)
    with pytest.raises(RankwiseError, match=r"one and elsewhere of .* differ in fold 1; run both"):
        values_by_method(store, "MAP", "letor4")


def test_one_data_set_of_several_must_be_named(store: Path) -> None:
    assert reading(store).find_subject() == (Subject("", "small", None), "letor4")
    add(store, replace(ONE, dataset="large"), "ab", 0.9, 0.9)
    with pytest.raises(RankwiseError, match=r"\(small, large\), found none named"):
        values_by_method(store, "MAP", "letor4")
    large = reading(store).find_subject("large")[0]
    assert values_by_method(store, "MAP", "letor4", large)["one"].tolist() == [0.9, 0.9]
    assert (
        reading(store).find_subject("large/None")[0]
        == reading(store).find_subject("/large/None")[0]
        == large
    )
    with pytest.raises(RankwiseError, match="found 'huge'"):
        reading(store).find_subject("huge")


def test_versions_of_a_data_set_are_not_mixed(store: Path) -> None:
    add(store, replace(ONE, version="Min"), "ab", 0.8, 0.9)
    with pytest.raises(RankwiseError, match=r"\(small/None, small/Min\), found none named"):
        values_by_method(store, "MAP", "letor4")
    found = values_by_method(store, "MAP", "letor4", reading(store).find_subject("small/Min")[0])
    assert {name: values.tolist() for name, values in found.items()} == {"one": [0.8, 0.9]}


def test_means_over_queries_are_told_from_means_over_folds(store: Path) -> None:
    """`results show` weighs folds alike, a test weighs queries alike."""
    assert not [one for one in rw.significance(store, measures="MAP").remarks if "means" in one]
    for name, values in ((ONE, (0.5, 0.5, 0.5)), (OTHER, (0.9, 0.6, 0.3))):
        add(store, replace(name, fold=3), "xyz", *values)
    found = rw.significance(store, measures="MAP")
    sentence = "means here are over all 7 queries; 'rankwise results show' has the mean of the 3 f"
    assert any(remark.startswith(sentence) for remark in found.remarks)
    assert found.comparisons[0].baseline_mean == pytest.approx((0.1 + 0.2 + 0.3 + 0.4 + 1.5) / 7)
