"""Ties: the exact expectation, its range, and the rules that choose one order."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.document_order import tied_rows
from rankwise.measures.families.registry import COMPUTED
from rankwise.measures.measure import parse
from rankwise.measures.values import measure_values
from tests.measures.samples import MEASURES, OPEN_TO_TIES

# Every list of up to seven documents with labels 0, 1, 2, in every structure of ties.
LONGEST = 7
LEVELS = (0.0, 1.0, 2.0)
# A query that a measure leaves out has a number here, so that it can be averaged.
ORDERED = [
    measure.with_fields(empty=0.5)
    for measure in MEASURES
    if measure.ties is not None and measure.short != "absent" and measure.family in OPEN_TO_TIES
]


def structures(length: int) -> list[list[int]]:
    """All ways to cut a list into tie groups: the group of each document, from the top."""
    cuts = product((0, 1), repeat=length - 1)
    return [np.concatenate([[0], np.cumsum(cut)]).astype(int).tolist() for cut in cuts]


@pytest.mark.parametrize("length", range(1, LONGEST + 1))
def test_expected_values_are_averages_over_all_orders(length: int) -> None:
    """And worst and best are their ends. Orders that differ only in equal documents are one."""
    sequences = np.array(list(product(LEVELS, repeat=length)))
    strict = values_of(sequences, np.arange(length), "input")
    for groups in map(np.array, structures(length)):
        key = group_key(sequences, groups)
        _, first, members = np.unique(key, axis=0, return_index=True, return_inverse=True)
        tied = sequences[first]
        count = np.bincount(members)
        expected = np.stack([np.bincount(members, row) / count for row in strict])
        np.testing.assert_allclose(values_of(tied, groups, "expected"), expected, atol=1e-12)
        ends = {"worst": np.full_like(expected, np.inf), "best": np.full_like(expected, -np.inf)}
        for row, low, high in zip(strict, ends["worst"], ends["best"], strict=True):
            np.minimum.at(low, members, row)
            np.maximum.at(high, members, row)
        for rule, bound in ends.items():
            np.testing.assert_allclose(values_of(tied, groups, rule), bound, atol=1e-12)


def values_of(
    sequences: NDArray[np.float64], groups: NDArray[np.int64], ties: str
) -> NDArray[np.float64]:
    """All ordered measures of many lists with the same tie groups."""
    count, length = sequences.shape
    data = JudgedScores(
        sequences.ravel(), np.tile(-groups.astype(float), count),
        offsets_of(np.full(count, length)), [str(number) for number in range(count)],
    )  # fmt: skip
    return measure_values(data, [measure.with_fields(ties=ties) for measure in ORDERED])


def group_key(sequences: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """The labels sorted within each tie group: what an order of the ties cannot change."""
    key = sequences.copy()
    for group in np.unique(groups):
        columns = np.flatnonzero(groups == group)
        key[:, columns] = np.sort(sequences[:, columns], axis=1)
    return key


def test_every_family_that_has_an_order_is_among_them() -> None:
    ordered = {family.name for family in COMPUTED if "ties" in family.fields}
    ordered &= set(OPEN_TO_TIES)
    assert {measure.family for measure in ORDERED} == ordered


def test_the_expectation_is_the_average_over_permutations_of_the_rows() -> None:
    """The same fact without the shortcut over equal orders, on one list."""
    labels, scores = np.array([2.0, 0, 1, 1, 0]), np.array([1.0, 1, 1, 0, 0])
    measures = [
        parse(name) for name in ("NDCG@2", "AP", "ERR@3", "RR", "Bpref", "IPrec(level=0.5)")
    ]
    rows = []
    for order in permutations(range(5)):
        chosen = list(order)
        data = JudgedScores(labels[chosen], scores[chosen], offsets_of([5]), ["1"])
        rows.append(measure_values(data, measures)[:, 0])
    data = JudgedScores(labels, scores, offsets_of([5]), ["1"])
    expected = measure_values(data, [measure.with_fields(ties="expected") for measure in measures])
    np.testing.assert_allclose(expected[:, 0], np.mean(rows, axis=0), atol=1e-14)


def test_a_large_tie_group_keeps_its_precision() -> None:
    """ERR of n tied documents with one relevant one: R (1 + 1/2 + … + 1/n) / n."""
    length = 2000
    labels = np.zeros(length)
    labels[7] = 4
    data = JudgedScores(labels, np.ones(length), offsets_of([length]), ["1"])
    harmonic = np.sum(1 / np.arange(1, length + 1))
    for name, expected in (("ERR", 15 / 16 * harmonic / length), ("RR", harmonic / length)):
        found = measure_values(data, [parse(name).with_fields(ties="expected")])[0, 0]
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("rule", "order"),
    [
        ("input", "abcd"),
        ("reversed", "dcba"),
        ("document-ascending", "bcda"),
        ("document-descending", "adcb"),
        ("worst", "abcd"),
        ("best", "dbca"),
    ],
)
def test_rules_order_tied_documents(rule: str, order: str) -> None:
    """Documents a … d are called z, B, a, b (bytes: B < a < b < z) and have labels 0, 1, 1, 2."""
    labels = dict(zip("abcd", [0.0, 1.0, 1.0, 2.0], strict=True))
    data = JudgedScores(
        np.array(list(labels.values())), np.zeros(4), offsets_of([4]), ["1"], ["z", "B", "a", "b"]
    )
    measure = parse("DCG(gain=linear,discount=position)").with_fields(ties=rule)
    expected = sum(labels[name] / rank for rank, name in enumerate(order, 1))
    assert measure_values(data, [measure])[0, 0] == pytest.approx(expected, abs=1e-15)


def test_undefined_ties_leave_the_query_out() -> None:
    data = JudgedScores(
        np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 2, 1]), offsets_of([2, 2]), "ab"
    )
    values = measure_values(data, [parse("P(ties=undefined)@1")])[0]
    assert np.isnan(values[0]) and values[1] == 1


def test_ties_by_document_need_document_ids_only_where_there_are_ties() -> None:
    measure = parse("P(ties=document-descending)@1")
    distinct = JudgedScores(np.array([0.0, 1]), np.array([1.0, 2]), offsets_of([2]), "a")
    assert measure_values(distinct, [measure])[0, 0] == 1
    tied = JudgedScores(np.array([0.0, 1]), np.array([1.0, 1]), offsets_of([2]), "a")
    with pytest.raises(RankwiseError, match="name no documents"):
        measure_values(tied, [measure])


def test_tied_rows_are_found_within_queries_only() -> None:
    scores = np.array([1.0, 2, 1, 1, 3, 3])
    assert tied_rows(scores, offsets_of([3, 1, 2])).tolist() == [0, 2, 4, 5]


def test_single_precision_makes_ties() -> None:
    data = JudgedScores(
        np.array([0.0, 1]), np.array([1.00000001, 1.00000002]), offsets_of([2]), "a"
    )
    assert measure_values(data, [parse("P@1")])[0, 0] == 1
    assert measure_values(data, [parse("P(comparison=single)@1")])[0, 0] == 0


def test_perl_compares_whole_numbers_as_integers() -> None:
    large = {0: 9007199254740992, 1: 9007199254740993}
    scores = np.array([float(number) for number in large.values()])
    data = JudgedScores(np.array([0.0, 1]), scores, offsets_of([2]), "a", large_integers=large)
    assert measure_values(data, [parse("P@1")])[0, 0] == 0
    assert measure_values(data, [parse("P(comparison=perl)@1")])[0, 0] == 1


def test_quicksort_is_the_input_order_for_short_lists() -> None:
    rng = np.random.default_rng(2)
    labels, scores = rng.integers(0, 2, 15).astype(float), rng.integers(0, 3, 15).astype(float)
    data = JudgedScores(labels, scores, offsets_of([15]), ["1"])
    values = measure_values(data, [parse("AP"), parse("AP(ties=quicksort)")])
    assert values[0, 0] == values[1, 0]
