"""The first page, the page of a task, and the log."""

from __future__ import annotations

from rankwise.arena.account import ROLES
from rankwise.arena.task import ArenaTask
from rankwise.arena.web.site import PageReader, Site

LINES = 100


def make_home_page(site: Site, reader: PageReader) -> str:
    """All tasks, and the winning numbers across them."""
    arena = site.arena
    standings = arena.standings(reader.account)
    return site.page("home.html", reader, tasks=arena.tasks(), standings=standings)


def make_task_page(site: Site, reader: PageReader, task: ArenaTask) -> str:
    """One task: data, rules, and what the reader's team has done."""
    arena, account = site.arena, reader.account
    takes_part = account is not None and account.role == "participant"
    quota = arena.quota(account, task.name) if account and takes_part else None
    sees_entries = account is not None and account.role != "reader"
    entries = arena.entries(task.name, account) if account and sees_entries else ()
    usage = arena.usage(task.name, account)
    return site.page("task.html", reader, task=task, quota=quota, entries=entries, usage=usage)


def make_log_page(site: Site, reader: PageReader, after: int | None = None) -> str:
    """A page of the log: the lines after a number, or the last ones."""
    last = site.arena.revision()
    begin = max(0, last - 1) // LINES * LINES if after is None else after
    events = site.arena.events(reader.account, after=begin, limit=LINES)
    reached = events[-1].sequence if events else begin
    return site.page(
        "log.html", reader, events=events,
        shows_payloads=reader.account is not None and reader.account.organises,
        earlier=max(0, begin - LINES) if begin > 0 else None,
        later=reached if reached < last else None,
    )  # fmt: skip


def make_organise_page(
    site: Site, reader: PageReader, *, made: str = "", refused: str = "", team: str = ""
) -> str:
    """The organisers' page: invitations, and entries that rank nearly alike."""
    account = reader.account
    tasks = site.arena.tasks() if account is not None else ()
    duplicates = [
        (task, site.arena.near_duplicates(task.name, account)) for task in tasks if account
    ]
    return site.page(
        "organise.html", reader, made=made, refused=refused, given_team=team, roles=ROLES,
        duplicates=duplicates,
    )  # fmt: skip
