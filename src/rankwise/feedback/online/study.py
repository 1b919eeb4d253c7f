"""Online learners over many sessions and seeds: what they learn, and what learning costs users."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.folds.fold import Fold
from rankwise.errors import RankwiseError
from rankwise.feedback.click_models.model import ClickModel
from rankwise.feedback.click_models.registry import count_grades, make_user
from rankwise.feedback.judging import judge, mean_interval
from rankwise.feedback.online.learner import OnlineLearner
from rankwise.feedback.online.registry import make_online_learner
from rankwise.feedback.protocol import FeedbackSplit, split_feedback
from rankwise.feedback.session_setting import SessionSetting
from rankwise.feedback.simulation import DEFAULT_SHOWN, DEFAULT_USER
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
                _run(learner, split, SessionSetting(split.feedback, chosen, shown, in_turn=in_turn),
                     marks, measures, tool, number)
                for split in splits
            ]  # fmt: skip
            found.append(np.mean(parts, axis=0))
            watch(f"{learner.name}, seed {number}")
        figures += _figures(learner.name, marks, measures, np.array(found))
    named = user if isinstance(user, str) else user.name
    return OnlineStudy(tuple(figures), named, len(splits), runs, feedback, tool)


def _run(
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


def _figures(
    learner: str, marks: Sequence[int], measures: Sequence[str], runs: Any
) -> list[LearningFigure]:
    names = [(part, one) for part in (HELD_OUT, FEEDBACK) for one in measures]
    names.append((SHOWN, REGRET))
    return [
        LearningFigure(learner, mark, part, measure, *mean_interval(runs[:, place, column]))
        for place, mark in enumerate(marks)
        for column, (part, measure) in enumerate(names)
    ]
