"""The compiled pass against literal formulas, and what must hold of any measure."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.measures import kernel
from rankwise.measures.families.registry import BY_MODULE, COMPUTED, FAMILIES
from rankwise.measures.judged import JudgedScores, offsets_of
from rankwise.measures.measure import Measure, parse
from rankwise.measures.plan import make_plan
from rankwise.measures.values import measure_values
from tests.measures.literal import literal_value
from tests.measures.samples import MEASURES, NAMES, judged_scores


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
    lists = kernel.make_lists(labels, rng.normal(size=rows), offsets_of(lengths))
    plan = make_plan([parse("NDCG@10"), parse("AP")], 40)
    single = kernel.evaluate_lists(lists, plan)
    monkeypatch.setattr(kernel, "ROWS_WORTH_A_THREAD", 1000)
    monkeypatch.setattr(kernel, "processors", lambda: 5)
    np.testing.assert_array_equal(kernel.evaluate_lists(lists, plan), single)


def test_arrays_that_can_and_cannot_be_written_to_share_one_compiled_pass() -> None:
    before = len(kernel.evaluate_frequent_range.signatures)  # type: ignore[attr-defined]
    assert value("P@1", [1, 0]) == 1
    labels, scores = np.array([1.0, 0]), np.array([2.0, 1])
    labels.flags.writeable = False
    data = JudgedScores(labels, scores, offsets_of([2]), ["1"])
    assert measure_values(data, [parse("P@1")])[0, 0] == 1
    after = len(kernel.evaluate_frequent_range.signatures)  # type: ignore[attr-defined]
    assert after == max(before, 1)


def test_every_family_has_a_formula_a_sample_and_a_documented_equation() -> None:
    assert all(family.formula is not None for family in COMPUTED)
    assert {measure.family for measure in MEASURES} == {family.name for family in COMPUTED}
    for module, families in BY_MODULE.items():
        documentation = importlib.import_module(f"rankwise.measures.families.{module}").__doc__
        for family in families:
            assert f"    {family.name}" in (documentation or ""), family.name
            assert family.citation, family.name
