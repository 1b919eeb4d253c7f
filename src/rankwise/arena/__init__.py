"""The arena: a leaderboard with hidden labels, without the HTTP that `rankwise.arena.web` adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.arena.account import BASELINES as BASELINES
    from rankwise.arena.account import OPERATOR as OPERATOR
    from rankwise.arena.account import ROLES as ROLES
    from rankwise.arena.account import Account as Account
    from rankwise.arena.account import Invitation as Invitation
    from rankwise.arena.auditing import Audit as Audit
    from rankwise.arena.baselines import BASELINE_RANKERS as BASELINE_RANKERS
    from rankwise.arena.baselines import enter_baselines as enter_baselines
    from rankwise.arena.client import read_files as read_files
    from rankwise.arena.client import send_submission as send_submission
    from rankwise.arena.creating import create_arena as create_arena
    from rankwise.arena.creating import create_task as create_task
    from rankwise.arena.entry import ArenaEntry as ArenaEntry
    from rankwise.arena.entry import Cost as Cost
    from rankwise.arena.entry import Declaration as Declaration
    from rankwise.arena.entry import Quota as Quota
    from rankwise.arena.entry import Submission as Submission
    from rankwise.arena.errors import ArenaError as ArenaError
    from rankwise.arena.errors import BadRequest as BadRequest
    from rankwise.arena.errors import BadUpload as BadUpload
    from rankwise.arena.errors import NotAllowed as NotAllowed
    from rankwise.arena.errors import QuotaSpent as QuotaSpent
    from rankwise.arena.errors import StorageFailure as StorageFailure
    from rankwise.arena.errors import TaskClosed as TaskClosed
    from rankwise.arena.errors import TooLarge as TooLarge
    from rankwise.arena.errors import UnknownThing as UnknownThing
    from rankwise.arena.errors import UnknownToken as UnknownToken
    from rankwise.arena.events import LogEvent as LogEvent
    from rankwise.arena.events import find_breaks as find_breaks
    from rankwise.arena.forms import board_csv as board_csv
    from rankwise.arena.forms import parse_declaration as parse_declaration
    from rankwise.arena.forms import to_json as to_json
    from rankwise.arena.service import Arena as Arena
    from rankwise.arena.settings import ArenaSettings as ArenaSettings
    from rankwise.arena.settings import read_settings as read_settings
    from rankwise.arena.task import ArenaTask as ArenaTask
    from rankwise.arena.task import HiddenFold as HiddenFold
    from rankwise.arena.task import Rules as Rules
    from rankwise.arena.views import Board as Board
    from rankwise.arena.views import BoardRow as BoardRow
    from rankwise.arena.views import EntryComparison as EntryComparison
    from rankwise.arena.views import HistoryPoint as HistoryPoint
    from rankwise.arena.views import NearDuplicate as NearDuplicate
    from rankwise.arena.views import QueryDifference as QueryDifference
    from rankwise.arena.views import Standing as Standing
    from rankwise.arena.views import Usage as Usage
    from rankwise.arena.web.application import make_application as make_application
    from rankwise.arena.web.choosing import Served as Served
    from rankwise.arena.web.choosing import serve as serve
    from rankwise.arena.web.demonstration import fill_demo as fill_demo
    from rankwise.arena.web.rates import RequestRate as RequestRate
    from rankwise.arena.web.serving import Listening as Listening
    from rankwise.arena.web.settings import WebSettings as WebSettings
    from rankwise.arena.web.site_export import SiteExport as SiteExport
    from rankwise.arena.web.site_export import export_site as export_site
    from rankwise.arena.web.site_export import write_site as write_site
    from rankwise.arena.web.store_view.store_handlers import (
        make_store_application as make_store_application,
    )
else:
    homes = {
        "rankwise.arena.account": (
            "Account",
            "BASELINES",
            "Invitation",
            "OPERATOR",
            "ROLES",
        ),
        "rankwise.arena.auditing": ("Audit",),
        "rankwise.arena.baselines": (
            "BASELINE_RANKERS",
            "enter_baselines",
        ),
        "rankwise.arena.client": (
            "read_files",
            "send_submission",
        ),
        "rankwise.arena.creating": (
            "create_arena",
            "create_task",
        ),
        "rankwise.arena.entry": (
            "Cost",
            "Declaration",
            "ArenaEntry",
            "Quota",
            "Submission",
        ),
        "rankwise.arena.errors": (
            "ArenaError",
            "BadRequest",
            "BadUpload",
            "NotAllowed",
            "QuotaSpent",
            "StorageFailure",
            "TaskClosed",
            "TooLarge",
            "UnknownThing",
            "UnknownToken",
        ),
        "rankwise.arena.events": (
            "LogEvent",
            "find_breaks",
        ),
        "rankwise.arena.forms": (
            "board_csv",
            "parse_declaration",
            "to_json",
        ),
        "rankwise.arena.service": ("Arena",),
        "rankwise.arena.settings": (
            "ArenaSettings",
            "read_settings",
        ),
        "rankwise.arena.task": (
            "HiddenFold",
            "Rules",
            "ArenaTask",
        ),
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
        "rankwise.arena.web.application": ("make_application",),
        "rankwise.arena.web.choosing": ("Served", "serve"),
        "rankwise.arena.web.demonstration": ("fill_demo",),
        "rankwise.arena.web.rates": ("RequestRate",),
        "rankwise.arena.web.serving": ("Listening",),
        "rankwise.arena.web.settings": ("WebSettings",),
        "rankwise.arena.web.site_export": ("SiteExport", "export_site", "write_site"),
        "rankwise.arena.web.store_view.store_handlers": ("make_store_application",),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
