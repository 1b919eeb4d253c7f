"""What the arena refuses, each kind with a word that the HTTP API passes on."""

from __future__ import annotations

from typing import ClassVar

from rankwise.errors import RankwiseError


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
