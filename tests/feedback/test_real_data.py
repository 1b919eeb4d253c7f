"""On OHSUMED and MQ2008: what the pages about feedback say, in a shorter form."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.feedback.learning_curves import CORRECTED, FEEDBACK, LABELS, NAIVE, SHOWN

LRUF = {"user": "position-based:labels", "in_turn": True, "checkpoints": 1, "tool": "letor3"}


@pytest.fixture
def ohsumed(shared: Path) -> Path:
    return shared / "data/letor3/OHSUMED/QueryLevelNorm"


def test_lruf_on_ohsumed_is_its_published_figure_by_the_test_labels_and_chance_without(
    ohsumed: Path,
) -> None:
    """Published: NDCG@10 .569. 20 sessions a test query, every shown relevant document visited."""
    study = rw.learn_online(
        ohsumed, ["lruf"], sessions=424, runs=2, feedback="test", settings=["learning_rate=0.001"],
        **LRUF,  # type: ignore[arg-type]
    )  # fmt: skip
    assert study.final("lruf", "NDCG@10", FEEDBACK).mean == pytest.approx(0.569, abs=0.03)
    assert study.final("lruf", "NDCG@10").mean == pytest.approx(0.191, abs=0.002)


@pytest.mark.slow
def test_a_million_sessions_on_ohsumed_have_the_same_bytes_twice(ohsumed: Path) -> None:
    train = rw.read(ohsumed / "Fold1/train.txt")
    digests = set()
    for threads in (1, 2):
        log = rw.simulate_clicks(train, 1_000_000, threads=threads)
        digests.add(hashlib.sha256(log.rows.tobytes() + log.clicks.tobytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ranksvm", "listnet"])
def test_corrected_learners_approach_true_labels_on_ohsumed(ohsumed: Path, name: str) -> None:
    study = rw.learn_offline(ohsumed, [name], sessions=[1_000, 100_000], runs=2)
    labels = study.curve(name, LABELS)[0].mean
    gaps = {
        source: labels - np.array([one.mean for one in study.curve(name, source)])
        for source in (CORRECTED, NAIVE)
    }
    assert gaps[CORRECTED][1] < gaps[CORRECTED][0]
    assert gaps[CORRECTED][1] < 0.01
    assert gaps[NAIVE][1] > 0.03


@pytest.mark.slow
@pytest.mark.parametrize("user", ["perfect", "navigational", "informational"])
def test_pdgd_is_above_dueling_bandit_on_mq2008(shared: Path, user: str) -> None:
    study = rw.learn_online(
        shared / "data/letor4/MQ2008", sessions=10_000, runs=3, checkpoints=1,
        user=f"dependent-click:{user}",
    )  # fmt: skip
    for measure, part, sign in (("NDCG@10", None, 1), ("regret", SHOWN, -1)):
        pdgd, bandit = (
            study.final(name, measure, **({"part": part} if part else {}))
            for name in ("pdgd", "dueling-bandit")
        )
        assert sign * (pdgd.mean - bandit.mean) > 0.0
