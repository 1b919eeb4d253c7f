"""The names of measures in result tables: one spelling each; an unknown one gets the nearest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import RankwiseError
from rankwise.measures.families.registry import BY_NAME, FAMILIES
from rankwise.measures.measure import family_of, lower_is_better, parse, result_name
from tests.measures.samples import NAMES


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ndcg@10", "NDCG@10"),
        (" nDCG @ 3 ", "NDCG@3"),
        ("NDCG@010", "NDCG@10"),
        ("mean_ndcg", "MeanNDCG"),
        ("Mean NDCG", "MeanNDCG"),
        ("ndcg mean", "MeanNDCG"),
        ("ap", "MAP"),
        ("Map", "MAP"),
        ("AP@5", "MAP@5"),
        ("mean average precision", "MAP"),
        ("gm_map", "MAP(average=geometric)"),
        ("Precision@5", "P@5"),
        ("P", "P"),
        ("recall@5", "Recall@5"),
        ("R@5", "Recall@5"),
        ("rr", "MRR"),
        ("mrr@10", "MRR@10"),
        ("Mean Reciprocal Rank", "MRR"),
        ("err", "ERR"),
        ("ERR@20", "ERR@20"),
        ("Hits@10", "Hits@10"),
        ("hit@10", "Success@10"),
        ("Rprec", "RPrecision"),
        ("r precision", "RPrecision"),
        ("OPA", "PairwiseAccuracy"),
        ("ordered pair accuracy", "PairwiseAccuracy"),
        ("F-measure@10", "F1@10"),
        ("kendall's tau", "KendallTau"),
        ("pfound@10", "PFound@10"),
        ("rbp@.80", "RBP"),
        ("RBP@0.95", "RBP(persistence=0.95)"),
        ("RBP@10", "RBP@10"),
        ("ndcg(gain=linear)@10", "NDCG(gain=linear)@10"),
        ("NDCG(gain=exponential)@10", "NDCG@10"),
        ("package.module:own_measure @ 10", "package.module:own_measure@10"),
    ],
)
def test_spellings_of_one_measure(written: str, name: str) -> None:
    assert result_name(written) == name
    assert result_name(name) == name


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("NDGC@10", "did you mean 'NDCG@10'"),
        ("precison@3", "did you mean 'P@3'"),
        ("MAPP", "did you mean 'MAP'?"),
        ("WTTA@3", "did you mean 'WTA'?"),
        ("quality", "see 'rankwise measures'"),
        ("WTA@3", "WTA has no cut-off: write it without @3"),
        ("NDCG@0", "a whole number from 1 to 1000000, found '0'"),
        ("NDCG@ten", "a whole number from 1 to 1000000, found 'ten'"),
        ("NDCG@1000001", "a whole number from 1 to 1000000, found '1000001'"),
        ("NDCG@-1", "found '-1'"),
        ("NDCG@1@2", "found '1@2'"),
        ("NDCG@" + "9" * 20, "a whole number from 1 to 1000000"),
        ("NDCG@" + "9" * 5000, "a whole number from 1 to 1000000"),
        ("NDCG(table=" + "9" * 5000 + ")", "table must be a number"),
        ("RBP@1.0", "between 0 and 1"),
        ("RBP@0.0", "between 0 and 1"),
        ("AUC(pooled=1)", "AUC has no field 'pooled'; it has none"),
        ("", "there is no measure ''"),
        ("@3", "there is no measure '@3'"),
    ],
)
def test_an_unknown_measure_says_what_to_write(written: str, hint: str) -> None:
    with pytest.raises(RankwiseError) as raised:
        result_name(written)
    assert hint in str(raised.value)
    assert len(str(raised.value)) < 300


@given(
    st.text(max_size=40) | st.sampled_from(NAMES).flatmap(lambda name: st.text().map(name.__add__))
)
def test_any_text_has_a_spelling_that_stays_or_a_sentence(text: str) -> None:
    try:
        name = result_name(text)
    except RankwiseError as error:
        assert repr(text) in str(error) or len(text) > 80
    else:
        assert result_name(name) == name


@pytest.mark.parametrize("name", NAMES)
def test_a_result_name_is_the_measure_again(name: str) -> None:
    assert parse(result_name(name)) == parse(name)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_is_found_by_its_names(family: object) -> None:
    known = BY_NAME[family.name]  # type: ignore[attr-defined]
    for name in (known.name, known.mean_name or known.name, *known.aliases):
        assert family_of(name.upper()) is known
        assert family_of(result_name(name)) is known
    assert known.range[0] < known.range[1]


def test_direction_of_a_measure() -> None:
    assert lower_is_better("ARP")
    assert lower_is_better("rmse")
    assert not lower_is_better("NDCG@10")
    assert not lower_is_better("my own measure")
