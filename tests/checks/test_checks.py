"""The laws for everybody: own rankers pass them, and each law finds who breaks it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from rankwise.checks import (
    CheckFailed,
    NotApplicable,
    check_ranker,
    checks_of,
    parametrize_with_laws,
    ranker_laws,
)
from rankwise.checks.made import planted
from rankwise.errors import MissingExtra, RankwiseError
from tests.checks.breakers import BREAKERS, Curt, Learner, Plain
from tests.rankers import own_rankers

NAMES = [law.name for law in ranker_laws()]


@parametrize_with_laws(
    Learner, Plain, own_rankers.Centroid, own_rankers.Heir, own_rankers.ByList,
    "tests.rankers.own_rankers:Ridge", "tests.rankers.own_rankers:pipeline",
    "tests.rankers.own_rankers:LGBMRanker",
)  # fmt: skip
def test_own_rankers_keep_the_laws(check: Callable[[], None]) -> None:
    check()


@pytest.mark.parametrize(
    ("breaker", "law"), [(one, name) for one in BREAKERS for name in one.breaks]
)
def test_a_law_finds_who_breaks_it(breaker: type, law: str) -> None:
    (check,) = [one for one in checks_of([breaker]) if one.law.name == law]
    with pytest.raises(CheckFailed) as caught:
        check()
    name = f"tests.checks.breakers:{breaker.__name__}"
    assert (caught.value.law, caught.value.ranker) == (law, name)
    assert str(caught.value).startswith(f"{name} breaks the law {law}: expected ")
    assert ", found " in str(caught.value)
    assert caught.value.expected


def test_every_law_is_broken_by_somebody() -> None:
    assert {name for one in BREAKERS for name in one.breaks} == set(NAMES)


def test_laws_have_names_and_meanings() -> None:
    assert len(set(NAMES)) == len(NAMES) == 55
    assert all(20 < len(law.meaning) < 120 and "\n" not in law.meaning for law in ranker_laws())
    assert {law.group for law in ranker_laws()} == {"learning", "models", "robustness", "settings"}


def test_verdicts_say_what_holds_and_why_the_rest_was_not_asked() -> None:
    known = {
        "the_order_of_queries_hardly_matters": "it remembers the last query",
        "trains_the_same_in_another_process_with_threads_1": "asked with three threads",
    }
    verdicts = check_ranker(own_rankers.ByList, {"power": 0.5}, except_for=known)
    assert [one.law.name for one in verdicts] == NAMES
    reasons = {one.law.name: one.reason for one in verdicts}
    assert reasons["learns_the_planted_order"] is None
    assert reasons["the_order_of_queries_hardly_matters"] == "it remembers the last query"
    assert "as_scorer()" in str(reasons["a_file_gives_the_same_scores_to_the_bit"])
    assert reasons["unknown_measures_and_tools_are_one_sentence"] == "looks at no measure"


def test_the_first_broken_law_is_raised() -> None:
    with pytest.raises(CheckFailed, match=r"Curt breaks the law \w+.*RankwiseError: no"):
        check_ranker(Curt)


def test_refusals_that_are_promised_must_come_and_no_others() -> None:
    law = "only_constant_features"

    def check(**how: object) -> None:
        next(one for one in checks_of(["rankboost"], **how) if one.law.name == law)()

    check()
    check(refuses=[law])
    check(refuses={"rankboost": [law]})
    with pytest.raises(CheckFailed, match=r"expected no error .*RankwiseError: some feature must"):
        check(refuses=[])
    with pytest.raises(CheckFailed, match=r"a RankwiseError.*found no error"):
        next(c for c in checks_of(["ridge-regression"], refuses=[law]) if c.law.name == law)()


def test_an_unknown_law_is_refused() -> None:
    with pytest.raises(RankwiseError, match="there is no law 'learns'"):
        check_ranker(Learner, except_for={"learns": "never"})


def test_a_ranker_without_its_library_cannot_be_examined() -> None:
    class Absent(Learner):
        def _learn(self, training: object) -> object:
            raise MissingExtra("Absent", "absent")

    for check in checks_of([Absent]):
        if check.law.name in ("learns_the_planted_order", "a_single_query"):
            with pytest.raises(NotApplicable, match="install them: pip install"):
                check()


def test_a_class_that_stands_in_no_module_is_not_trained_elsewhere() -> None:
    class Local(Plain):
        pass

    reasons = {one.law.name: one.reason for one in check_ranker(Local)}
    for threads in (1, 3):
        law = f"trains_the_same_in_another_process_with_threads_{threads}"
        assert "another process cannot make" in str(reasons[law])


def test_five_levels_are_five() -> None:
    assert set(planted(levels=5).labels) == {0.0, 1.0, 2.0, 3.0, 4.0}


def test_pytest_is_imported_only_for_its_marks() -> None:
    program = "import rankwise.checks, sys; list(rankwise.checks.ranker_laws()); " \
              "sys.exit('pytest' in sys.modules)"  # fmt: skip
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
