"""The pass over ranked lists against literal formulas, and what must hold of any measure."""

from __future__ import annotations

import importlib
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures import computation
from rankwise.measures.computation import make_plan
from rankwise.measures.document_order import priorities
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.families.family import Family
from rankwise.measures.families.registry import BY_HOME, COMPUTED, FAMILIES
from rankwise.measures.measure import CHOICES, Measure, parse
from rankwise.measures.values import measure_values
from tests.measures.formulas import FORMULAS, literal_value
from tests.measures.samples import MEASURES, NAMES, OPEN_TO_TIES, judged_scores


def judged(labels: list[float], scores: list[float] | None = None) -> JudgedScores:
    falling = [-float(i) for i in range(len(labels))] if scores is None else scores
    return JudgedScores(np.array(labels), np.array(falling), offsets_of([len(labels)]), ["1"])


def value(name: str, labels: list[float], scores: list[float] | None = None) -> float:
    return float(measure_values(judged(labels, scores), [parse(name)])[0, 0])


def literal(measure: Measure, data: JudgedScores) -> list[float]:
    values = []
    for start, end in zip(data.query_offsets, data.query_offsets[1:], strict=False):
        rows = sorted(range(start, end), key=lambda row: -data.scores[row])
        ranked, scores = data.labels[rows].tolist(), data.scores[rows].tolist()
        values.append(literal_value(measure, ranked, data.labels[start:end].tolist(), scores))
    return values


@given(judged_scores())
def test_the_compiled_pass_is_the_literal_formula(data: JudgedScores) -> None:
    found = measure_values(data, MEASURES)
    for name, measure, values in zip(NAMES, MEASURES, found, strict=True):
        np.testing.assert_allclose(values, literal(measure, data), atol=1e-12, err_msg=name)


@given(judged_scores(), st.data())
def test_documents_that_were_not_retrieved_count_as_judged(
    data: JudgedScores, draw: st.DataObject
) -> None:
    kept = [draw.draw(st.integers(1, length)) for length in data.lengths.tolist()]
    part = JudgedScores(data.labels, data.scores, data.query_offsets, data.query_ids,
                        retrieved=np.array(kept))  # fmt: skip
    found = measure_values(part, MEASURES)
    for q, start in enumerate(data.query_offsets[:-1].tolist()):
        rows = sorted(range(start, start + kept[q]), key=lambda row: -data.scores[row])
        judged_labels = data.labels[start : data.query_offsets[q + 1]].tolist()
        ranked, scores = data.labels[rows].tolist(), data.scores[rows].tolist()
        for name, measure, values in zip(NAMES, MEASURES, found, strict=True):
            expected = literal_value(measure, ranked, judged_labels, scores)
            np.testing.assert_allclose(values[q], expected, atol=1e-12, err_msg=name)


@given(judged_scores(), st.integers(0, 2**32))
def test_unjudged_documents_have_no_gain_and_are_not_relevant(
    data: JudgedScores, seed: int
) -> None:
    unjudged = np.random.default_rng(seed).random(len(data.labels)) < 0.3
    labels = np.where(unjudged, np.nan, data.labels)
    part = JudgedScores(labels, data.scores, data.query_offsets, data.query_ids)
    chosen = [m for m in MEASURES if m.family not in ("PairwiseAccuracy", "KendallTau", "WTA")]
    for measure, values in zip(chosen, measure_values(part, chosen), strict=True):
        np.testing.assert_allclose(values, literal(measure, part), atol=1e-12, err_msg=str(measure))


@given(judged_scores())
def test_values_lie_within_the_range_of_their_family(data: JudgedScores) -> None:
    ranges = {family.name: family.range for family in FAMILIES}
    for measure, values in zip(MEASURES, measure_values(data, MEASURES), strict=True):
        low, high = ranges[measure.family]
        # ERR with a highest label below the data's own is nonsense by design (RankLib's -gmax).
        if measure.highest == 2:
            continue
        kept = values[np.isfinite(values)]
        assert np.all((kept >= low - 1e-12) & (kept <= high + 1e-12)), str(measure)


@given(judged_scores(), st.floats(0.1, 10), st.floats(-5, 5))
def test_a_rising_change_of_the_scores_changes_nothing(
    data: JudgedScores, slope: float, shift: float
) -> None:
    ranked = [measure for measure in MEASURES if measure.family != "RMSE"]
    moved = JudgedScores(data.labels, np.exp(data.scores) * slope + shift, data.query_offsets,
                         data.query_ids)  # fmt: skip
    np.testing.assert_array_equal(measure_values(data, ranked), measure_values(moved, ranked))


@given(judged_scores())
def test_a_query_does_not_depend_on_the_other_queries(data: JudgedScores) -> None:
    together = measure_values(data, MEASURES)
    for q in range(data.n_queries):
        rows = slice(data.query_offsets[q], data.query_offsets[q + 1])
        alone = JudgedScores(data.labels[rows], data.scores[rows],
                             offsets_of([rows.stop - rows.start]), ["q"])  # fmt: skip
        np.testing.assert_array_equal(measure_values(alone, MEASURES)[:, 0], together[:, q])


@given(judged_scores())
def test_all_measures_at_once_are_each_measure_alone(data: JudgedScores) -> None:
    together = measure_values(data, MEASURES)
    for measure, values in zip(MEASURES, together, strict=True):
        np.testing.assert_array_equal(measure_values(data, [measure])[0], values)


def test_decimal_labels_follow_the_formula() -> None:
    labels = [0.5, 2.25, 0.0, 1.75, 3.0, 0.5]
    for name in ("NDCG@3", "NDCG(gain=linear)", "NDCG(gain=truncated)@4", "ERR", "AP", "Best@1"):
        expected = literal_value(parse(name), labels, labels, [])
        assert value(name, labels) == pytest.approx(expected, abs=1e-14), name


def test_labels_above_the_gain_table_are_computed() -> None:
    ideal = 2.0**70 - 1 + 1 / math.log2(3)
    assert value("NDCG", [1, 70]) == pytest.approx((1 + (2.0**70 - 1) / math.log2(3)) / ideal)


def test_negative_labels_have_no_gain() -> None:
    labels = [-1.0, 2, 1, -2]
    for name in ("NDCG@3", "DCG(gain=linear)", "NDCG(gain=truncated)", "ERR", "MeanNDCG", "AP"):
        expected = literal_value(parse(name), labels, labels, [])
        assert value(name, labels) == pytest.approx(expected, abs=1e-14), name
        assert value(name, labels) == pytest.approx(value(name, [0, 2, 1, 0]), abs=1e-14), name


def test_listed_gains() -> None:
    """A list has no gain beyond its end, and its ideal list is in the order of gains."""
    labels = [3.0, 1, 2, 5]
    dcg = 2 + 1 / 2 + 7 / 3
    assert value("DCG(gain=0/1/7/2,discount=position)", labels) == pytest.approx(dcg)
    ideal = 7 + 2 / 2 + 1 / 3
    assert value("NDCG(gain=0/1/7/2,discount=position)", labels) == pytest.approx(dcg / ideal)
    others_linear = 3 + 0.5 / 2 + 3 / 3 + 5 / 4
    assert value("DCG(gain=1=0.5/2=3,discount=position)", labels) == pytest.approx(others_linear)
    found = value("DCG(gain=1=9,discount=position,threshold=2)", labels)
    assert found == pytest.approx(3 + 2 / 3 + 5 / 4)


def test_long_lists_are_sorted_stably() -> None:
    rng = np.random.default_rng(5)
    for length in (15, 16, 17, 31, 33, 64, 100, 1000):
        scores = rng.integers(0, 9, length).astype(float)
        labels = rng.integers(0, 5, length).astype(float)
        order = np.argsort(-scores, kind="stable")
        found = value("DCG", labels.tolist(), scores.tolist())
        expected = np.sum((2 ** labels[order] - 1) / np.log2(np.arange(length) + 2))
        assert found == pytest.approx(expected, rel=1e-12), length


def test_negative_zero_ties_with_zero() -> None:
    assert value("P@1", [1, 0], [-0.0, 0.0]) == 1
    assert value("P@1", [0, 1], [-0.0, 0.0]) == 0


def test_infinite_scores_are_ordered() -> None:
    assert value("RR", [0, 1, 0], [-math.inf, math.inf, 0.0]) == 1


def test_threads_give_what_one_thread_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 40, 3000)
    rows = int(lengths.sum())
    labels = rng.integers(0, 3, rows).astype(float)
    lists = computation.make_lists(labels, rng.normal(size=rows), offsets_of(lengths))
    plan = make_plan([parse("NDCG@10"), parse("AP")], 40)
    single = computation.evaluate_lists(lists, plan)
    monkeypatch.setattr(computation, "ROWS_WORTH_A_THREAD", 1000)
    monkeypatch.setattr(computation, "processors", lambda: 5)
    np.testing.assert_array_equal(computation.evaluate_lists(lists, plan), single)


def test_arrays_that_cannot_be_written_to_are_taken() -> None:
    labels, scores = np.array([1.0, 0]), np.array([2.0, 1])
    labels.flags.writeable = scores.flags.writeable = False
    data = JudgedScores(labels, scores, offsets_of([2]), ["1"])
    assert measure_values(data, [parse("P@1")])[0, 0] == 1


@given(judged_scores(), st.integers(0, 2**32))
def test_candidates_are_lists_evaluated_one_by_one(data: JudgedScores, seed: int) -> None:
    rng = np.random.default_rng(seed)
    candidates = rng.integers(-2, 3, (3, len(data.scores))).astype(float)
    plan = make_plan([measure for measure in MEASURES if measure.family in OPEN_TO_TIES], 20)
    for mode in (computation.STRICT, computation.EXPECTED, computation.UNDEFINED):
        priority = data.labels if mode == computation.EXPECTED else computation.NONE
        lists = computation.make_lists(
            data.labels, data.scores, data.query_offsets, priority=priority
        )
        found = computation.evaluate_candidates(lists, plan, mode, candidates)
        for scores, values in zip(candidates, found, strict=True):
            alone = computation.evaluate_lists(lists._replace(scores=scores), plan, mode)
            np.testing.assert_array_equal(values, alone)


def test_no_candidates_and_no_queries_have_no_values() -> None:
    lists = computation.make_lists(np.zeros(2), np.zeros(2), np.array([0, 2]))
    plan = make_plan([parse("AP"), parse("P@1")], 2)
    assert computation.evaluate_candidates(lists, plan, 0, np.empty((0, 2))).shape == (0, 2, 1)
    nothing = computation.make_lists(np.zeros(0), np.zeros(0), np.array([0]))
    assert computation.evaluate_lists(nothing, plan).shape == (2, 0)


def test_gains_of_decimal_labels_keep_their_bits() -> None:
    """2^l as exp2 rounds it; the power function of the same library differs for this label."""
    label = float.fromhex("0x1.66e626e1d3a00p+1")
    gain = value("DCG(discount=position)@1", [label])
    assert gain == float.fromhex("0x1.7eed928b9f87ap+2")
    assert computation.gains_of(np.array([label]), parse("DCG")).tolist() == [gain]


def test_gains_of_labels() -> None:
    labels = np.array([0.0, 1, 3, 64, -2, np.nan, 0.5])
    expected = [0, 1, 7, 2.0**64 - 1, 0, 0, 2**0.5 - 1]
    assert computation.gains_of(labels, parse("NDCG")) == pytest.approx(expected, rel=1e-15)
    assert computation.gains_of(labels, parse("NDCG(table=2)")).tolist()[:4] == [0, 1, 0, 0]
    assert computation.gains_of(labels, parse("NDCG(gain=0/1/9/5)")).tolist()[:4] == [0, 1, 5, 0]


HOSTILE = [0.0, 1, 63, 64, 1e5, 1e19, 1e300, math.inf, -math.inf, -1, -0.0, math.nan, 0.5, 2.0**63]


@given(
    st.lists(st.tuples(st.sampled_from(HOSTILE), st.floats(allow_nan=False)), max_size=40),
    st.sampled_from(CHOICES["ties"]),
)
def test_any_labels_and_scores_are_taken(rows: list[tuple[float, float]], rule: str) -> None:
    """Values may be infinite or nothing at all, but nothing is read beyond the arrays.

    What is refused above (sums of gains that no number holds, ends of ties that are not known) is
    computed here too.
    """
    labels = np.array([label for label, _ in rows])
    scores = np.array([score for _, score in rows])
    ids = [str(number) for number in range(len(rows))]
    offsets = offsets_of([len(rows)])
    measures = [
        measure.with_fields(ties=rule) for measure in MEASURES if measure.family in OPEN_TO_TIES
    ]
    with np.errstate(all="ignore"):
        lists = computation.make_lists(
            labels, scores, offsets, priority=priorities(rule, labels, scores, offsets, ids)
        )
        plan = make_plan(measures, len(rows))
        values = computation.evaluate_lists(lists, plan, computation.tie_mode(rule))
    assert values.shape == (len(measures), 1)


def test_gains_that_no_number_holds_are_refused() -> None:
    """Not left out of the mean: 2^1024 is infinite, and a share of it is nothing."""
    data = JudgedScores(np.array([1024.0, 0, 1, 2]), np.arange(4.0), offsets_of([2, 2]), "ab")
    for name in ("NDCG@10", "MeanNDCG", "ERR@10", "NDCG(gain=truncated)"):
        with pytest.raises(RankwiseError, match="label 1024 is beyond what a number can hold"):
            measure_values(data, [parse(name)])
    values = measure_values(data, [parse("DCG@10")])[0]
    assert values.tolist() == pytest.approx([np.inf, 3 + 1 / np.log2(3)])
    fine = replace(data, labels=data.labels / 2)
    assert measure_values(fine, [parse("NDCG")])[0].tolist() == pytest.approx([1 / np.log2(3), 1.0])
    many = JudgedScores(np.full(3, 1023.0), np.zeros(3), offsets_of([3]), "a")
    with pytest.raises(RankwiseError, match="label 1023 is beyond"):
        measure_values(many, [parse("NDCG")])
    listed = "NDCG(gain=0/1e308/1.7e308)"
    with pytest.raises(RankwiseError, match="label 2 is beyond"):
        measure_values(replace(many, labels=np.array([0.0, 1, 2])), [parse(listed)])


def test_an_infinite_error_is_infinite_in_the_mean() -> None:
    """RMSE pooled over all documents: a query whose squares overflow is no query without error."""
    data = JudgedScores(np.zeros(2), np.array([1e200, 1.0]), offsets_of([1, 1]), "ab")
    assert evaluate_judged(data, ["RMSE"])["RMSE"].mean == np.inf


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"offsets": np.array([0, 5])}, "query offsets must rise"),
        ({"offsets": np.array([-1, 2])}, "query offsets must rise"),
        ({"offsets": np.array([2, 0])}, "query offsets must rise"),
        ({"retrieved": np.array([3])}, "query offsets must rise"),
        ({"retrieved": np.array([-1])}, "query offsets must rise"),
        ({"ideal_of": np.array([1])}, "query offsets must rise"),
        ({"ideal_of": np.array([-1])}, "query offsets must rise"),
        ({"retrieved": np.array([1, 1])}, "same length"),
        ({"scores": np.zeros(3)}, "same length"),
        ({"priority": np.zeros(1)}, "same length"),
        ({"ideal_labels": np.zeros(3)}, "same length"),
        ({"offsets": np.zeros(0, np.int64)}, "same length"),
    ],
)
def test_lists_that_do_not_fit_together_are_refused(
    change: dict[str, NDArray[Any]], sentence: str
) -> None:
    lists = computation.make_lists(np.zeros(2), np.zeros(2), np.array([0, 2]))._replace(**change)
    with pytest.raises(ValueError, match=sentence):
        computation.evaluate_lists(lists, make_plan([parse("NDCG@2")], 2))


def test_a_plan_for_shorter_lists_is_refused() -> None:
    lists = computation.make_lists(np.zeros(2), np.zeros(2), np.array([0, 2]))
    with pytest.raises(ValueError, match="plans reach as far"):
        computation.evaluate_lists(lists, make_plan([parse("NDCG")], 1))


def test_scores_that_are_no_numbers_are_refused() -> None:
    lists = computation.make_lists(np.zeros(2), np.array([0, np.nan]), np.array([0, 2]))
    with pytest.raises(RankwiseError, match="scores must be numbers, found NaN"):
        computation.evaluate_lists(lists, make_plan([parse("NDCG@2")], 2))


def test_a_published_measure_says_that_nothing_computes_it() -> None:
    with pytest.raises(RankwiseError, match="PFound is known from publications only"):
        value("PFound@3", [1, 0])


def test_every_family_has_a_formula_a_sample_and_a_documented_equation() -> None:
    assert all(family.name in FORMULAS or callable(family.compute) for family in COMPUTED)
    assert {measure.family for measure in MEASURES} == {family.name for family in COMPUTED}
    for home, families in BY_HOME.items():
        documentation = importlib.import_module(home.partition(":")[0]).__doc__
        for family in families:
            assert f"    {family.name}" in (documentation or ""), family.name
            assert family.citation, family.name


@pytest.mark.parametrize("family", COMPUTED, ids=lambda family: family.name)
def test_what_an_empty_query_scores_is_followed_where_it_is_accepted(family: Family) -> None:
    if "empty" not in family.fields:
        with pytest.raises(RankwiseError, match="empty"):
            parse(f"{family.name}(empty=1)")
        return
    assert value(f"{family.name}(empty=1)", [0.0, 0.0]) == 1.0
