"""What goes into an arena and what becomes of it: submissions, entries, quotas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Layout = Literal["scores", "run"]
Kind = Literal["entry", "baseline", "published"]


@dataclass(frozen=True)
class Cost:
    """What a method costs, as its authors declare; None is not declared.

    Attributes:
        training_seconds: to train the final model, wall clock.
        scoring_seconds: to score the test part.
        model_bytes: the size of the model's file.
        hardware: in words.
    """

    training_seconds: float | None = None
    scoring_seconds: float | None = None
    model_bytes: int | None = None
    hardware: str = ""


@dataclass(frozen=True)
class Declaration:
    """What a team says of its method; all of it plain text that is never markup.

    Attributes:
        title: what the board calls the method.
        description: what was done.
        paper: a citation or an address.
        code: an address.
        training_data: what the model has seen beside the package.
        parameters: settings of the method by name.
        cost: what it costs.
    """

    title: str
    description: str = ""
    paper: str = ""
    code: str = ""
    training_data: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Declaration:
        """A declaration from the facts that `asdict` gave, which the arena has checked before."""
        return cls(**{**facts, "cost": Cost(**facts["cost"])})


@dataclass(frozen=True)
class Submission:
    """Files and what is said of them.

    Attributes:
        files: contents by name. Of `scores` one score a line: one file for each fold, whose name
            has the fold's number (`Fold1.scores`), or of a task with one fold any name. Of a `run`
            one TREC run. Each may be compressed (gzip, bzip2, zstd).
        declaration: what the team says.
        layout: `scores` or `run`.
        alias: what the board calls the team while an embargo lasts.
        embargo_days: for how long from now; 0 is no embargo.
    """

    files: Mapping[str, bytes]
    declaration: Declaration
    layout: Layout = "scores"
    alias: str = ""
    embargo_days: int = 0


@dataclass(frozen=True)
class ArenaEntry:
    """A submission that was taken, as the one who asks may see it.

    Attributes:
        id: `TASK-NUMBER`.
        task, team, kind: `team` is the alias while an embargo lasts, but for the team itself.
        declaration: of an embargoed entry only the title, unless it is one's own.
        submitted: UTC, ISO 8601.
        embargo_until: when the embargo ends; None where there is none or it is over.
        shown: whether figures of the entry are shown. The Ladder shows those that beat the team's
            best by more than the noise; the private half, once revealed, shows all.
        value: by the task's first measure, on the public half. While the task is open it is rounded
            to 1 / queries, and of an entry that is not shown it is the value of the team's best one
            (Blum and Hardt's Ladder); once the private half is revealed it is the entry's own.
        digest: the SHA-256 of the scores.
        receipt: `SEQUENCE:DIGEST` of the log's line; who keeps it can prove the entry was there.
        new: whether this very submission made the entry; False where the same scores were there.
    """

    id: str
    task: str
    team: str
    kind: Kind
    declaration: Declaration
    submitted: str
    embargo_until: str | None
    shown: bool
    value: float
    digest: str
    receipt: str
    new: bool = False


@dataclass(frozen=True)
class Quota:
    """How many submissions a team has had today and may have; `renewed` is when the day ends."""

    limit: int
    used: int
    renewed: str

    @property
    def left(self) -> int:
        """What remains today."""
        return max(0, self.limit - self.used)
