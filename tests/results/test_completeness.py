from __future__ import annotations

from dataclasses import replace

from rankwise.results.completeness import complete, incomplete, left_out, seeds_by_fold
from rankwise.results.store_reading import Mean
from rankwise.results.store_records import Subject, TaskName, subject_names

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "a", "a", 0, "letor3")
SUBJECT = Subject.of(NAME)


def names(method: str, *runs: tuple[int, int], version: str = "MIN") -> list[TaskName]:
    return [
        replace(NAME, method=method, version=version, fold=fold, seed=seed) for fold, seed in runs
    ]


def test_a_method_lacks_folds_that_others_have_and_seeds_that_its_other_folds_have() -> None:
    found = [
        *names("a", (1, 0), (2, 0), (3, 0)),
        *names("b", (1, 0), (3, 0)),
        *names("seedy", (1, 0), (1, 1), (2, 0), (3, 1), (3, 0)),
        *names("b", (1, 0), version="QueryLevelNorm"),
    ]
    assert incomplete(found) == {(SUBJECT, "b"): (2,), (SUBJECT, "seedy"): (2,)}
    assert seeds_by_fold(found)[SUBJECT, "seedy"] == {1: {0, 1}, 2: {0}, 3: {0, 1}}
    means = [Mean(1, name, "test", "letor3", "MAP", 0.5) for name in found]
    assert {(one.name.method, one.name.version) for one in complete(means)} == {
        ("a", "MIN"), ("b", "QueryLevelNorm")}  # fmt: skip
    assert left_out(means)[0] == "b is left out on OHSUMED/MIN: it lacks fold 2 or seeds of it"


def test_other_numbers_of_seeds_do_not_make_methods_incomplete() -> None:
    assert incomplete([*names("a", (1, 0)), *names("seedy", (1, 0), (1, 1))]) == {}


def test_subjects_have_the_shortest_names_that_tell_them_apart() -> None:
    subjects = [
        Subject("LETOR 3.0", "OHSUMED", "MIN"),
        Subject("LETOR 3.0", "OHSUMED", None),
        Subject("LETOR 2.0", "OHSUMED", None),
        Subject("LETOR 4.0", "MQ2008", None),
    ]
    assert list(subject_names(subjects).values()) == [
        "OHSUMED/MIN", "LETOR 3.0/OHSUMED/None", "LETOR 2.0/OHSUMED/None", "MQ2008"]  # fmt: skip
    assert str(NAME) == "a on OHSUMED/MIN, fold 1, seed 0"
