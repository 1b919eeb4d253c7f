"""The laws that every ranker keeps, for rankers of your own.

    from rankwise.checks import check_ranker

    check_ranker(MyRanker)              # or "mymodule:MyRanker"; raises CheckFailed

Each law has a name and is a check by itself: `ranker_laws()` gives them one by one, and under
pytest `parametrize_with_laws` makes each a test with its own id:

    @parametrize_with_laws(MyRanker)
    def test_my_ranker(check):
        check()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.checks.law import CheckFailed as CheckFailed
    from rankwise.checks.law import Law as Law
    from rankwise.checks.law import NotApplicable as NotApplicable
    from rankwise.checks.marks import parametrize_with_laws as parametrize_with_laws
    from rankwise.checks.running import Check as Check
    from rankwise.checks.running import Verdict as Verdict
    from rankwise.checks.running import check_ranker as check_ranker
    from rankwise.checks.running import checks_of as checks_of
    from rankwise.checks.running import ranker_laws as ranker_laws
else:
    homes = {
        "rankwise.checks.law": ("CheckFailed", "Law", "NotApplicable"),
        "rankwise.checks.marks": ("parametrize_with_laws",),
        "rankwise.checks.running": (
            "Check",
            "Verdict",
            "check_ranker",
            "checks_of",
            "ranker_laws",
        ),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
