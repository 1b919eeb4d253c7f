"""Every registered ranker keeps every law of `rankwise.checks`; one law, one ranker, one test."""

from __future__ import annotations

from collections.abc import Callable

from rankwise.checks import parametrize_with_laws
from rankwise.rankers.registry import find_ranker, ranker_names
from rankwise.rankers.wrapper import Wrapper

# What these learn is made of differences between documents, of which there are none.
NEED_FEATURES_THAT_VARY = {
    "best-feature", "rankboost", "frank", "adarank-map", "adarank-ndcg", "coordinate-ascent",
    "dearank-i-map", "dearank-i-ndcg", "dearank-o-map", "dearank-o-ndcg", "focusedboost",
    "rankboost-kernel-pca", "rankboost-svd",
}  # fmt: skip


def needs_an_order(name: str) -> bool:
    """Pointwise rankers learn labels, equal ones too; best-feature compares orders all the same.

    A wrapper needs what the ranker within needs.
    """
    ranker = find_ranker(name)
    if issubclass(ranker, Wrapper):
        return needs_an_order(ranker.of)
    return name == "best-feature" or ranker.family != "pointwise"


def refusals(name: str) -> set[str]:
    """The laws on data without an order that this ranker must refuse; it trains in the others."""
    needs_order = {"nothing_but_one_document_queries", "all_labels_equal"}
    return (needs_order if needs_an_order(name) else set()) | (
        {"only_constant_features"} if name in NEED_FEATURES_THAT_VARY else set()
    )


@parametrize_with_laws(*ranker_names(), refuses={name: refusals(name) for name in ranker_names()})
def test_law(check: Callable[[], None]) -> None:
    check()
