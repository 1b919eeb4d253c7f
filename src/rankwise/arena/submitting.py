"""Taking submissions: read, evaluated, put on the Ladder, kept; all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from rankwise.arena.evaluator import Asked, Evaluator, Figures, FigureStore, check_asked
from rankwise.arena.hidden_data import digest_scores
from rankwise.arena.json_records import check_declaration
from rankwise.arena.ladder import LadderStep, round_to_queries, take_step
from rankwise.arena.participation import (
    BASELINES,
    Account,
    ArenaEntry,
    ArenaTask,
    BadRequest,
    Kind,
    NotAllowed,
    Quota,
    QuotaSpent,
    Submission,
    TaskClosed,
    check_name,
)
from rankwise.arena.storage.arena_tables import Connection
from rankwise.arena.storage.database import Database
from rankwise.arena.storage.event_log import add_days, end_of_day
from rankwise.arena.storage.stored_records import (
    EntryRow,
    add_entry,
    count_today,
    find_entry,
    next_number,
    read_entries,
    read_scores,
    read_task,
    read_teams,
)


class Submitting:
    """What takes submissions of an arena."""

    def __init__(
        self,
        database: Database,
        evaluator: Evaluator,
        figures: FigureStore,
        now: Callable[[], str],
    ) -> None:
        self._database, self._evaluator, self._figures = database, evaluator, figures
        self._now = now

    def submit(
        self, account: Account, task_name: str, submission: Submission, kind: Kind = "entry"
    ) -> ArenaEntry:
        """The entry that the submission is; see `Arena.submit`."""
        _check_role(account, kind)
        team = BASELINES if kind == "baseline" else account.team
        with self._database.reading() as connection:
            task = read_task(connection, task_name)
            teams = read_teams(connection)
        _refuse_closed(task)
        wishes = _check_wishes(task, submission, teams)
        scores = self._evaluator.read(task, submission)
        digest = digest_scores(scores)
        with self._database.reading() as connection:
            known = find_entry(connection, task.name, team, digest)
            if known is None and kind == "entry":
                _refuse_spent(self._quota(connection, task, team))
        if known is not None:
            return known.view(task, account, self._now())
        asked = check_asked(task.rules.measure, task.rules.tool)
        found = self._evaluator.evaluate(task, scores, asked, "public")
        with self._database.writing() as connection:
            facts = {**wishes, "team": team, "account": account.id, "kind": kind, "digest": digest}
            row, new = self._keep(connection, task, facts, scores, asked, found)
            return row.view(read_task(connection, task.name), account, self._now(), new=new)

    def quota(self, account: Account, task_name: str) -> Quota:
        """What a team has used today."""
        with self._database.reading() as connection:
            task = read_task(connection, task_name)
            return self._quota(connection, task, account.team)

    def _quota(self, connection: Connection, task: ArenaTask, team: str) -> Quota:
        time = self._now()
        used = count_today(connection, task.name, team, time)
        return Quota(task.rules.daily_limit, used, end_of_day(time))

    def _keep(
        self,
        connection: Connection,
        task: ArenaTask,
        facts: dict[str, Any],
        scores: bytes,
        asked: Asked,
        found: Figures,
    ) -> tuple[EntryRow, bool]:
        """With the pen in hand, look again at all that may have changed meanwhile."""
        _refuse_closed(read_task(connection, task.name))
        known = find_entry(connection, task.name, facts["team"], facts["digest"])
        if known is not None:
            return known, False
        if facts["kind"] == "entry":
            _refuse_spent(self._quota(connection, task, facts["team"]))
        step = self._step(connection, task, facts, asked, found)
        number = next_number(connection)
        time = self._now()
        days = facts.pop("embargo_days")
        row = add_entry(
            connection,
            {
                **facts,
                "id": f"{task.name}-{number}",
                "number": number,
                "task": task.name,
                "submitted": time,
                "embargo_until": add_days(time, days) if days else None,
                "shown": step.shown,
                "value": step.value,
            },
            scores,
        )
        self._figures.keep(connection, row.id, asked, "public", found)
        return row, True

    def _step(
        self,
        connection: Connection,
        task: ArenaTask,
        facts: dict[str, Any],
        asked: Asked,
        found: Figures,
    ) -> LadderStep:
        if facts["kind"] == "baseline" or not task.rules.ladder:
            return show_always(task, found)
        best = None
        for entry in read_entries(connection, task.name, facts["team"]):
            best = entry if entry.shown else best
        figures = None if best is None else self._look_up(connection, task, best, asked)
        return climb(task, asked, found, best, figures)

    def _look_up(
        self, connection: Connection, task: ArenaTask, best: EntryRow, asked: Asked
    ) -> Figures:
        """The figures of the team's best entry; after an update of Rankwise they are computed."""
        kept = self._figures.kept(connection, best.id, asked, "public")
        if kept is not None:
            return kept
        scores = read_scores(connection, [best.digest])[best.digest]
        return self._evaluator.evaluate(task, scores, asked, "public")


def show_always(task: ArenaTask, found: Figures) -> LadderStep:
    """What is shown of figures that no Ladder holds back: rounded as the board rounds them.

    The log's digest of a line, which all may see, would confirm a guess at what was not rounded.
    """
    return LadderStep(True, round_to_queries(found.mean, task.public_queries))


def climb(
    task: ArenaTask, asked: Asked, found: Figures, best: EntryRow | None, figures: Figures | None
) -> LadderStep:
    """What the Ladder of a task says of figures beside the team's best entry so far."""
    return take_step(
        found.values,
        found.mean,
        None if best is None or figures is None else figures.values,
        float(np.nan) if best is None else best.value,
        errors=task.rules.ladder_errors,
        lower_is_better=asked.lower_is_better,
    )


def _check_role(account: Account, kind: Kind) -> None:
    if kind == "baseline" and account.organises:
        return
    if kind != "entry" or account.role != "participant":
        raise NotAllowed(
            f"only participants may submit, found the role {account.role}; ask for an invitation "
            "to a team"
        )


def _check_wishes(
    task: ArenaTask, submission: Submission, teams: Collection[str]
) -> dict[str, Any]:
    """What the team says and wishes, checked."""
    days, longest = submission.embargo_days, task.rules.longest_embargo_days
    if not 0 <= days <= longest:
        raise BadRequest(f"an embargo must last 0 to {longest} days, found {days}")
    if bool(days) != bool(submission.alias.strip()):
        raise BadRequest(
            "an embargo must have both an alias and a number of days, found one of them only"
        )
    alias = check_name(submission.alias, "an alias") if days else ""
    if alias.casefold() in {team.casefold() for team in (BASELINES, *teams)}:
        raise BadRequest(f"an alias must not be the name of a team, found {alias!r}")
    declaration = check_declaration(submission.declaration)
    return {"declaration": declaration, "alias": alias, "embargo_days": days}


def _refuse_closed(task: ArenaTask) -> None:
    if not task.open:
        raise TaskClosed(
            f"submissions to {task.name} must come before its private half is revealed, which was "
            f"at {task.revealed}"
        )


def _refuse_spent(quota: Quota) -> None:
    if quota.left == 0:
        raise QuotaSpent(
            f"a team must make at most {quota.limit} submissions a day, found {quota.used} today; "
            f"the next is possible from {quota.renewed}"
        )
