from __future__ import annotations

import pytest
from hypothesis import given

from rankwise.errors import RankwiseError
from rankwise.measures.families.family import Family
from rankwise.measures.families.registry import BY_ALIAS, FAMILIES, by_alias, folded
from rankwise.measures.measure import Measure, UnknownMeasure, parse
from tests.measures.samples import NAMES, measures


@given(measures())
def test_every_measure_is_read_back_from_its_name(measure: Measure) -> None:
    assert parse(str(measure)) == measure


@pytest.mark.parametrize("name", NAMES)
def test_canonical_names_print_as_they_are_read(name: str) -> None:
    assert str(parse(name)) == name


@pytest.mark.parametrize(
    ("alias", "canonical"),
    [
        ("nDCG@10", "NDCG@10"),
        ("ndcg@10", "NDCG@10"),
        ("ndcg@10-", "NDCG@10"),
        ("ndcg_cut_10", "NDCG@10"),
        ("MAP", "AP"),
        ("map", "AP"),
        ("map@5", "AP@5"),
        ("map_cut_10", "AP@10"),
        ("MRR", "RR"),
        ("recip_rank", "RR"),
        ("P_5", "P@5"),
        ("precision@5", "P@5"),
        ("recall_10", "Recall@10"),
        ("R@10", "Recall@10"),
        ("success_5", "Success@5"),
        ("Rprec", "RPrecision"),
        ("AP(rel=2)", "AP(threshold=2)"),
        ("iprec_at_recall_0.10", "IPrec(level=0.1)"),
        ("11pt_avg", "ElevenPoint"),
        ("gm_map", "AP(average=geometric)"),
        ("num_rel_ret", "RelevantRetrieved"),
        ("RBP(p=0.95)", "RBP(persistence=0.95)"),
    ],
)
def test_names_in_use_elsewhere_are_understood(alias: str, canonical: str) -> None:
    assert str(parse(alias)) == canonical


def test_fields_left_out_come_from_the_conventions() -> None:
    conventions = {"NDCG": {"gain": "linear", "empty": 1.0}}
    assert parse("NDCG(empty=0)@5", conventions) == Measure("NDCG", 5, gain="linear", empty=0.0)
    assert parse("ndcg@5-", conventions) == Measure("NDCG", 5, gain="linear", empty=0.0)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("NDGC@10", "did you mean 'NDCG@10'?"),
        ("precison@5", "did you mean 'P@5'?"),
        ("zzzz", "see 'rankwise measures'"),
        ("NDCG@0", "must be a whole number from 1"),
        ("Bpref@5", "has no cut-off"),
        ("P(gain=linear)@5", "P has no field 'gain'"),
        ("NDCG(gain=cubic)@5", "gain must be exponential, linear"),
        ("NDCG(gain=70=1)@5", "gains can be listed for labels 0 to 63"),
        ("NDCG(discount=log3)@5", "discount must be one of log2, letor, position"),
        ("AP(threshold=high)", "threshold must be a number"),
        ("RBP(persistence=2)", "must lie between 0 and 1"),
        ("NDCG(empty=none)", "empty must be a number"),
        ("AP(denominator=retrieved)", "denominator must be one of relevant, cutoff"),
        ("", "there is no measure"),
        ("NDCG(", "a measure must be written NAME@cut-off"),
    ],
)
def test_a_wrong_name_gets_one_sentence(name: str, sentence: str) -> None:
    with pytest.raises(RankwiseError) as caught:
        parse(name)
    assert sentence in str(caught.value)


def test_unknown_families_are_told_apart_from_wrong_fields() -> None:
    with pytest.raises(UnknownMeasure):
        Measure("NDGC")
    with pytest.raises(RankwiseError, match="P has no field 'gain'"):
        Measure("P", 5, gain="linear")


def test_no_two_families_share_a_name() -> None:
    names = [folded(alias) for family in FAMILIES for alias in (family.name, *family.aliases)]
    assert set(names) == set(BY_ALIAS)
    twice = [
        Family("One", "one", aliases=("the_same",)),
        Family("Two", "two", aliases=("the same",)),
    ]
    with pytest.raises(ValueError, match="Two and One are both called 'the same'"):
        by_alias(tuple(twice))


def test_with_fields_leaves_out_what_a_family_lacks() -> None:
    assert parse("P@5").with_fields(gain="linear", threshold=2.0) == parse("P(threshold=2)@5")


def test_the_geometric_mean_of_trec_eval_takes_the_convention_as_it_is() -> None:
    for empty in (0.0, 1.0):
        found = parse("gm_map", {"AP": {"empty": empty}})
        assert (found.average, found.empty) == ("geometric", empty)
    assert parse("gm_map").cutoff is None


def test_a_misspelt_field_is_refused() -> None:
    with pytest.raises(RankwiseError, match="measures have no field 'gian'"):
        parse("NDCG@10").with_fields(gian="linear")
    assert parse("MAP").with_fields(gain="linear") == parse("MAP")
