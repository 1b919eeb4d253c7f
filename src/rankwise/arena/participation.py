"""What an arena consists of: tasks with their rules, accounts, submissions and entries, refusals.

A task has public features and hidden labels. Accounts have a role, and begin with an invitation.
Submissions become entries, within quotas. Every kind of refusal has a word that the HTTP API
passes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from rankwise.errors import RankwiseError

Half = Literal["public", "private"]
HALVES: tuple[Half, ...] = get_args(Half)
PerQuery = Literal["never", "after-reveal"]
MOST_BOARD_MEASURES = 5


@dataclass(frozen=True)
class HiddenFold:
    """The size of a fold's test part, whose labels are hidden."""

    number: int
    queries: int
    documents: int


@dataclass(frozen=True)
class Rules:
    """What a task allows.

    Attributes:
        measure: what submissions are judged by first, and the Ladder by.
        tool: whose convention computes it.
        daily_limit: new entries of a team in a day (UTC).
        ladder: whether a figure is shown only where it beats the team's best by more than the noise
            (`rankwise.arena.ladder`).
        ladder_errors: by how many standard errors it must.
        longest_embargo_days: how long a team may hide behind an alias.
        per_query: whether figures of single queries are shown to all once the private half is
            revealed; a figure of one query tells of its labels, so by default never.
        largest_upload: bytes of one submission, all its files together, as they arrive.
        board_measures: what boards and comparisons show beside `measure` while the task is open,
            computed by the same tool. Each tells of the labels, hence few of them; every other
            measure, cut-off and tool is shown once the private half is revealed.
    """

    measure: str = "NDCG@10"
    tool: str = "definition"
    daily_limit: int = 5
    ladder: bool = True
    ladder_errors: float = 2.0
    longest_embargo_days: int = 270
    per_query: PerQuery = "never"
    largest_upload: int = 64 << 20
    board_measures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "board_measures", tuple(self.board_measures))
        if len(self.board_measures) > MOST_BOARD_MEASURES:
            raise BadRequest(
                f"a board may show at most {MOST_BOARD_MEASURES} measures beside the one that "
                f"submissions are judged by, found {len(self.board_measures)}"
            )
        if self.per_query not in get_args(PerQuery):
            raise BadRequest(
                f"figures per query must be shown {' or '.join(get_args(PerQuery))}, "
                f"found {self.per_query!r}"
            )
        if not 0.0 < self.ladder_errors <= 10.0:
            raise BadRequest(
                "a Ladder must have a step of more than 0 and at most 10 standard errors, found "
                f"{self.ladder_errors:g}"
            )
        for what, number in (
            ("limit per day", self.daily_limit),
            ("largest upload", self.largest_upload),
        ):
            if number < 1:
                raise BadRequest(f"the {what} must be at least 1, found {number}")

    @property
    def shown_measures(self) -> tuple[str, ...]:
        """What boards show while the task is open: what submissions are judged by first."""
        return tuple(dict.fromkeys((self.measure, *self.board_measures)))


@dataclass(frozen=True)
class ArenaTask:
    """What everybody may know of a task.

    Attributes:
        name: as addresses and commands have it: small letters, digits and hyphens.
        title: for people.
        description: plain text of the organisers, paragraphs between blank lines.
        collection, dataset, version: what the data are called in result tables.
        features: how many.
        folds: the hidden test parts, by number; most tasks have one.
        public_queries, private_queries: of all folds together.
        rules: what is allowed.
        created: UTC, ISO 8601.
        revealed: when the private half was revealed; None while the task is open.
        package_checksum: the SHA-256 of the participants' package.
    """

    name: str
    title: str
    description: str
    collection: str
    dataset: str
    version: str | None
    features: int
    folds: tuple[HiddenFold, ...]
    public_queries: int
    private_queries: int
    rules: Rules
    created: str
    revealed: str | None
    package_checksum: str

    @property
    def open(self) -> bool:
        """Whether submissions are taken."""
        return self.revealed is None

    @property
    def documents(self) -> int:
        """Rows of all hidden test parts."""
        return sum(fold.documents for fold in self.folds)


Role = Literal["organiser", "participant", "reader"]
ROLES: tuple[Role, ...] = get_args(Role)
LONGEST_NAME = 80
BASELINES = "Rankwise baselines"
"""The team of baselines, which nobody can be invited to."""


@dataclass(frozen=True)
class Account:
    """Somebody who was invited.

    Attributes:
        id: what the log calls the account; it says nothing of who it is.
        name: as the person gave it.
        team: whose submissions count together; empty for organisers and readers.
        role: `organiser` runs the arena and sees everything but private figures before they are
            revealed; `participant` submits for a team; `reader` sees boards that are not public.
    """

    id: str
    name: str
    team: str
    role: Role

    @property
    def organises(self) -> bool:
        """Whether the account runs the arena."""
        return self.role == "organiser"


OPERATOR = Account("operator", "operator", "", "organiser")
"""Whoever runs commands on the arena's own machine, where the key and the database lie."""


@dataclass(frozen=True)
class Invitation:
    """What an invitation offers: a role in a team, until it is accepted or runs out."""

    role: Role
    team: str
    expires: str


def require_organiser(account: Account | None, what: str) -> Account:
    """The account, where it may run the arena."""
    if account is None or not account.organises:
        raise NotAllowed(f"only an organiser of the arena may {what}")
    return account


def check_name(name: str, what: str) -> str:
    """A name of a person or a team: something to read, on one line, of bounded length."""
    tidy = " ".join(name.split())
    if not tidy or not tidy.isprintable() or len(tidy) > LONGEST_NAME:
        raise BadRequest(
            f"the name of {what} must have 1 to {LONGEST_NAME} printable characters, found {name!r}"
        )
    return tidy


def check_role(role: str) -> Role:
    """A role by its name."""
    for known in ROLES:
        if role == known:
            return known
    raise BadRequest(f"the role must be one of {', '.join(ROLES)}, found {role!r}")


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


class ArenaError(RankwiseError):
    """Something asked of an arena cannot be done; `code` names the kind for programs."""

    code: ClassVar[str] = "refused"


class UnknownThing(ArenaError):
    """There is no such task, entry or account, or it is not for the eyes of who asks."""

    code = "not-found"


class NotAllowed(ArenaError):
    """The account may not do this."""

    code = "forbidden"


class UnknownToken(ArenaError):
    """A token or an invitation that the arena never gave, or that was spent, ran out or revoked."""

    code = "unauthorized"


class BadUpload(ArenaError):
    """The file is not what the task asks for; the reader's own sentence says where and why."""

    code = "bad-upload"


class TooLarge(BadUpload):
    """The upload needs more bytes, memory or time than the arena gives it."""

    code = "too-large"


class QuotaSpent(ArenaError):
    """The team has made all the submissions that a day has."""

    code = "quota"


class TaskClosed(ArenaError):
    """The private half has been revealed: nothing can be submitted any more."""

    code = "closed"


class StorageFailure(ArenaError):
    """The database took nothing: its disk is full, or it is not there; all is as it was before."""

    code = "storage"


class BadRequest(ArenaError):
    """A measure, a tool or a field that cannot be taken as it is."""

    code = "bad-request"
