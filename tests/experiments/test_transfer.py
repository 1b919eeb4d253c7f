"""Learning from further data: pooled, weighted, fine-tuned; nothing of the target leaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rankwise as rw
from rankwise.checks.made import joined, planted
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.experiments.transfer import (
    SOURCE_WEIGHTS,
    WAYS,
    pool,
    prepare_transfer,
    refuse_way,
    shrink,
)
from rankwise.rankers.registry import find_ranker, ranker_names
from tests.rankers.torch_marks import needs_torch


def named(data: Dataset, prefix: str) -> Dataset:
    from rankwise.data.shared_queries import rename_queries

    return rename_queries(data, prefix)


TRAIN, VALIDATION = planted(6, seed=1), named(planted(8, seed=2), "v")
SOURCE = named(planted(12, seed=3), "s")


def reversed_labels(data: Dataset) -> Dataset:
    return replace(data, labels=data.labels.max() - data.labels)


def test_pooled_is_both_as_one() -> None:
    found = rw.fit("ridge-regression", TRAIN, also=SOURCE)
    expected = rw.fit("ridge-regression", joined(TRAIN, SOURCE))
    assert found.score(VALIDATION) == pytest.approx(expected.score(VALIDATION), rel=1e-12)
    assert found.facts["transfer"] == "pooled"
    assert found.facts["source_queries"] == 12


def test_several_sources_are_pooled() -> None:
    other = named(planted(4, seed=4), "o")
    found = rw.fit("ridge-regression", TRAIN, also=[SOURCE, other])
    expected = rw.fit("ridge-regression", joined(TRAIN, SOURCE, other))
    assert found.score(VALIDATION) == pytest.approx(expected.score(VALIDATION), rel=1e-12)


def test_a_weight_that_is_given_is_taken() -> None:
    found = rw.fit("ridge-regression", TRAIN, also=SOURCE, way="weighted", source_weight=0.25)
    both = joined(TRAIN, SOURCE)
    weights = np.repeat([1.0, 0.25], [TRAIN.n_documents, SOURCE.n_documents])
    expected = rw.fit("ridge-regression", replace(both, weights=weights))
    assert found.score(VALIDATION) == pytest.approx(expected.score(VALIDATION), rel=1e-12)
    assert found.facts["source_weight"] == 0.25


def test_validation_chooses_the_weight() -> None:
    """A source that says the contrary gets the least weight, one that is like the target more."""
    contrary = rw.fit(
        "ridge-regression", TRAIN, VALIDATION, also=reversed_labels(SOURCE), way="weighted"
    )
    assert contrary.facts["source_weight"] == min(SOURCE_WEIGHTS)
    measure = rw.evaluate(VALIDATION, contrary.score(VALIDATION), ["MAP"])["MAP"].mean
    others = [
        rw.fit("ridge-regression", TRAIN, VALIDATION, also=reversed_labels(SOURCE), way="weighted",
               source_weight=weight)
        for weight in SOURCE_WEIGHTS
    ]  # fmt: skip
    best = max(
        rw.evaluate(VALIDATION, one.score(VALIDATION), ["MAP"])["MAP"].mean for one in others
    )
    assert measure == best


def test_fine_tuned_continues_the_model_of_the_source() -> None:
    found = rw.fit("ridge-regression", TRAIN, also=SOURCE, way="fine-tuned")
    start = rw.fit("ridge-regression", SOURCE)
    expected = find_ranker("ridge-regression")().fit(TRAIN, start=start)
    assert found.score(VALIDATION) == pytest.approx(expected.score(VALIDATION), rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_same_seed_same_bytes(way: str) -> None:
    made = rw.make_ranker("lambdamart", rounds=5)
    first, second = (
        rw.fit(made, TRAIN, VALIDATION, also=SOURCE, way=way).score(VALIDATION) for _ in range(2)
    )
    assert first.tobytes() == second.tobytes()


def test_queries_of_the_target_are_left_out_of_the_source() -> None:
    source = joined_ids(SOURCE, VALIDATION.select_queries([0, 3]), TRAIN.select_queries([1]))
    data = prepare_transfer([source], TRAIN, VALIDATION)
    assert data.source.n_queries == SOURCE.n_queries
    assert data.remarks == (
        "3 of the 15 queries of the source are queries of the target too, and were left out",
    )
    kept_out = prepare_transfer([source], TRAIN, kept_out=[VALIDATION])
    assert kept_out.source.equals(data.source)


def joined_ids(*parts: Dataset) -> Dataset:
    from rankwise.data.joining import concatenate

    return concatenate(parts)


def test_a_source_of_target_queries_alone_is_refused() -> None:
    with pytest.raises(RankwiseError, match="must have queries that the target has not"):
        rw.fit("ridge-regression", TRAIN, VALIDATION, also=VALIDATION)


def test_features_that_the_source_lacks() -> None:
    names = ("a", "b", "c", "d", "e")
    train = TRAIN.with_feature_names(names)
    source = SOURCE.with_features(SOURCE.features[:, [1, 0, 2, 3]])
    source = source.with_feature_names(("b", "a", "c", "d"))
    filled = rw.fit("ridge-regression", train, also=source)
    assert filled.scorer.weights[4] != 0.0
    dropped = rw.fit("ridge-regression", train, also=source, absent="drop")
    assert dropped.scorer.weights[4] == 0.0
    assert dropped.feature_names == names
    assert dropped.facts["remarks"] == [
        "the source lacks 'e' of the target's features, by name",
        "nothing is learnt from these",
    ]
    common = rw.fit(
        "ridge-regression",
        joined(*(one.with_features(one.features[:, :4]) for one in (TRAIN, SOURCE))),
    )
    assert dropped.scorer.weights[:4] == pytest.approx(common.scorer.weights, rel=1e-9)


@needs_torch
def test_a_function_that_counts_what_was_dropped_is_refused() -> None:
    ranker = rw.make_ranker("listnet", hidden_layers="3", rounds=2)
    narrow = SOURCE.with_features(SOURCE.features[:, :4])
    with pytest.raises(RankwiseError, match="listnet counts features that were dropped"):
        rw.fit(ranker, TRAIN, also=narrow, absent="drop")


@pytest.mark.parametrize(
    ("ranker", "asked", "sentence"),
    [
        ("listnet", {"way": "weighted"}, "listnet cannot weigh documents"),
        ("adarank-map", {"way": "fine-tuned"}, "adarank-map starts anew"),
        ("mart", {"way": "mixed"}, "must be one of pooled, weighted, fine-tuned, found 'mixed'"),
        ("mart", {"source_weight": 0.5}, "is for the way 'weighted', found 'pooled'"),
        ("mart", {"way": "weighted"}, "needs validation data, found none"),
        ("mart", {"way": "weighted", "source_weight": 0.0}, "must be a number above 0"),
        ("mart", {"absent": "guess"}, "must become zero or drop, found 'guess'"),
    ],
)
def test_what_cannot_be_is_refused(ranker: str, asked: dict[str, object], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        rw.fit(ranker, TRAIN, also=SOURCE, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("asked", [{"way": "pooled"}, {"source_weight": 1.0}, {"absent": "zero"}])
def test_an_option_without_effect_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises(RankwiseError, match="says how to learn from further data, found none"):
        rw.fit("mart", TRAIN, **asked)  # type: ignore[arg-type]


def test_data_with_weights_of_their_own_are_refused() -> None:
    weighed = replace(SOURCE, weights=np.ones(SOURCE.n_documents))
    with pytest.raises(RankwiseError, match="transfer weighs source and target itself"):
        rw.fit("ridge-regression", TRAIN, also=weighed)


@pytest.mark.parametrize("name", ranker_names())
def test_every_ranker_says_which_ways_it_goes(name: str) -> None:
    ranker = find_ranker(name)
    refuse_way("pooled", ranker)
    for way, goes, sentence in (
        ("weighted", ranker.takes_weights, f"{name} cannot weigh documents"),
        ("fine-tuned", ranker.takes_start, f"{name} starts anew in every training"),
    ):
        if goes:
            refuse_way(way, ranker)
        else:
            with pytest.raises(RankwiseError, match=sentence):
                refuse_way(way, ranker)


def test_smaller_shares_are_parts_of_larger_ones() -> None:
    data = planted(40)
    shares = {share: set(shrink(data, share, 7).query_ids) for share in (5, 10, 20, 50, 100)}
    assert [len(ids) for ids in shares.values()] == [2, 4, 8, 20, 40]
    assert shares[5] < shares[10] < shares[20] < shares[50] < shares[100]
    assert set(shrink(data, 20, 8).query_ids) != shares[20]
    assert shrink(data, 0.1, 0).n_queries == 1
    with pytest.raises(RankwiseError, match="above 0 and at most 100 percent, found 0"):
        shrink(data, 0, 0)


def test_a_pool_weighs_the_source() -> None:
    both = pool(SOURCE, TRAIN, 0.1)
    assert both.weights is not None
    assert both.weights.tolist() == [1.0] * TRAIN.n_documents + [0.1] * SOURCE.n_documents
    assert pool(SOURCE, TRAIN, 1.0).weights is None
