"""Learners from logs as clicks grow: corrected ones, naive ones, and what true labels give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.folds.fold import Fold
from rankwise.errors import RankwiseError
from rankwise.feedback.click_models.model import ClickModel
from rankwise.feedback.click_models.position_based import PositionBased
from rankwise.feedback.click_models.registry import count_grades, make_user
from rankwise.feedback.counterfactual.registry import PER_SESSION, find_log_learner
from rankwise.feedback.judging import judge, mean_interval
from rankwise.feedback.logging_rankers import DEFAULT_SHARE, logging_scores
from rankwise.feedback.propensities.propensities import Propensities, against_first
from rankwise.feedback.protocol import FeedbackSplit, split_feedback
from rankwise.feedback.simulation import DEFAULT_LOGGING, Simulation, prepare_simulation
from rankwise.feedback.training_sets import session_rows, with_click_labels
from rankwise.tables.notebook import Rows, Tabular

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
class _Run:
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
    chosen = _position_based(user, splits, noise)
    found: dict[tuple[str, str, int], list[float]] = {}
    for number in range(seed, seed + runs):
        parts: dict[tuple[str, str, int], list[float]] = {}
        for split in splits:
            run = _prepare(split, chosen, logging, share, shown, measure, tool, number)
            for key, value in _values(run, names, lengths, logging, share):
                parts.setdefault(key, []).append(value)
            watch(f"seed {number}, fold {split.number}")
        for key, values in parts.items():
            found.setdefault(key, []).append(float(np.mean(values)))
    figures = tuple(
        LogFigure(*key, measure, *mean_interval(values)) for key, values in found.items()
    )
    named = user if isinstance(user, str) else user.name
    return OfflineStudy(figures, named, logging, len(splits), runs, tool)


def _position_based(
    user: str | ClickModel, splits: Sequence[FeedbackSplit], noise: float | None
) -> PositionBased:
    made = make_user(user, max(count_grades(one.feedback) for one in splits), noise)
    if not isinstance(made, PositionBased):
        raise RankwiseError(
            f"learners from logs correct for positions, so the user must be position-based, found "
            f"{made.name}"
        )
    return made


def _prepare(
    split: FeedbackSplit,
    user: PositionBased,
    logging: str,
    share: float,
    shown: int,
    measure: str,
    tool: str,
    seed: int,
) -> _Run:
    scores = logging_scores(split.feedback, logging, share=share, seed=seed)
    simulation = prepare_simulation(
        split.feedback, user=user, logging=scores, shown=shown, seed=seed
    )
    values = against_first(user.examination(simulation.setting.shown))
    return _Run(split, simulation, Propensities(tuple(values.tolist())), measure, tool, seed)


def _values(
    run: _Run, names: Sequence[str], lengths: Sequence[int], logging: str, share: float
) -> Iterator[tuple[tuple[str, str, int], float]]:
    yield (logging, LOGGING, 0), run.judge_logging(logging, share)
    by_document = [name for name in names if name not in PER_SESSION]
    gains = np.exp2(run.split.feedback.labels) - 1.0
    held = as_features(run.split.feedback.stored)
    judged = replace(run.split.feedback, features=held, labels=gains)
    for name in by_document:
        yield (name, LABELS, 0), run.judge(name, judged)
    for length, naive, corrected in _labelled(run, lengths if by_document else ()):
        for name in by_document:
            yield (name, NAIVE, length), run.judge(name, naive)
            yield (name, CORRECTED, length), run.judge(name, corrected)
    for name in names:
        if name in PER_SESSION:
            yield from _by_session(run, name, lengths)


def _labelled(run: _Run, lengths: Sequence[int]) -> Iterator[tuple[int, Dataset, Dataset]]:
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


def _by_session(
    run: _Run, name: str, lengths: Sequence[int]
) -> Iterator[tuple[tuple[str, str, int], float]]:
    """Learners that take sessions as they are, up to what memory holds."""
    for length in lengths:
        if length * run.simulation.setting.shown > _MOST_IMPRESSIONS:
            break
        rows = session_rows(run.simulation.draw(0, length))
        yield (name, NAIVE, length), run.judge(name, rows, corrected=False)
        yield (name, CORRECTED, length), run.judge(name, rows, corrected=True)
