"""Orders of methods by their equations, and what leaving data sets out says of them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import rankwise as rw
from rankwise.experiments.recommending.evidence import (
    ORDERS,
    MethodEvidence,
    OrderQuestion,
    find_undecided,
    mean_loss,
    mean_rank,
    median_loss,
    scaled_loss,
    shrunk_loss,
    similar_loss,
    sort_methods,
)
from rankwise.experiments.recommending.recommendation_check import (
    expect_best,
    find_interval,
    try_first,
)
from tests.experiments.made_evidence import SIZES, make_table

LOSSES = np.array([[0.0, 0.1, 0.3], [0.2, 0.0, 0.2], [0.1, 0.1, 0.0]])
FACTS = np.log(np.array([[1e3, 10.0], [1e4, 10.0], [1e5, 100.0]]))


def question(
    losses: np.ndarray = LOSSES,
    families: tuple[str, ...] = ("a", "a", "b"),
    target: np.ndarray = FACTS[0],
) -> OrderQuestion:
    return OrderQuestion(losses, families, FACTS, target)


def test_means_medians_and_ranks() -> None:
    assert mean_loss(question()) == pytest.approx([0.3 / 3, 0.2 / 3, 0.5 / 3])
    assert median_loss(question()).tolist() == [0.1, 0.1, 0.2]
    # Equal losses share the mean of their ranks.
    ranks = [(1 + 2.5 + 2.5) / 3, (2 + 1 + 2.5) / 3, (3 + 2.5 + 1) / 3]
    assert mean_rank(question()) == pytest.approx(ranks)
    scaled = [(0 / 0.1 + 0.2 / 0.2 + 0.1 / 0.1) / 3, (0.1 / 0.1 + 0 + 0.1 / 0.1) / 3]
    assert scaled_loss(question())[:2] == pytest.approx(scaled)


def test_a_missing_loss_becomes_the_median_of_its_data_set() -> None:
    losses = LOSSES.copy()
    losses[0, 0] = math.nan
    assert mean_loss(question(losses))[0] == pytest.approx((0.2 + 0.2 + 0.1) / 3)


def test_shrunk_losses_lie_between_the_method_and_its_family() -> None:
    rng = np.random.default_rng(0)
    losses = rng.uniform(size=(3, 8)) * 0.01 + np.linspace(0, 1, 8)
    families = ("a", "b") * 4
    means = losses.mean(axis=0)
    centres = np.array([means[::2].mean(), means[1::2].mean()] * 4)
    asked = OrderQuestion(losses, families, FACTS, FACTS[0])
    count, width = losses.shape
    left = losses - losses.mean(axis=1, keepdims=True) - (means - means.mean())
    noise = (left**2).sum() / ((count - 1) * (width - 1)) / count
    spread = ((means - centres) ** 2).sum() / (width - 2)
    weight = (spread - noise) / spread
    assert 0 < weight < 1
    assert shrunk_loss(asked) == pytest.approx(centres + weight * (means - centres))
    # Where methods differ by noise alone, only the family is left.
    noisy = OrderQuestion(np.tile(LOSSES, (1, 2)), ("a",) * 6, FACTS, FACTS[0])
    flat = OrderQuestion(np.array([[0, 1.0], [1, 0], [0.5, 0.5]]), ("a", "a"), FACTS, FACTS[0])
    assert np.ptp(shrunk_loss(flat)) == 0.0
    assert len(shrunk_loss(noisy)) == 6


def test_data_sets_like_the_target_count_more() -> None:
    scaled = FACTS / FACTS.std(axis=0)
    apart = [float(((one - two) ** 2).sum()) for one, two in combinations(scaled, 2)]
    kernel = np.exp(-((scaled - scaled[0]) ** 2).sum(axis=1) / (2 * np.median(apart)))
    assert similar_loss(question()) == pytest.approx(kernel @ LOSSES / kernel.sum())
    # Without anything known of the target all data sets count the same.
    unknown = np.full(2, math.nan)
    assert similar_loss(question(target=unknown)) == pytest.approx(LOSSES.mean(axis=0))
    # Far from all of them the nearest counts, and nothing is divided by 0.
    far = similar_loss(question(target=np.array([600.0, 600.0])))
    assert far == pytest.approx(LOSSES[2])


def test_equal_numbers_stay_in_their_order() -> None:
    assert sort_methods(np.array([0.3, 0.1 + 0.2, 0.1])) == [2, 0, 1]


@pytest.mark.parametrize("tries", [1, 2, 3, 9])
def test_the_best_of_some_tries_at_random_is_the_mean_over_all_choices(tries: int) -> None:
    losses = np.array([0.4, 0.1, 0.3, 0.2, 0.1])
    chosen = combinations(losses.tolist(), min(tries, 5))
    assert expect_best(losses, tries) == pytest.approx(np.mean([min(one) for one in chosen]))


def test_left_out_regrets_are_those_of_the_method_that_the_others_choose() -> None:
    """A is best on all data sets but the last, where B is: only that one is a surprise."""
    rankers = ("lambdamart", "ridge-regression")
    last = len(SIZES) - 1

    def value(number: int, ranker: str) -> float:
        return 0.5 if (ranker == "lambdamart") == (number < last) else 0.4

    check = rw.check_recommendations(table=make_table(value, rankers=rankers))
    surprise = (0.5 - 0.4) / 0.5
    for name in ORDERS:
        found = check.find(name)
        if found is None or name in ("similar-data", "shrunk-loss"):
            continue
        assert found.regrets == pytest.approx((0.0,) * last + (surprise,))
        assert found.mean == pytest.approx(surprise / 7) and found.worst == pytest.approx(surprise)
        assert found.best_of_three == 0.0
    always, ridge, random = map(check.find, ("always lambdamart", "always ridge-regression",
                                             "at random"))  # fmt: skip
    assert always is not None and ridge is not None and random is not None
    assert always.mean == pytest.approx(surprise / 7)
    assert ridge.mean == pytest.approx(6 * surprise / 7)
    assert random.mean == pytest.approx(surprise / 2)


def test_the_nested_choice_never_sees_the_data_set_that_judges_it() -> None:
    """Whatever the values on a data set are, what is chosen for it stays the same."""
    rng = np.random.default_rng(8)
    rankers = ("lambdamart", "ridge-regression", "listnet", "ranksvm")
    drawn = {(number, ranker): rng.uniform(0.3, 0.5) for number in range(7) for ranker in rankers}

    def check_changed(out: int | None) -> rw.RecommendationCheck:
        def value(number: int, ranker: str) -> float:
            own = drawn[number, ranker]
            return 0.8 - own if number == out else own

        return rw.check_recommendations(table=make_table(value, rankers=rankers))

    before = check_changed(None)
    for out in range(7):
        after = check_changed(out)
        assert before.ways != after.ways
        for one, other in zip(before.ways, after.ways, strict=True):
            if one.kind != "rival":
                assert one.chosen[out] == other.chosen[out]


def test_weights_by_similarity_win_where_size_decides() -> None:
    """On large data one method is best, on small the other: only similarity can know."""
    sizes = tuple((10 ** (3 + number % 2 * 3) + 100 * number, 40) for number in range(8))

    def value(number: int, ranker: str) -> float:
        return 0.5 if (ranker == "lambdamart") == (number % 2 == 1) else 0.4

    table = make_table(value, rankers=("lambdamart", "ridge-regression"), sizes=sizes)
    check = rw.check_recommendations(table=table)
    similar, mean = check.find("similar-data"), check.find("mean-loss")
    assert similar is not None and mean is not None
    assert similar.mean == 0.0 and mean.mean > 0.1
    small = rw.recommend(table=table, documents=1500, features=40, order="similar-data")
    large = rw.recommend(table=table, documents=10**6, features=40, order="similar-data")
    assert [one.methods[0].ranker for one in (small, large)] == ["ridge-regression", "lambdamart"]


def test_the_first_method_is_told_by_data_sets_that_did_not_choose_it() -> None:
    """A is first by two data sets of three, each of which it owes to luck elsewhere."""
    values = np.array([[0.50, 0.40, 0.44], [0.49, 0.50, 0.40], [0.30, 0.36, 0.40]])
    rankers = ("lambdamart", "ridge-regression", "listnet")

    def value(number: int, ranker: str) -> float:
        return float(values[number, rankers.index(ranker)])

    table = make_table(value, rankers=rankers, sizes=SIZES[:3])
    losses = 1.0 - values / values.max(axis=1, keepdims=True)
    chosen = [int(np.delete(losses, out, axis=0).mean(axis=0).argmin()) for out in range(3)]
    assert len(set(chosen)) > 1
    missed = losses[range(3), chosen]
    first, second, _ = rw.recommend(table=table, documents=10_000, features=46).methods
    assert first.loss == pytest.approx(missed.mean())
    # 4.3027 is the 97.5 % point of Student's t with 2 degrees of freedom.
    reach = 4.3027 * missed.std(ddof=1) * math.sqrt(1 / 3 + 1 / 2)
    assert first.loss_high == pytest.approx(missed.mean() + reach, rel=1e-4)
    known = losses[:, rankers.index(first.ranker)]
    assert first.loss_low == max(0.0, min(missed.mean() - reach, known.mean() - reach))
    assert second.loss == pytest.approx(losses[:, rankers.index(second.ranker)].mean())
    said = rw.recommend(table=table, documents=10_000, features=46).remarks
    assert any(
        f"lost {100 * missed.mean():.1f} %" in one and f"{100 * known.mean():.1f} % on the" in one
        for one in said
    )


def test_of_equal_methods_none_is_called_worse_than_the_first_in_nineteen_tables_of_twenty() -> (
    None
):
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(100):
        losses = rng.normal(size=(7, 80))
        wrong += not find_undecided(losses, int(losses.mean(axis=0).argmin())).all()
    assert wrong <= 0.05 * 100


def test_a_method_that_is_worse_everywhere_is_told_from_the_first() -> None:
    rng = np.random.default_rng(6)
    losses = rng.normal(size=(7, 80)) * 0.01
    losses[:, 40] += 1.0
    undecided = find_undecided(losses, int(losses.mean(axis=0).argmin()))
    assert not undecided[40] and undecided.sum() == 79


def test_the_interval_of_the_first_method_holds_what_it_loses_elsewhere() -> None:
    """In 90 of 100 worlds at least, where Student's interval of its known losses does in 80."""
    held = {"first": 0, "beforehand": 0}
    for seed in range(100):
        rng = np.random.default_rng([11, seed])
        values = 0.45 + rng.normal(0, 0.015, 60) + rng.normal(0, 0.015, (7 + 200, 60))
        losses = 1.0 - values / values.max(axis=1, keepdims=True)
        ordered = losses[:7].mean(axis=0).argsort(kind="stable").tolist()
        truth = losses[7:, ordered[0]].mean()
        evidence = MethodEvidence(
            "MAP", tuple("abcdefg"), np.ones((7, 2)), np.ones(7),
            *(tuple(f"m{one}" for one in range(60)) for _ in range(3)), losses[:7],
            np.zeros((7, 60), bool), np.zeros((7, 60)), np.ones(60),
        )  # fmt: skip
        found = try_first(evidence, ordered, "mean-loss")
        naive = find_interval(losses[:7, ordered[0]])
        for name, (low, high) in (("first", (found.low, found.high)), ("beforehand", naive)):
            assert low is not None and high is not None
            held[name] += low <= truth <= high
    assert held["first"] >= 90 > held["beforehand"]
