"""The laws that every ranker keeps, for rankers of your own.

    from rankwise.checks import check_ranker

    check_ranker(MyRanker)              # or "mymodule:MyRanker"; raises CheckFailed

Each law has a name and is a check by itself: `ranker_laws()` gives them one by one, and under
pytest `parametrize_with_laws` makes each a test with its own id:

    @parametrize_with_laws(MyRanker)
    def test_my_ranker(check):
        check()
"""

from rankwise.checks.law import CheckFailed, Law, NotApplicable
from rankwise.checks.marks import parametrize_with_laws
from rankwise.checks.running import Check, Verdict, check_ranker, checks_of, ranker_laws

__all__ = [
    "Check",
    "CheckFailed",
    "Law",
    "NotApplicable",
    "Verdict",
    "check_ranker",
    "checks_of",
    "parametrize_with_laws",
    "ranker_laws",
]
