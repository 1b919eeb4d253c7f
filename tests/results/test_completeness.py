from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwise.results.comparability import (
    find_comparable,
    group_seeds,
    join_sentences,
    keep_comparable,
)
from rankwise.results.result_table import ResultTable, stack_results
from rankwise.results.store.stored_values import make_table
from rankwise.results.task_records import Subject, TaskName, TaskValue, name_subjects

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "a", "a", 0, "letor3")


def names(method: str, *runs: tuple[int, int], version: str = "MIN") -> list[TaskName]:
    return [
        replace(NAME, method=method, version=version, fold=fold, seed=seed) for fold, seed in runs
    ]


def test_those_folds_count_that_keep_most() -> None:
    five = [(fold, 0) for fold in (1, 2, 3, 4, 5)]
    four, one = five[:4], five[:1]
    # Of an interrupted run one method is a fold ahead; a method that failed often is left out.
    for runs, folds, lacking, surplus in (
        ({"a": five, "b": four, "c": four}, {1, 2, 3, 4}, {}, (5,)),
        ({"a": five, "b": five, "c": four}, {1, 2, 3, 4}, {}, (5,)),
        ({**dict.fromkeys("abcdef", five), "z": four}, {1, 2, 3, 4, 5}, {"z": "fold 5"}, ()),
        ({"a": five, "b": one}, {1}, {}, (2, 3, 4, 5)),
        ({"a": five, "b": five, "c": one}, {1, 2, 3, 4, 5}, {"c": "fold 2, 3, 4, 5"}, ()),
        ({"a": five[:4], "b": five[1:]}, {2, 3, 4}, {}, (1, 5)),
        ({"a": five, **dict.fromkeys("bcde", one)}, {1}, {}, (2, 3, 4, 5)),
        ({"a": five}, {1, 2, 3, 4, 5}, {}, ()),
        ({}, set(), {}, ()),
    ):
        found = find_comparable(
            name for method, own in runs.items() for name in names(method, *own)
        )
        assert (found.folds, found.lacking, found.surplus) == (folds, lacking, surplus), runs


def test_beside_published_figures_all_folds_count_and_named_methods_all_stay() -> None:
    found = [*names("a", (1, 0), (2, 0), (3, 0)), *names("b", (1, 0)), *names("c", (1, 0))]
    assert find_comparable(found).folds == {1}
    whole = find_comparable(found, "all folds")
    assert (whole.folds, set(whole.lacking)) == ({1, 2, 3}, {"b", "c"})
    three = [*names("a", (1, 0), (2, 0)), *names("b", (1, 0), (2, 0)), *names("c", (1, 0))]
    assert (find_comparable(three).folds, find_comparable(three, "everyone").folds) == ({1, 2}, {1})
    apart = [*names("a", (1, 0)), *names("b", (2, 0))]
    assert find_comparable(apart, "everyone").folds == {1}


def test_where_no_fold_has_all_seeds_nothing_counts_and_that_is_said() -> None:
    found = find_comparable([*names("a", (1, 0), (2, 1)), *names("b", (1, 0), (2, 1))])
    assert (found.folds, found.surplus) == (set(), ())
    assert found.lacking == dict.fromkeys("ab", "seeds of fold 1, 2")


def test_sentences_name_the_measure_where_they_differ() -> None:
    assert join_sentences({"MAP": ["x"], "P@1": ["x"]}) == ["x"]
    assert join_sentences({"MAP": [], "P@1": ["x"]}) == ["in P@1, x"]
    assert join_sentences({}) == []


def test_a_fold_must_have_the_seeds_of_the_methods_other_folds() -> None:
    others = [name for method in "abc" for name in names(method, (1, 0), (2, 0), (3, 0))]
    seedy = names("seedy", (1, 0), (1, 1), (2, 0), (3, 1), (3, 0))
    found = find_comparable([*others, *seedy])
    assert found.lacking == {"seedy": "seeds of fold 2"}
    assert group_seeds(seedy)["seedy"] == {1: {0, 1}, 2: {0}, 3: {0, 1}}
    assert found.describe("OHSUMED") == ["seedy is left out on OHSUMED: it lacks seeds of fold 2"]
    # How many seeds another method has does not matter.
    assert find_comparable([*names("a", (1, 0)), *names("b", (1, 0), (1, 1))]).lacking == {}


def test_every_measure_and_version_is_complete_by_itself() -> None:
    def mean(name: TaskName, measure: str) -> TaskValue:
        return TaskValue(1, name, "test", "letor3", measure, 0.5)

    two = names("a", (1, 0), (2, 0))
    means = [mean(name, measure) for name in two for measure in ("MAP", "P@1")]
    means += [mean(name, "MAP") for name in names("b", (1, 0), (2, 0), (3, 0))]
    means += [mean(name, "MAP") for name in names("b", (1, 0), version="QueryLevelNorm")]
    table = make_table(means)
    kept = keep_comparable(table)
    assert kept == table.take(np.arange(len(table)) != 6)
    assert kept.remarks == ("in MAP, fold 3 of OHSUMED/MIN is left aside: not all have it",)


def test_results_without_known_seeds_are_kept_as_they_are() -> None:
    stored = make_table(
        [TaskValue(1, name, "test", "letor3", "MAP", 0.5) for name in names("a", (1, 0))]
    )
    rows = [{**row, "fold": fold, "source": "file"} for row in stored.rows() for fold in (None, 7)]
    others = ResultTable.from_rows(rows)
    both = stack_results([stored, others])
    assert keep_comparable(both) == both
    assert keep_comparable(both).remarks == ()
    # Means over folds belong to no fold, so that nothing is left to be judged.
    assert not stored.aggregate_folds().seeds.any()


def test_what_was_remarked_before_stays() -> None:
    two, one = names("a", (1, 0), (2, 0)), names("b", (1, 0))
    table = make_table(
        [TaskValue(1, name, "test", "letor3", "MAP", 0.5) for name in [*two, *two, *one]]
    )
    kept = keep_comparable(replace(table, remarks=("before",)), "all folds")
    assert kept.remarks == ("before", "b is left out on OHSUMED: it lacks fold 2")


def test_subjects_have_the_shortest_names_that_tell_them_apart() -> None:
    subjects = [
        Subject("LETOR 3.0", "OHSUMED", "MIN"),
        Subject("LETOR 3.0", "OHSUMED", None),
        Subject("LETOR 2.0", "OHSUMED", None),
        Subject("LETOR 4.0", "MQ2008", None),
    ]
    assert list(name_subjects(subjects).values()) == [
        "OHSUMED/MIN", "LETOR 3.0/OHSUMED/None", "LETOR 2.0/OHSUMED/None", "MQ2008"]  # fmt: skip
    assert str(NAME) == "a on OHSUMED/MIN, fold 1, seed 0"
