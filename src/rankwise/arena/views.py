"""What an arena shows: boards, comparisons, history, use, duplicates."""

from __future__ import annotations

from dataclasses import dataclass

from rankwise.arena.participation import Cost, Half, Kind


@dataclass(frozen=True)
class BoardRow:
    """One method on a board.

    Attributes:
        entry: the id of the entry; empty for published figures.
        name: what the method is called.
        team: or its alias; of published figures the source.
        kind: `entry`, `baseline` or `published`.
        value: the measure over the half's queries, rounded to 1 / queries while the task is open.
        low, high: the 95 % interval of the mean over queries, rounded alike; NaN where there is
            none.
        groups: letters; rows that share one are not separated by the paired tests. Empty for
            published figures, whose queries are not known.
        best: whether no row is significantly better.
        cost: as declared.
        front: whether no other row has both a better value and a lower training time.
        submitted: UTC; empty for published figures.
        paper, code, training_data: as declared; empty while an embargo lasts.
        embargoed: whether an embargo hides the team.
        note: of published figures, on which queries they are.
    """

    entry: str
    name: str
    team: str
    kind: Kind
    value: float
    low: float
    high: float
    groups: tuple[str, ...]
    best: bool
    cost: Cost
    front: bool
    submitted: str
    paper: str = ""
    code: str = ""
    training_data: str = ""
    embargoed: bool = False
    note: str = ""


@dataclass(frozen=True)
class Board:
    """The methods of a task by one measure of one tool on one half, best value first.

    The order is for the eye: what separates methods are the groups.

    Attributes:
        level: of the paired t-tests, after Holm's correction over all pairs.
        queries: how many the half has.
        hidden: how many entries the Ladder does not show.
        revision: changes whenever the board may; a cache may keep what has the same one.
    """

    task: str
    measure: str
    tool: str
    half: Half
    queries: int
    lower_is_better: bool
    rows: tuple[BoardRow, ...]
    hidden: int
    revision: int
    level: float = 0.05


@dataclass(frozen=True)
class QueryDifference:
    """The figures of two entries on one query; shown only where the rules allow it."""

    query: str
    first: float
    second: float


@dataclass(frozen=True)
class EntryComparison:
    """Two entries on the same queries; differences are the second minus the first.

    Attributes:
        first, second: ids; the names are those of the board.
        low, high: the 95 % interval of the mean difference.
        p_value: of the paired t-test, of these two alone; while the task is open the largest of
            0.05, 0.01, 0.001 and 0 that it reaches.
        wins, ties, losses: queries where the second is better, equal, worse; None while the task is
            open.
        quantiles: of the differences at 0, 10, 25, 50, 75, 90 and 100 %, to two decimals; empty
            while the task is open, since the outermost are of single queries.
        queries: figures of single queries; empty where they are not shown, `why_no_queries` says
            why.
    """

    task: str
    measure: str
    tool: str
    half: Half
    first: str
    second: str
    first_name: str
    second_name: str
    first_value: float
    second_value: float
    difference: float
    low: float
    high: float
    p_value: float
    wins: int | None
    ties: int | None
    losses: int | None
    quantiles: tuple[float, ...]
    queries: tuple[QueryDifference, ...] = ()
    why_no_queries: str = ""


@dataclass(frozen=True)
class HistoryPoint:
    """An entry that was the best when it came."""

    submitted: str
    entry: str
    name: str
    team: str
    value: float


@dataclass(frozen=True)
class Usage:
    """How much the public half was used, which is how much it may have been learnt.

    Attributes:
        entries: evaluations on the public half, baselines left out.
        shown: how many of them the Ladder showed.
        bits: what the board and the comparisons of every measure that they show tell at most
            (`rankwise.arena.ladder.count_bits`), of baselines too, and one bit of each other entry.
        by_team: entries of each team, the most first; aliases where an embargo lasts.
    """

    task: str
    entries: int
    shown: int
    teams: int
    bits: float
    by_team: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class NearDuplicate:
    """Two entries that rank nearly alike: the mean over queries of Spearman's correlation."""

    first: str
    second: str
    correlation: float
    same_team: bool


@dataclass(frozen=True)
class Standing:
    """A method across the tasks of the arena: its winning numbers (Tax et al. 2015)."""

    method: str
    team: str
    tasks: int
    wins: int
    ideal: int
    winning_number: float
