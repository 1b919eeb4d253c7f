"""The laws that every ranker keeps, for rankers of your own.

    from rankwise.checks import check_ranker

    check_ranker(MyRanker)              # or "mymodule:MyRanker"; raises CheckFailed

Each law has a name and is a check by itself: `ranker_laws()` gives them one by one, and under
pytest `parametrize_with_laws` makes each a test with its own id:

    @parametrize_with_laws(MyRanker)
    def test_my_ranker(check):
        check()
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
