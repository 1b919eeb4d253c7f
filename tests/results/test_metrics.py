"""Metric names: one spelling each; an unknown one gets the nearest suggested."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import RankwiseError
from rankwise.results.metrics import METRICS, canonical, lower_is_better, metric_of


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ndcg@10", "NDCG@10"),
        (" nDCG @ 3 ", "NDCG@3"),
        ("NDCG@010", "NDCG@10"),
        ("mean_ndcg", "MeanNDCG"),
        ("Mean NDCG", "MeanNDCG"),
        ("ap", "MAP"),
        ("Map", "MAP"),
        ("Precision@5", "P@5"),
        ("recall@5", "R@5"),
        ("rr", "MRR"),
        ("mrr@10", "MRR@10"),
        ("err", "ERR"),
        ("ERR@20", "ERR@20"),
        ("rbp@.80", "RBP@0.8"),
        ("ndcg(gain=linear)@10", "NDCG(gain=linear)@10"),
    ],
)
def test_spellings_of_one_metric(written: str, name: str) -> None:
    assert canonical(written) == name
    assert canonical(name) == name


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("NDGC@10", "did you mean NDCG@10"),
        ("precison@3", "did you mean P@3"),
        ("MAPP", "did you mean MAP?"),
        ("quality", "known are NDCG, MeanNDCG"),
        ("P", "must name a cut-off: write P@10"),
        ("RBP", "must name a persistence: write RBP@0.8"),
        ("WTA@3", "must have no cut-off: write WTA"),
        ("NDCG@0", "a whole number from 1"),
        ("NDCG@ten", "a whole number from 1"),
        ("RBP@1.0", "between 0 and 1"),
        ("RBP@0.0", "between 0 and 1"),
        ("", "there is no metric ''"),
        ("@3", "there is no metric '@3'"),
    ],
)
def test_an_unknown_metric_says_what_to_write(written: str, hint: str) -> None:
    with pytest.raises(RankwiseError) as raised:
        canonical(written)
    assert hint in str(raised.value)


@given(st.text(max_size=40))
def test_any_text_has_a_spelling_that_stays_or_a_sentence(text: str) -> None:
    try:
        name = canonical(text)
    except RankwiseError as error:
        assert repr(text) in str(error)
    else:
        assert canonical(name) == name


def test_every_family_is_found_by_its_own_name_and_aliases() -> None:
    parameters = {"cutoff": "@7", "persistence": "@0.5"}
    for metric in METRICS:
        for name in (metric.name, *metric.aliases):
            assert metric_of(name.upper() + parameters.get(metric.parameter, "")) == metric
        assert metric.low < metric.high


def test_direction_of_a_metric() -> None:
    assert lower_is_better("ARP")
    assert lower_is_better("rmse")
    assert not lower_is_better("NDCG@10")
    assert not lower_is_better("my own metric")
