"""Means turned from one convention into another: as equations, and against evaluation."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.checks.made import planted
from rankwise.data import JudgedScores
from rankwise.data.scores.scored_qrels import offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures import TOOLS, find_tool, parse
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.reconciliation import (
    Figure,
    QueryCounts,
    count_queries,
    find_ratio,
    reconcile_mean,
)

RULES: tuple[float | str, ...] = (0.0, 1.0, 0.5, "skip")
MEASURES = ("NDCG@1", "NDCG@5", "NDCG@10", "NDCG", "MAP", "AP@10", "RR", "P@5", "ERR@10", "R@5")


def test_the_example_of_lightgbm_beside_qin() -> None:
    found = rw.reconcile(
        ".5100", "NDCG@5", "lightgbm", ["empty=skip", "definition"], dataset="web30k", fold=1
    )
    left_out, as_zero = found["empty=skip"], found["definition"]
    assert left_out.value == pytest.approx((0.51 * 6306 - 189) / (6306 - 189), abs=1e-15)
    assert f"{left_out.value:.4f}" == "0.4949"
    assert as_zero.value == pytest.approx(0.51 - 189 / 6306, abs=1e-15)
    assert left_out.how == as_zero.how == "converted"
    # The print allows .50995 to .51005.
    assert left_out.low == pytest.approx((0.50995 * 6306 - 189) / 6117, abs=1e-15)
    assert left_out.high == pytest.approx((0.51005 * 6306 - 189) / 6117, abs=1e-15)
    beside = {(one.method, one.value) for one in found.published if one.target == "empty=skip"}
    assert ("LambdaMART (LightGBM)", 0.4966) in beside


@pytest.fixture(scope="module", params=["made up", "mslr"])
def documents(request: pytest.FixtureRequest) -> tuple[rw.Dataset, int]:
    """Documents of five labels, and which of their features ranks them."""
    if request.param == "made up":
        return planted(20, 30, levels=5), 0
    samples = request.getfixturevalue("shared") / "data" / "samples"
    return rw.read(samples / "mslr" / "mslr_fold1_test_sample.txt"), 129


def sample(documents: tuple[rw.Dataset, int], empty: int) -> tuple[rw.Dataset, np.ndarray]:  # type: ignore[type-arg]
    """The documents, with so many of their queries made empty, and scores with ties."""
    dataset, feature = documents
    labels = dataset.labels.copy()
    labels[: dataset.query_offsets[empty]] = 0
    made = rw.Dataset.from_arrays(
        dataset.features,
        labels,
        group=np.diff(dataset.query_offsets),
        document_ids=[f"d{n * 7919 % 10007}" for n in range(dataset.n_documents)],
    )
    return made, np.round(dataset.features[:, feature], 1)


@pytest.mark.parametrize("empty", [0, 5])
@pytest.mark.parametrize("name", MEASURES)
def test_every_rule_for_empty_queries_follows(
    name: str, empty: int, documents: tuple[rw.Dataset, int]
) -> None:
    dataset, scores = sample(documents, empty)
    measures = {rule: parse(name).with_fields(empty=rule) for rule in RULES}
    if "empty" not in rw.measures.find_family(parse(name).family).fields:
        pytest.skip(f"{name} has no rule for empty queries")
    judged = rw.data.judge(dataset, scores)
    direct = {rule: evaluate_judged(judged, [one])[str(one)].mean for rule, one in measures.items()}
    for one, other in product(RULES, RULES):
        counts = count_queries(judged, measures[one])
        found = reconcile_mean(Figure(direct[one]), measures[one], measures[other], counts)
        assert found.how == "converted"
        assert found.value == pytest.approx(direct[other], abs=1e-12)


@pytest.mark.parametrize("empty", [0, 5])
@pytest.mark.parametrize("name", ["NDCG@5", "NDCG@10", "MAP", "ERR@10"])
def test_every_pair_of_tools(name: str, empty: int, documents: tuple[rw.Dataset, int]) -> None:
    dataset, scores = sample(documents, empty)
    direct = {}
    for tool in TOOLS:
        try:
            direct[tool] = rw.evaluate(dataset, scores, [name], tool)[name].mean
        except RankwiseError:
            continue
    exact = rw.reconcile(None, name, data=dataset, scores=scores, targets=list(direct))
    assert exact.figure is None
    for tool, mean in direct.items():
        assert exact[tool].value == mean
    # CatBoost takes labels for probabilities, and those above 1 lead it below 0.
    direct = {tool: mean for tool, mean in direct.items() if 0.0 <= mean <= 1.0}
    seen = set()
    for source, mean in direct.items():
        found = rw.reconcile(mean, name, source, list(direct), data=dataset)
        for tool, other in direct.items():
            one = found[tool]
            seen.add(one.how)
            if one.how == "converted":
                assert one.value == pytest.approx(other, abs=1e-12), (source, tool)
            elif one.how == "bounded":
                assert one.low is not None and one.high is not None
                assert one.low - 1e-12 <= other <= one.high + 1e-12, (source, tool)
            else:
                assert one.missing and one.value is None
    assert {"converted", "missing"} <= seen


def test_the_ratio_of_gains_and_discounts_is_the_one_of_the_docstring() -> None:
    exponential, linear = parse("NDCG@5"), parse("NDCG(gain=linear)@5")
    assert find_ratio(exponential, linear, (0.0, 1.0, 2.0, 4.0)) == pytest.approx((15 / 4) / 1)
    letor = parse("NDCG(discount=letor)@5")
    # At rank 1 both are 1; at rank 2 they are 1 and 1 / log2(3).
    assert find_ratio(exponential, letor, (0.0, 1.0)) == pytest.approx(np.log2(3))


@pytest.mark.parametrize("fields", ["gain=linear", "discount=letor", "discount=position",
                                    "gain=linear,discount=letor,empty=1", "short=zero",
                                    "short=zero,gain=linear,empty=skip"])  # fmt: skip
def test_bounds_hold_both_ways_on_random_rankings(fields: str) -> None:
    rng = np.random.default_rng(5)
    plain, other = parse("NDCG@8"), parse(f"NDCG({fields})@8")
    for _ in range(40):
        lengths = rng.integers(3, 14, 12)
        labels = rng.integers(0, 5, int(lengths.sum())) * (rng.random(int(lengths.sum())) < 0.3)
        offsets = np.append(0, np.cumsum(lengths))
        ids = [str(n) for n in range(12)]
        judged = JudgedScores(labels, rng.random(len(labels)), offsets, ids)
        means = {one: evaluate_judged(judged, [one])[str(one)].mean for one in (plain, other)}
        counts = count_queries(judged, plain)
        for source, target in ((plain, other), (other, plain)):
            found = reconcile_mean(Figure(means[source]), source, target, counts)
            assert found.how == "bounded" and found.low is not None and found.high is not None
            assert found.low - 1e-12 <= means[target] <= found.high + 1e-12


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("definition", "trec_eval", "ties (input, document-descending)"),
        ("definition", "catboost", "ties (input, worst)"),
        ("definition", "sklearn", "sklearn has figures of other queries"),
        ("lightgbm", "letor4", "shorter than the cut-off"),
    ],
)
def test_what_is_missing_is_said(source: str, target: str, reason: str) -> None:
    found = rw.reconcile("0.45", "NDCG@10", source, [target], queries=100, empty=7)[target]
    assert (found.value, found.low, found.high, found.how) == (None, None, None, "missing")
    assert any(reason in sentence for sentence in found.missing)


def test_without_counts_only_equal_conventions_are_turned() -> None:
    found = rw.reconcile("0.45", "NDCG@10", "lightgbm", ["definition", "lightgbm"])
    assert found["lightgbm"].value == 0.45
    assert found["definition"].missing == (
        "how many queries there are and how many of them are empty",
    )


def test_a_figure_that_cannot_be_is_refused() -> None:
    with pytest.raises(RankwiseError, match="cannot be a NDCG"):
        rw.reconcile("0.10", "NDCG@10", "lightgbm", ["definition"], queries=100, empty=20)
    with pytest.raises(RankwiseError, match="found 9 of 5"):
        QueryCounts(5, 9)


def test_with_scores_the_tool_of_a_figure_is_identified(
    documents: tuple[rw.Dataset, int],
) -> None:
    dataset, scores = sample(documents, 5)
    yahoo = rw.evaluate(dataset, scores, "NDCG@10", "yahoo")["NDCG@10"].mean
    found = rw.reconcile(f"{yahoo:.6f}", "NDCG@10", data=dataset, scores=scores)
    assert "yahoo" in {one.tool for one in found.matches}
    assert found.figure == f"{yahoo:.6f}"
    assert found["definition"].value == pytest.approx(yahoo - 5 / dataset.n_queries, abs=1e-12)
    with pytest.raises(RankwiseError, match="by definition must be"):
        rw.reconcile(f"{yahoo:.6f}", "NDCG@10", "definition", data=dataset, scores=scores)
    with pytest.raises(RankwiseError, match="no tool and no convention gives"):
        rw.reconcile("0.000123", "NDCG@10", data=dataset, scores=scores)


def test_fields_are_conventions_of_the_definition() -> None:
    assert find_tool("definition").measure("NDCG(empty=skip)@5") == parse("NDCG(empty=skip)@5")
    with pytest.raises(RankwiseError, match="trec_evil"):
        rw.reconcile("0.45", "NDCG@10", "trec_evil", ["definition"])


def test_the_counts_of_the_catalogue_are_those_of_the_files(shared: Path) -> None:
    letor4, ohsumed = shared / "data" / "letor4", shared / "data" / "letor3" / "OHSUMED"
    files = {
        "letor4/mq2008": [letor4 / "MQ2008" / f"Fold{n}" / "test.txt" for n in range(1, 6)],
        # Fold 1 is tested on the fifth part, fold 2 on the first, and so on.
        "letor4/mq2007": [letor4 / "MQ2007" / f"S{n}.txt" for n in (5, 1, 2, 3, 4)],
        "letor3/ohsumed": [
            ohsumed / "QueryLevelNorm" / f"Fold{n}" / "test.txt" for n in range(1, 6)
        ],
    }
    for name, parts in files.items():
        known = rw.data.find_entry(name).test_counts
        for fold, path in enumerate(parts, start=1):
            dataset = rw.read(path)
            judged = rw.data.judge(dataset, np.zeros(dataset.n_documents))
            found = count_queries(judged, parse("NDCG@10"))
            assert (known[str(fold)].queries, known[str(fold)].empty) == (
                found.queries, found.empty,
            ), (name, fold)  # fmt: skip


def test_a_threshold_of_0_is_not_that_of_1() -> None:
    """P(threshold=0) is 1 wherever documents are judged; empty queries are others, too."""
    counted = {"queries": 100, "empty": 0}
    found = rw.reconcile("0.8", "P@5", "threshold=0", ["definition"], **counted)["definition"]
    assert found.value is None and "threshold (0, 1)" in found.missing[0]
    assert rw.reconcile("0.8", "P@5", "threshold=>0", ["definition"], **counted)["definition"].value
    data = JudgedScores(np.array([0.0, 0, 0.7, 0]), np.zeros(4), offsets_of([2, 2]), "ab")
    for name, empty in (("P(threshold=0)", 0), ("P(threshold=0.5)", 1), ("P", 2), ("NDCG", 1)):
        assert count_queries(data, parse(name)).empty == empty, name
    clipped = JudgedScores(np.array([3.0]), np.zeros(1), offsets_of([1]), "a")
    assert count_queries(clipped, parse("P(threshold=0,table=2)")).empty == 0
    assert count_queries(clipped, parse("P(table=2)")).empty == 1
