"""`worst` and `best` are the ends over all orders, even where values fall with the label."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged, tie_ranges
from rankwise.measures.explanation import identify_judged
from rankwise.measures.measure import Measure, find_family, parse
from rankwise.measures.values import measure_values
from tests.measures.samples import MEASURES, OPEN_TO_TIES

Floats = NDArray[np.float64]

# Gains that fall with the label, and thresholds that make label 0, or one below it, relevant.
FALLING = [{"gain": gain} for gain in ("0/5/1", "2/1", "1=3/2=1")]
LOW = [{"threshold": 0.0}, {"threshold": -1.0}, {"threshold": -1.0, "strict": True}]
LABELS = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, np.nan])


def changed_measures() -> list[Measure]:
    """Every ordered measure as it is, and with each of the fields above that it has."""
    found = []
    for measure in MEASURES:
        if measure.ties is None or measure.short == "absent" or measure.family not in OPEN_TO_TIES:
            continue
        # No chance to stop is above 1 then, with whatever gains.
        plain = measure.with_fields(empty=0.5, highest=8)
        known = find_family(plain.family).fields
        changes: list[dict[str, Any]] = [*FALLING, *LOW]
        found += [plain, *(plain.with_fields(**one) for one in changes if next(iter(one)) in known)]
    return list(dict.fromkeys(found))


MANY = changed_measures()


def values_of_all_orders(labels: Floats, groups: Floats) -> Floats:
    """(measures, orders): the values of every order that keeps groups of ties together."""
    orders = [
        order
        for order in permutations(range(len(labels)))
        if (np.diff(groups[list(order)]) >= 0).all()
    ]
    stacked = np.concatenate([labels[list(order)] for order in orders])
    scores = np.tile(-np.arange(len(labels), dtype=float), len(orders))
    lengths = np.full(len(orders), len(labels))
    data = JudgedScores(stacked, scores, offsets_of(lengths), [str(n) for n in range(len(orders))])
    return measure_values(data, MANY)


@pytest.mark.parametrize("seed", range(12))
def test_worst_and_best_are_the_ends_of_what_any_order_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        labels = rng.choice(LABELS, rng.integers(2, 6))
        groups = np.sort(rng.integers(0, 3, len(labels))).astype(float)
        every = values_of_all_orders(labels, groups)
        data = JudgedScores(labels, -groups, offsets_of([len(labels)]), ["1"])
        for rule, ends in (("worst", every.min(axis=1)), ("best", every.max(axis=1))):
            found = measure_values(data, [measure.with_fields(ties=rule) for measure in MANY])
            for measure, value, end in zip(MANY, found[:, 0], ends, strict=True):
                assert value == pytest.approx(end, abs=1e-12), (rule, str(measure), labels, groups)


def test_the_ranges_are_those_ends() -> None:
    """Gains 0, 5, 1 of labels 0, 1, 2, all tied: label 1 last or first, not label 2."""
    data = JudgedScores(np.array([0.0, 1.0, 2.0]), np.zeros(3), offsets_of([3]), ["1"])
    low, high = tie_ranges(data, ["DCG(gain=0/5/1)"])["DCG(gain=0/5/1)"]
    assert low == pytest.approx(0 + 1 / np.log2(3) + 5 / 2)
    assert high == pytest.approx(5 + 1 / np.log2(3))


@pytest.mark.parametrize("rule", ["worst", "best"])
def test_err_with_chances_above_one_has_no_known_ends(rule: str) -> None:
    data = JudgedScores(np.array([0.0, 3.0, 1.0]), np.zeros(3), offsets_of([3]), ["1"])
    with pytest.raises(RankwiseError, match=r"label 3 has 3 with highest=1.*label-ascending"):
        evaluate_judged(data, ["ERR"], "catboost", ties=rule)
    # Only that measure is refused, an expectation has no range, and other figures are found.
    assert list(evaluate_judged(data, ["ERR", "NDCG"], "catboost", ties=rule).results) == ["NDCG"]
    assert tie_ranges(data, ["ERR"], "catboost") == {}
    assert identify_judged(data, "ERR(highest=1)", "0.0000") is not None
    # Without ties there is one order, and it is both ends.
    apart = JudgedScores(np.array([0.0, 3.0, 1.0]), np.arange(3.0), offsets_of([3]), ["1"])
    assert evaluate_judged(apart, ["ERR"], "catboost", ties=rule)["ERR"].mean == pytest.approx(
        evaluate_judged(apart, ["ERR"], "catboost")["ERR"].mean
    )


def test_catboost_goes_by_the_label_all_the_same() -> None:
    """Lowest label first: R = 0, 1, 2, so that ERR = 1/2 · 1 + 1/3 · 2 · (1 - 1)."""
    data = JudgedScores(np.array([1.0, 2.0, 0.0]), np.zeros(3), offsets_of([3]), ["1"])
    assert evaluate_judged(data, ["ERR"], "catboost")["ERR"].mean == pytest.approx(1 / 2)


def test_negative_gains_leave_the_ends_of_mean_ndcg_unknown() -> None:
    data = JudgedScores(np.array([0.0, 1.0]), np.zeros(2), offsets_of([2]), ["1"])
    with pytest.raises(RankwiseError, match="needs gains of 0 or more"):
        measure_values(data, [parse("MeanNDCG(gain=1/-2,ties=best)")])


@pytest.mark.parametrize("rule", ["input", "expected", "worst", "best"])
def test_best_is_the_highest_known_label_in_every_order(rule: str) -> None:
    """Unjudged documents count as 0, wherever they stand: max over documents of the label or 0."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        labels = rng.choice(np.array([-2.0, -1.0, 0.0, 1.0, np.nan]), rng.integers(1, 6))
        scores = rng.integers(0, 3, len(labels)).astype(float)
        data = JudgedScores(labels, scores, offsets_of([len(labels)]), ["1"])
        expected = max(0.0 if np.isnan(label) else label for label in labels)
        found = measure_values(data, [parse("Best").with_fields(ties=rule)])[0, 0]
        assert found == expected, (labels, scores)
