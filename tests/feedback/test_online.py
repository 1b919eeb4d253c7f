"""Online learners: their equations done literally, what they learn, and what they cannot know."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.errors import RankwiseError
from rankwise.feedback import ONLINE_LEARNERS, PositionBased, learn_online, make_online_learner
from rankwise.feedback.learning_curves import FEEDBACK, SHOWN
from rankwise.feedback.logging_rankers import judge, mean_interval, split_feedback
from rankwise.feedback.online_learning import LRUF, PDGD
from rankwise.feedback.simulation import SessionSetting
from tests.feedback.made import few_queries, one_list, two_folds

every_learner = pytest.mark.parametrize("name", ONLINE_LEARNERS)
ALL = PositionBased((0.0, 1.0, 1.0), severity=0.0)


@every_learner
def test_sessions_in_parts_are_the_sessions_at_once(name: str) -> None:
    data = few_queries()
    learner, setting = make_online_learner(name), SessionSetting(few_queries(), ALL, 5)
    whole, parts = learner.start(data), learner.start(data)
    values = learner.advance(setting, whole, 3, 0, 300)
    first = learner.advance(setting, parts, 3, 0, 120)
    second = learner.advance(setting, parts, 3, 120, 180)
    assert np.array_equal(values, np.concatenate([first, second]))
    assert whole.tobytes() == parts.tobytes()
    assert not np.array_equal(whole, learner.start(data))
    assert np.all((values >= 0.0) & (values <= 1.0 + 1e-12))


@every_learner
def test_feedback_queries_become_better_than_chance(name: str) -> None:
    data = few_queries()
    learner, setting = make_online_learner(name), SessionSetting(data, ALL, 10)
    state = learner.start(data)
    learner.advance(setting, state, 1, 0, 3_000)
    chance = judge(data, np.zeros(data.n_documents), ["NDCG@10"], "definition")["NDCG@10"]
    found = judge(data, learner.score(state, data, data), ["NDCG@10"], "definition")["NDCG@10"]
    assert found > chance + 0.1


def test_lruf_knows_nothing_about_other_queries() -> None:
    folds = two_folds()
    study = learn_online(
        folds, ["lruf"], sessions=2_000, runs=2, user="position-based:labels", checkpoints=1
    )
    chance = np.mean(
        [
            judge(fold.test, np.zeros(fold.test.n_documents), ["NDCG@10"], "definition")["NDCG@10"]
            for fold in folds
        ]
    )
    assert study.final("lruf", "NDCG@10").mean == pytest.approx(chance, abs=1e-12)
    assert study.final("lruf", "NDCG@10", FEEDBACK).mean > chance + 0.2


def test_the_rewards_of_lruf() -> None:
    """One session, everything visited: each reward in turn, in the order of the list."""
    data = one_list()
    setting = SessionSetting(data, PositionBased((1.0, 1.0, 1.0), severity=0.0), 3)
    learner = LRUF(learning_rate=0.2)
    state = learner.start(data)
    learner.advance(setting, state, 0, 0, 1)
    chances = state[: data.n_documents]
    # p becomes (1 − a)³ / 8 for those not shown; the one rewarded last keeps most of its reward.
    untouched = 0.8**3 / 8
    rewards = [0.2, 0.2 * 0.8, 0.2 * 0.8**2]
    assert sorted(chances) == pytest.approx(
        sorted([untouched] * 5 + [untouched + one for one in rewards])
    )
    assert state[-1] == pytest.approx(0.2 * (1 + 1 / 2 + 1 / 3) / 3)


@pytest.mark.parametrize("name", ["lruf", "larf"])
def test_chances_stay_chances(name: str) -> None:
    data = few_queries()
    learner, setting = make_online_learner(name), SessionSetting(data, ALL, 10)
    state = learner.start(data)
    learner.advance(setting, state, 1, 0, 2_000)
    sums = [state.sum()]
    if name == "lruf":
        sums = np.add.reduceat(state[: data.n_documents], data.query_offsets[:-1]).tolist()
    assert sums == pytest.approx(np.ones(len(sums)))


def test_a_step_of_pdgd_is_its_equation() -> None:
    """From w, one session; the list is read off the documents that moved w."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(4, 3))
    data = Dataset.from_arrays(features, [0, 1, 0, 1], group=[4])
    setting = SessionSetting(data, PositionBased((0.0, 1.0), severity=0.0), 4)
    start = np.array([0.3, -0.4, 0.2])
    state = start.copy()
    PDGD(learning_rate=0.5, decay=1.0).advance(setting, state, 7, 0, 1)
    moved = (state - start) / 0.5
    steps = [literal_pdgd(features, start, order) for order in all_orders(4)]
    assert any(step == pytest.approx(moved, abs=1e-12) for step in steps)
    assert np.abs(moved).max() > 0.01


def all_orders(count: int) -> list[list[int]]:
    from itertools import permutations

    return [list(order) for order in permutations(range(count))]


def literal_pdgd(features: np.ndarray, weights: np.ndarray, order: list[int]) -> np.ndarray:
    """Σ ρ e^{s_i} e^{s_j} / (e^{s_i} + e^{s_j})² (x_i − x_j), rows 1 and 3 being clicked."""
    masses = np.exp(features @ weights)
    clicked = [row in (1, 3) for row in order]
    last = max(place for place, click in enumerate(clicked) if click)
    total = np.zeros(features.shape[1])
    for i, better in enumerate(order):
        for j, worse in enumerate(order[: last + 2]):
            if not clicked[i] or clicked[j]:
                continue
            exchanged = list(order)
            exchanged[i], exchanged[j] = worse, better
            chances = [plackett_luce(masses, one) for one in (order, exchanged)]
            weight = chances[1] / (chances[0] + chances[1])
            slope = masses[better] * masses[worse] / (masses[better] + masses[worse]) ** 2
            total += weight * slope * (features[better] - features[worse])
    return total


def plackett_luce(masses: np.ndarray, order: list[int]) -> float:
    left, chance = masses.sum(), 1.0
    for row in order:
        chance *= masses[row] / left
        left -= masses[row]
    return float(chance)


def test_a_step_of_dueling_bandit_has_its_length() -> None:
    data = few_queries()
    setting = SessionSetting(data, ALL, 10)
    learner = make_online_learner("dueling-bandit", ["learning_rate=0.25"])
    state = learner.start(data)
    for session in range(40):
        before = state.copy()
        learner.advance(setting, state, 1, session, 1)
        assert np.linalg.norm(state - before) == pytest.approx(0.25) or np.array_equal(
            state, before
        )
    assert state.any()


def test_a_study_is_the_same_twice_and_says_what_it_found() -> None:
    def run() -> object:
        return learn_online(
            two_folds(), ["pdgd"], sessions=200, runs=3, checkpoints=2, measures=["MAP", "NDCG@5"]
        )

    study = run()
    assert study == run()
    rows = study.to_frame()  # type: ignore[attr-defined]
    assert sorted(set(rows["sessions"])) == [14, 200]
    assert set(rows["measure"]) == {"MAP", "NDCG@5", "regret"}
    regret = study.final("pdgd", "regret", SHOWN)  # type: ignore[attr-defined]
    assert 0.0 < regret.mean < 200.0
    assert regret.low <= regret.mean <= regret.high


def test_feedback_and_held_out_queries_are_kept_apart() -> None:
    data = few_queries(6)
    with pytest.raises(RankwiseError, match="must not be among those held out, found '1001'"):
        split_feedback([Fold(1, data, None, data)])
    (split,) = split_feedback(two_folds(), "test", [2])
    assert split.feedback is not None
    assert not set(split.feedback.query_ids) & set(split.held_out.query_ids)


def test_the_interval_of_a_mean_is_students() -> None:
    found = mean_interval([1.0, 2.0, 3.0])
    # t of 2 degrees of freedom at 97.5 %, from tables.
    assert found.high - found.mean == pytest.approx(4.302653 / np.sqrt(3), rel=1e-5)
    assert np.isnan(mean_interval([1.0]).low)


def test_what_is_refused() -> None:
    with pytest.raises(RankwiseError, match="no online learner 'pdg'; did you mean 'pdgd'"):
        make_online_learner("pdg")
    with pytest.raises(RankwiseError, match="pdgd has no parameter 'rate'"):
        make_online_learner("pdgd", ["rate=1"])
    with pytest.raises(RankwiseError, match="name=value, found 'rate'"):
        make_online_learner("pdgd", ["rate"])
    with pytest.raises(RankwiseError, match="scope must be one of all, query"):
        make_online_learner("larf", ["scope=some"])
    with pytest.raises(RankwiseError, match="at least one learner, session, run and checkpoint"):
        learn_online(two_folds(), sessions=0)
    with pytest.raises(RankwiseError, match="must have fold 7"):
        learn_online(two_folds(), folds=[7])
    with pytest.raises(RankwiseError, match="the part train or test, found 'vali'"):
        learn_online(two_folds(), feedback="vali")
