"""Learning curves: what learners from users and from logs reach as sessions grow.

True labels judge. `learn_online` lets online learners meet simulated users over many sessions and
seeds, and says what learning costs these users. `learn_offline` trains learners from logs as
clicks grow: corrected ones, naive ones, and what true labels give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.folds import Fold
from rankwise.errors import RankwiseError
from rankwise.feedback.counterfactual_learning import PER_SESSION, find_log_learner
from rankwise.feedback.logging_rankers import (
    DEFAULT_SHARE,
    FeedbackSplit,
    judge,
    logging_scores,
    mean_interval,
    split_feedback,
)
from rankwise.feedback.online_learning import OnlineLearner, make_online_learner
from rankwise.feedback.propensities import Propensities, against_first
from rankwise.feedback.simulation import (
    DEFAULT_LOGGING,
    DEFAULT_SHOWN,
    DEFAULT_USER,
    SessionSetting,
    Simulation,
    prepare_simulation,
)
from rankwise.feedback.training_sets import session_rows, with_click_labels
from rankwise.feedback.users import ClickModel, PositionBased, count_grades, make_user
from rankwise.tables.notebook import Rows, Tabular

REGRET = "regret"
HELD_OUT, FEEDBACK, SHOWN = "held-out queries", "feedback queries", "lists shown"


@dataclass(frozen=True)
class LearningFigure:
    """A figure of a learner after some sessions: the mean over seeds of the mean over folds.

    `part` says on what: held-out queries, feedback queries, or the lists shown so far, whose regret
    is Σ (1 − NDCG) a fold.
    """

    learner: str
    sessions: int
    part: str
    measure: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class OnlineStudy(Tabular):
    """What online learners reached, and how it was found out.

    Attributes:
        figures: by learner, sessions, part and measure.
        user: the click model.
        folds, runs: how many.
        feedback: the part that gave feedback.
        tool: whose measures.
    """

    figures: tuple[LearningFigure, ...]
    user: str
    folds: int
    runs: int
    feedback: str
    tool: str

    def as_dict(self) -> dict[str, Any]:
        """All facts by name."""
        return asdict(self)

    def final(self, learner: str, measure: str, part: str = HELD_OUT) -> LearningFigure:
        """The figure after the last session."""
        found = [
            one
            for one in self.figures
            if (one.learner, one.measure, one.part) == (learner, measure, part)
        ]
        if not found:
            raise RankwiseError(f"the study has no {measure} of {learner} on {part}")
        return found[-1]

    def _table(self) -> Rows:
        columns = ("learner", "sessions", "part", "measure", "mean", "low", "high")
        return columns, [tuple(asdict(one).values()) for one in self.figures]


def learn_online(
    data: str | Path | Sequence[Fold],
    learners: Iterable[str | OnlineLearner] = ("pdgd", "dueling-bandit"),
    *,
    settings: Sequence[str] = (),
    sessions: int = 10_000,
    checkpoints: int = 5,
    runs: int = 5,
    user: str | ClickModel = DEFAULT_USER,
    noise: float | None = None,
    shown: int = DEFAULT_SHOWN,
    in_turn: bool = False,
    feedback: str = "train",
    folds: Sequence[int] | None = None,
    measures: Sequence[str] = ("NDCG@10",),
    tool: str = "definition",
    seed: int = 0,
    watch: Callable[[str], None] = lambda done: None,
) -> OnlineStudy:
    """Let learners meet simulated users, fold by fold and seed by seed; true labels judge.

    Args:
        data: folds, or their folder.
        learners: names of `ONLINE_LEARNERS`, or learners that are made.
        settings: of the learners named, `name=value`.
        sessions: with each learner, fold and seed.
        checkpoints: how often figures are taken, at sessions that grow by equal factors.
        runs: with other users and other chances; intervals are over them.
        user, noise, shown: as `simulate_clicks` takes them.
        in_turn: queries one after the other, each equally often, instead of by chance.
        feedback: which part gives it; with "test" the figures on feedback queries are those of a
            method that learns from the labels it is scored with.
        folds: only these.
        measures, tool: what judges.
        seed: the first of the seeds.
        watch: is told what was done.
    """
    made = [make_online_learner(one, settings) for one in learners]
    if not made or sessions < 1 or runs < 1 or checkpoints < 1:
        raise RankwiseError(
            "a study needs at least one learner, session, run and checkpoint, found "
            f"{len(made)}, {sessions}, {runs} and {checkpoints}"
        )
    splits = split_feedback(data, feedback, folds)
    chosen = make_user(user, max(count_grades(one.feedback) for one in splits), noise)
    marks = sorted({round(sessions ** ((n + 1) / checkpoints)) for n in range(checkpoints)})
    figures: list[LearningFigure] = []
    for learner in made:
        found = []
        for number in range(seed, seed + runs):
            parts = [
                _run_sessions(
                    learner, split, SessionSetting(split.feedback, chosen, shown, in_turn=in_turn),
                    marks, measures, tool, number,
                )
                for split in splits
            ]  # fmt: skip
            found.append(np.mean(parts, axis=0))
            watch(f"{learner.name}, seed {number}")
        figures += _online_values(learner.name, marks, measures, np.array(found))
    named = user if isinstance(user, str) else user.name
    return OnlineStudy(tuple(figures), named, len(splits), runs, feedback, tool)


def _run_sessions(
    learner: OnlineLearner,
    split: FeedbackSplit,
    setting: SessionSetting,
    marks: Sequence[int],
    measures: Sequence[str],
    tool: str,
    seed: int,
) -> list[list[float]]:
    """At each mark the figures on held-out queries, on feedback queries, and the regret so far."""
    state = learner.start(split.feedback)
    done, regret, rows = 0, 0.0, []
    for mark in marks:
        shown = learner.advance(setting, state, seed, done, mark - done)
        regret += float((1.0 - shown).sum())
        done = mark
        row: list[float] = []
        for part in (split.held_out, split.feedback):
            found = judge(part, learner.score(state, split.feedback, part), measures, tool)
            row += [found[name] for name in measures]
        rows.append([*row, regret])
    return rows


def _online_values(
    learner: str, marks: Sequence[int], measures: Sequence[str], runs: Any
) -> list[LearningFigure]:
    names = [(part, one) for part in (HELD_OUT, FEEDBACK) for one in measures]
    names.append((SHOWN, REGRET))
    return [
        LearningFigure(learner, mark, part, measure, *mean_interval(runs[:, place, column]))
        for place, mark in enumerate(marks)
        for column, (part, measure) in enumerate(names)
    ]


CORRECTED, NAIVE, LABELS, LOGGING = "corrected", "naive", "true labels", "logging ranker"
_MOST_IMPRESSIONS = 3_000_000


@dataclass(frozen=True)
class LogFigure:
    """What a learner reaches on held-out queries: the mean over seeds of the mean over folds.

    `source` says what it learned from: clicks that were corrected, clicks as they are, or true
    labels; the logging ranker itself is there to compare. Those two know no sessions (0).
    """

    learner: str
    source: str
    sessions: int
    measure: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class OfflineStudy(Tabular):
    """What learners from logs reached as clicks grew."""

    figures: tuple[LogFigure, ...]
    user: str
    logging: str
    folds: int
    runs: int
    tool: str

    def as_dict(self) -> dict[str, Any]:
        """All facts by name."""
        return asdict(self)

    def curve(self, learner: str, source: str) -> list[LogFigure]:
        """The figures of a learner by sessions."""
        found = [one for one in self.figures if (one.learner, one.source) == (learner, source)]
        return sorted(found, key=lambda one: one.sessions)

    def _table(self) -> Rows:
        columns = ("learner", "source", "sessions", "measure", "mean", "low", "high")
        return columns, [tuple(asdict(one).values()) for one in self.figures]


@dataclass(frozen=True)
class _LogRun:
    """What one fold and seed share."""

    split: FeedbackSplit
    simulation: Simulation
    propensities: Propensities
    measure: str
    tool: str
    seed: int

    def judge(self, learner: str, train: Dataset, **parameters: object) -> float:
        model = find_log_learner(learner, **parameters).fit(train, seed=self.seed)
        return self._judge_scores(model.score(self.split.held_out))

    def judge_logging(self, ranker: str, share: float) -> float:
        """The logging ranker on held-out queries."""
        split = self.split
        scores = logging_scores(
            split.held_out, ranker, share=share, seed=self.seed, judged=split.feedback
        )
        return self._judge_scores(scores)

    def _judge_scores(self, scores: Any) -> float:
        found = judge(self.split.held_out, scores, [self.measure], self.tool)
        return found[self.measure]


def learn_offline(
    data: str | Path | Sequence[Fold],
    learners: Iterable[str] = ("ranksvm", "listnet"),
    *,
    sessions: Sequence[int] = (100, 1_000, 10_000, 100_000),
    runs: int = 5,
    user: str | PositionBased = "position-based:usual",
    noise: float | None = None,
    logging: str = DEFAULT_LOGGING,
    share: float = DEFAULT_SHARE,
    shown: int = 0,
    folds: Sequence[int] | None = None,
    measure: str = "NDCG@10",
    tool: str = "definition",
    seed: int = 0,
    watch: Callable[[str], None] = lambda done: None,
) -> OfflineStudy:
    """Learn from logs of a biased logging ranker; true labels of held-out queries judge.

    Propensities are the user's own: what is left is what correction can do at best.

    Args:
        data: folds, or their folder; training queries give the log, test queries are held out.
        learners: names of `LOG_LEARNERS`.
        sessions: lengths of the log, each the beginning of the next.
        runs: with other logging rankers and other users; intervals are over them.
        user, noise: a position-based user, whose propensities are known.
        logging: the name of the ranker that made the log, trained on `share` of the queries.
        shown: documents to a list at most; 0, all, so that nothing is left unseen.
        folds: only these.
        measure, tool: what judges.
        seed: the first of the seeds.
        watch: is told what was done.
    """
    names, lengths = list(learners), sorted(set(sessions))
    if not names or not lengths or lengths[0] < 1 or runs < 1:
        raise RankwiseError(
            "a study needs at least one learner, one session and one run, found "
            f"{names}, {lengths} and {runs}"
        )
    for name in names:
        find_log_learner(name)
    splits = split_feedback(data, "train", folds)
    chosen = _make_position_based(user, splits, noise)
    found: dict[tuple[str, str, int], list[float]] = {}
    for number in range(seed, seed + runs):
        parts: dict[tuple[str, str, int], list[float]] = {}
        for split in splits:
            run = _prepare_log_run(split, chosen, logging, share, shown, measure, tool, number)
            for key, value in _offline_values(run, names, lengths, logging, share):
                parts.setdefault(key, []).append(value)
            watch(f"seed {number}, fold {split.number}")
        for key, values in parts.items():
            found.setdefault(key, []).append(float(np.mean(values)))
    figures = tuple(
        LogFigure(*key, measure, *mean_interval(values)) for key, values in found.items()
    )
    named = user if isinstance(user, str) else user.name
    return OfflineStudy(figures, named, logging, len(splits), runs, tool)


def _make_position_based(
    user: str | ClickModel, splits: Sequence[FeedbackSplit], noise: float | None
) -> PositionBased:
    made = make_user(user, max(count_grades(one.feedback) for one in splits), noise)
    if not isinstance(made, PositionBased):
        raise RankwiseError(
            f"learners from logs correct for positions, so the user must be position-based, found "
            f"{made.name}"
        )
    return made


def _prepare_log_run(
    split: FeedbackSplit,
    user: PositionBased,
    logging: str,
    share: float,
    shown: int,
    measure: str,
    tool: str,
    seed: int,
) -> _LogRun:
    scores = logging_scores(split.feedback, logging, share=share, seed=seed)
    simulation = prepare_simulation(
        split.feedback, user=user, logging=scores, shown=shown, seed=seed
    )
    values = against_first(user.examination(simulation.setting.shown))
    return _LogRun(split, simulation, Propensities(tuple(values.tolist())), measure, tool, seed)


def _offline_values(
    run: _LogRun, names: Sequence[str], lengths: Sequence[int], logging: str, share: float
) -> Iterator[tuple[tuple[str, str, int], float]]:
    yield (logging, LOGGING, 0), run.judge_logging(logging, share)
    by_document = [name for name in names if name not in PER_SESSION]
    gains = np.exp2(run.split.feedback.labels) - 1.0
    held = as_features(run.split.feedback.stored)
    judged = replace(run.split.feedback, features=held, labels=gains)
    for name in by_document:
        yield (name, LABELS, 0), run.judge(name, judged)
    for length, naive, corrected in _label_by_first_sessions(run, lengths if by_document else ()):
        for name in by_document:
            yield (name, NAIVE, length), run.judge(name, naive)
            yield (name, CORRECTED, length), run.judge(name, corrected)
    for name in names:
        if name in PER_SESSION:
            yield from _learn_from_sessions(run, name, lengths)


def _label_by_first_sessions(
    run: _LogRun, lengths: Sequence[int]
) -> Iterator[tuple[int, Dataset, Dataset]]:
    """Documents labelled by the first sessions, without and with correction."""
    dataset = run.split.feedback
    sums = np.zeros((2, dataset.n_documents))
    counts = np.zeros(dataset.n_queries, np.int64)
    done = 0
    for length in lengths:
        for log in run.simulation.blocks(length, first=done):
            clicks = log.clicks.astype(np.float64)
            sums[0] += log.sum_by_document(clicks)
            sums[1] += log.sum_by_document(clicks / run.propensities.at(log.positions))
            counts += log.sessions_by_query()
        done = length
        if sums[0].any():
            naive, corrected = (with_click_labels(dataset, one, counts) for one in sums)
            yield length, naive, corrected


def _learn_from_sessions(
    run: _LogRun, name: str, lengths: Sequence[int]
) -> Iterator[tuple[tuple[str, str, int], float]]:
    """Learners that take sessions as they are, up to what memory holds."""
    for length in lengths:
        if length * run.simulation.setting.shown > _MOST_IMPRESSIONS:
            break
        rows = session_rows(run.simulation.draw(0, length))
        yield (name, NAIVE, length), run.judge(name, rows, corrected=False)
        yield (name, CORRECTED, length), run.judge(name, rows, corrected=True)
