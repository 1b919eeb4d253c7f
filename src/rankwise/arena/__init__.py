"""The arena: a leaderboard with hidden labels, without the HTTP that `rankwise.arena.web` adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.arena.account import OPERATOR as OPERATOR
    from rankwise.arena.account import ROLES as ROLES
    from rankwise.arena.account import Account as Account
    from rankwise.arena.account import Invitation as Invitation
    from rankwise.arena.auditing import Audit as Audit
    from rankwise.arena.entry import Cost as Cost
    from rankwise.arena.entry import Declaration as Declaration
    from rankwise.arena.entry import Entry as Entry
    from rankwise.arena.entry import Quota as Quota
    from rankwise.arena.entry import Submission as Submission
    from rankwise.arena.errors import ArenaError as ArenaError
    from rankwise.arena.errors import BadRequest as BadRequest
    from rankwise.arena.errors import BadUpload as BadUpload
    from rankwise.arena.errors import NotAllowed as NotAllowed
    from rankwise.arena.errors import QuotaSpent as QuotaSpent
    from rankwise.arena.errors import TaskClosed as TaskClosed
    from rankwise.arena.errors import TooLarge as TooLarge
    from rankwise.arena.errors import UnknownThing as UnknownThing
    from rankwise.arena.errors import UnknownToken as UnknownToken
    from rankwise.arena.events import Event as Event
    from rankwise.arena.service import Arena as Arena
    from rankwise.arena.settings import ArenaSettings as ArenaSettings
    from rankwise.arena.settings import read_settings as read_settings
    from rankwise.arena.task import HiddenFold as HiddenFold
    from rankwise.arena.task import Rules as Rules
    from rankwise.arena.task import Task as Task
    from rankwise.arena.views import Board as Board
    from rankwise.arena.views import BoardRow as BoardRow
    from rankwise.arena.views import EntryComparison as EntryComparison
    from rankwise.arena.views import HistoryPoint as HistoryPoint
    from rankwise.arena.views import NearDuplicate as NearDuplicate
    from rankwise.arena.views import QueryDifference as QueryDifference
    from rankwise.arena.views import Standing as Standing
    from rankwise.arena.views import Usage as Usage
else:
    homes = {
        "rankwise.arena.account": ("OPERATOR", "ROLES", "Account", "Invitation"),
        "rankwise.arena.auditing": ("Audit",),
        "rankwise.arena.entry": ("Cost", "Declaration", "Entry", "Quota", "Submission"),
        "rankwise.arena.errors": (
            "ArenaError",
            "BadRequest",
            "BadUpload",
            "NotAllowed",
            "QuotaSpent",
            "TaskClosed",
            "TooLarge",
            "UnknownThing",
            "UnknownToken",
        ),
        "rankwise.arena.events": ("Event",),
        "rankwise.arena.service": ("Arena",),
        "rankwise.arena.settings": ("ArenaSettings", "read_settings"),
        "rankwise.arena.task": ("HiddenFold", "Rules", "Task"),
        "rankwise.arena.views": (
            "Board",
            "BoardRow",
            "EntryComparison",
            "HistoryPoint",
            "NearDuplicate",
            "QueryDifference",
            "Standing",
            "Usage",
        ),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
