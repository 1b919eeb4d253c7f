"""A task of an arena: public features, hidden labels, and the rules of the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from rankwise.arena.errors import BadRequest

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
