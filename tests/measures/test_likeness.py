"""Which tools give the same figures on which labels; every claim is tried on data."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.reconciliation import describe_convention
from rankwise.measures.tools.registry import TOOLS

MEASURES = ("NDCG@3", "NDCG@10", "MAP", "P@5", "ERR@10", "MRR")


def made(highest: int, seed: int) -> JudgedScores:
    """Queries of 1 to 20 documents with ties, some of them empty."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 21, 40)
    count = int(lengths.sum())
    labels = rng.integers(0, highest + 1, count) * (rng.random(count) < 0.4)
    scores = rng.integers(0, 6, count) / 2
    documents = [f"d{n}" for n in rng.permutation(count)]
    ids = [str(n) for n in range(1, 41)]
    return JudgedScores(labels, scores, offsets_of(lengths), ids, documents)


@pytest.mark.parametrize("highest", [1, 2, 4])
@pytest.mark.parametrize("name", MEASURES)
def test_equal_conventions_give_equal_figures(highest: int, name: str) -> None:
    judged = made(highest, 10 * highest)
    labels = tuple(range(highest + 1))
    found: dict[str, tuple[str, float]] = {}
    for tool in TOOLS:
        try:
            found[tool] = (
                str(describe_convention(tool, name, labels)),
                evaluate_judged(judged, [name], tool)[name].mean,
            )
        except RankwiseError:
            continue
    alike = [pair for pair in combinations(found.values(), 2) if pair[0][0] == pair[1][0]]
    assert alike
    for (_, one), (_, other) in alike:
        assert one == pytest.approx(other, abs=1e-12)


def test_labels_decide_what_is_alike() -> None:
    def same(one: str, other: str, name: str, highest: int) -> bool:
        labels = tuple(range(highest + 1))
        return describe_convention(one, name, labels) == describe_convention(other, name, labels)

    assert same("letor4", "mslr", "NDCG@10", 2) and not same("letor4", "mslr", "NDCG@10", 4)
    assert same("definition", "letor4", "MAP", 2) and not same("definition", "mslr", "MAP", 2)
    assert same("lightgbm", "yahoo", "NDCG@10", 4)
    assert not same("lightgbm", "definition", "NDCG@10", 4)
    assert describe_convention("yahoo", "MAP") is None


@pytest.mark.parametrize("labels", [(), (0, 1, 2), (0, 0.5, 1, 2), (-1, 0, 1)])
def test_thresholds_are_alike_where_the_same_labels_are_relevant(labels: tuple[float, ...]) -> None:
    levels = labels or (0, 1, 2, 3)
    thresholds = ("-1", "0", ">0", "0.5", "1", ">1", "2", ">2")
    judged = JudgedScores(
        np.repeat(np.array(levels, float), 2), np.arange(2.0 * len(levels)),
        offsets_of(np.ones(2 * len(levels))), [str(n) for n in range(2 * len(levels))],
    )  # fmt: skip
    for one, other in combinations(thresholds, 2):
        names = f"P(threshold={one})@1", f"P(threshold={other})@1"
        said = [describe_convention("definition", name, labels) for name in names]
        values = [evaluate_judged(judged, [name])[name].values.tolist() for name in names]
        if said[0] == said[1]:
            assert values[0] == values[1], names
        elif labels:
            assert values[0] != values[1], names
    assert describe_convention("definition", "P(threshold=0)@1", labels) != "P@1"


def test_a_threshold_that_takes_gains_away_is_told() -> None:
    kept, cut = "NDCG(gain=2/5,threshold=0)", "NDCG(gain=2/5,threshold=1)"
    assert describe_convention("definition", kept) == "NDCG(gain=2/5)"
    assert describe_convention("definition", cut) == cut
    assert describe_convention("definition", "NDCG(threshold=1)") == "NDCG"
    assert describe_convention("ir_measures", "nDCG(dcg='exp-log2')@5", (0, 1)) is not None
