"""Who gives feedback and who is judged: never the same queries unless somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.folds.fold import Fold
from rankwise.data.folds.reading import read_folds
from rankwise.errors import RankwiseError

FEEDBACK_PARTS = ("train", "test")


@dataclass(frozen=True, eq=False)
class FeedbackSplit:
    """The queries whose users give feedback, and others on which what was learned is judged."""

    number: int
    feedback: Dataset
    held_out: Dataset

    def __post_init__(self) -> None:
        shared = sorted(set(self.feedback.query_ids) & set(self.held_out.query_ids))
        if shared:
            raise RankwiseError(
                "queries that give feedback must not be among those held out, found "
                f"{shared[0]!r} in both (fold {self.number})"
            )


def split_feedback(
    data: str | Path | Sequence[Fold], feedback: str = "train", folds: Sequence[int] | None = None
) -> list[FeedbackSplit]:
    """A split for each fold: its training part gives feedback and its test part is held out.

    With `feedback="test"` it is the other way round: figures on the feedback queries are then those
    of methods that learn from the labels which score them.
    """
    if feedback not in FEEDBACK_PARTS:
        raise RankwiseError(
            f"feedback comes from the part {' or '.join(FEEDBACK_PARTS)}, found {feedback!r}"
        )
    found = read_folds(data) if isinstance(data, str | Path) else list(data)
    known = {fold.number for fold in found}
    for number in folds or ():
        if number not in known:
            raise RankwiseError(f"the data must have fold {number}, found {sorted(known)}")
    return [
        FeedbackSplit(fold.number, fold.train, fold.test)
        if feedback == "train"
        else FeedbackSplit(fold.number, fold.test, fold.train)
        for fold in found
        if not folds or fold.number in folds
    ]
