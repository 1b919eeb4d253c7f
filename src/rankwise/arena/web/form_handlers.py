"""Handlers of forms: invitations, signing in and out, submissions, the organisers' page.

Forms with files are bounded in number, kept on disk until their turn, then made submissions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast, get_args

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from rankwise.arena.json_records import LONGEST_LINE, parse_declaration
from rankwise.arena.participation import (
    Account,
    ArenaError,
    ArenaTask,
    BadRequest,
    Layout,
    Submission,
    UnknownToken,
    require_organiser,
)
from rankwise.arena.web.html_rendering import PageReader
from rankwise.arena.web.pages import make_organise_page
from rankwise.arena.web.request_context import (
    Desk,
    check_form,
    end_session,
    find_address,
    find_form_secret,
    keep_session,
    keep_visitor,
    make_visitor,
    mark_forms,
)
from rankwise.errors import RankwiseError
from rankwise.sanitize import brief

if TYPE_CHECKING:
    from starlette._utils import AwaitableOrContextManager


GET_AND_POST = ["GET", "POST"]


class FormHandlers:
    """Answers whoever fills in a form; every one carries the mark of its browser."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self) -> list[Route]:
        """Which path is whose."""
        return [
            Route("/invitations/{token}", self.handle_invitation, methods=GET_AND_POST),
            Route("/sign-in", self.handle_sign_in, methods=GET_AND_POST),
            Route("/sign-out", self.sign_out, methods=["POST"]),
            Route("/tasks/{task}/submit", self.handle_submission, methods=GET_AND_POST),
            Route("/organise", self.handle_organising, methods=GET_AND_POST),
        ]

    async def handle_invitation(self, request: Request) -> Response:
        """What is offered, and where it is accepted the token of the new account, once."""
        desk, token = self.desk, request.path_params["token"]
        desk.limit("invitation", find_address(request), desk.settings.knocking)
        offered = await desk.ask(desk.arena.invitation, token)
        name, refused = "", ""
        if request.method == "POST":
            form = await open_form(request)
            check_form(request, form)
            name = read_field(form, "name")
            try:
                return await self._welcome(await desk.ask(desk.arena.accept, token, name))
            except UnknownToken:
                raise
            except RankwiseError as error:
                refused = str(error)
        return self._send_form(
            request, "invitation.html", 400 if refused else 200,
            invitation=offered, token=token, given_name=name, refused=refused,
        )  # fmt: skip

    async def _welcome(self, token: str) -> Response:
        account = await self.desk.ask(self.desk.arena.authenticate, token)
        reader = PageReader(account, mark_forms(token))
        page = self.desk.site.page("welcome.html", reader, token=token)
        response = HTMLResponse(page)
        keep_session(response, token, self.desk.settings)
        return response

    async def handle_sign_in(self, request: Request) -> Response:
        """The form for a token, and the cookie for the right one."""
        desk, refused = self.desk, ""
        if request.method == "POST":
            desk.limit("sign in", find_address(request), desk.settings.knocking)
            form = await open_form(request)
            check_form(request, form)
            token = read_field(form, "token")[:200]
            try:
                await desk.ask(desk.arena.authenticate, token)
            except ArenaError as error:
                refused = str(error)
            else:
                response = RedirectResponse(desk.site.links.home(), 303)
                keep_session(response, token, desk.settings)
                return response
        return self._send_form(request, "sign_in.html", 401 if refused else 200, refused=refused)

    async def sign_out(self, request: Request) -> Response:
        """Let the browser forget."""
        check_form(request, await open_form(request))
        response = RedirectResponse(self.desk.site.links.home(), 303)
        end_session(response, self.desk.settings)
        return response

    def _send_form(
        self, request: Request, template: str, status: int, **values: object
    ) -> Response:
        """A form for somebody without an account, who gets a cookie for its mark."""
        secret = find_form_secret(request)
        visitor = secret or make_visitor()
        page = self.desk.site.page(template, PageReader(None, mark_forms(visitor)), **values)
        response = HTMLResponse(page, status)
        if secret is None:
            keep_visitor(response, visitor, self.desk.settings)
        return response

    async def handle_submission(self, request: Request) -> Response:
        """The form for submissions, and what becomes of one."""
        desk = self.desk
        account = await self._find_signed_in(request)
        reader = desk.make_reader(request, account)
        task = await desk.ask(desk.arena.task, request.path_params["task"])
        if request.method == "GET":
            return await self._send_submission_form(request, reader, task, FormData())
        desk.limit("submitting", account.id, desk.settings.submitting)
        async with open_form(request) as form:
            check_form(request, form)
            try:
                read = prepare_submission(form, read_declaration(form))
                entry = await desk.submit(account, task.name, read)
            except RankwiseError as error:
                return await self._send_submission_form(request, reader, task, form, str(error))
        told = "new" if entry.new else "known"
        return RedirectResponse(f"{desk.site.links.entry(entry.id)}?just-now={told}", 303)

    async def _send_submission_form(
        self,
        request: Request,
        reader: PageReader,
        task: ArenaTask,
        form: FormData,
        refused: str = "",
    ) -> Response:
        desk, account = self.desk, reader.account
        takes_part = account is not None and account.role == "participant"
        quota = await desk.ask(desk.arena.quota, account, task.name) if takes_part else None
        page = desk.site.page(
            "submit.html", reader, task=task, quota=quota, refused=refused,
            given={name: read_field(form, name) for name in UPLOAD_FIELDS},
            longest_title=LONGEST_LINE,
            address=f"{find_origin(request)}{desk.settings.root_path}",
        )  # fmt: skip
        return HTMLResponse(page, 422 if refused else 200)

    async def handle_organising(self, request: Request) -> Response:
        """The organisers' page, and the invitations they make."""
        desk = self.desk
        account = require_organiser(await self._find_signed_in(request), "see this page")
        reader = desk.make_reader(request, account)
        made = refused = team = ""
        if request.method == "POST":
            form = await open_form(request)
            check_form(request, form)
            team = read_field(form, "team")
            try:
                token = await desk.ask(desk.arena.invite, read_field(form, "role"), team, account)
            except RankwiseError as error:
                refused = str(error)
            else:
                made = f"{find_origin(request)}{desk.site.links.invitation(token)}"
        page = await desk.ask(
            make_organise_page, desk.site, reader, made=made, refused=refused, team=team
        )
        return HTMLResponse(page, 400 if refused else 200)

    async def _find_signed_in(self, request: Request) -> Account:
        """Whose browser it is; others are sent to sign in."""
        self.desk.limit("reading", find_address(request), self.desk.settings.reading)
        account = await self.desk.find_account(request)
        if account is None:
            raise UnknownToken("this page is for people with an account; sign in with your token")
        return account


def find_origin(request: Request) -> str:
    """How the browser calls this site; the proxy's word for it only where uvicorn was told so."""
    return f"{request.url.scheme}://{request.url.netloc}"


MOST_FILES = 64
MOST_FIELDS = 64
LARGEST_FIELD = 256 * 1024
_NUMBER_FIELDS = ("training_seconds", "scoring_seconds", "model_bytes")
UPLOAD_FIELDS = (
    "title", "description", "paper", "code", "training_data", "parameters", "training_seconds",
    "scoring_seconds", "model_bytes", "hardware", "alias", "embargo_days", "layout",
)  # fmt: skip


def open_form(request: Request) -> AwaitableOrContextManager[FormData]:
    """The fields and files of a form, too many of which are refused.

    To be awaited, or entered where there are files, which are then removed at its end.
    """
    return request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS, max_part_size=LARGEST_FIELD)


def prepare_submission(form: FormData, declared: Mapping[str, Any]) -> Callable[[], Submission]:
    """What reads the files into memory when the turn comes; everything else is checked now."""
    declaration = parse_declaration(declared)
    layout, alias = read_layout(form), read_field(form, "alias")
    days = read_whole(read_field(form, "embargo_days") or "0", "the embargo in days")
    files = find_files(form)

    def read() -> Submission:
        contents = {name: file.file.read() for name, file in files.items()}
        return Submission(contents, declaration, layout, alias, days)

    return read


def find_files(form: FormData) -> dict[str, UploadFile]:
    """The files of a form by their names, of which folders are not looked at."""
    found: dict[str, UploadFile] = {}
    for file in form.getlist("file"):
        if not isinstance(file, UploadFile) or not file.filename:
            continue
        name = PurePosixPath(file.filename.replace("\\", "/")).name
        if name in found:
            raise BadRequest(f"each file must have a name of its own, found {brief(name)} twice")
        found[name] = file
    if not found:
        raise BadRequest("a submission must have a file of scores or a run, found none")
    return found


def read_declaration(form: FormData) -> dict[str, Any]:
    """What the page's form says of a method, in the shape of the API."""
    cost: dict[str, Any] = {"hardware": read_field(form, "hardware")}
    for name in _NUMBER_FIELDS:
        given = read_field(form, name)
        if given:
            whole = name == "model_bytes"
            cost[name] = read_whole(given, name) if whole else _read_number(given, name)
    words = ("title", "description", "paper", "code", "training_data")
    declared: dict[str, Any] = {name: read_field(form, name) for name in words}
    return {**declared, "parameters": _read_parameters(form), "cost": cost}


def read_field(form: FormData, name: str) -> str:
    """A field of a form as text; line ends as they are here."""
    given = form.get(name)
    return given.replace("\r\n", "\n").strip() if isinstance(given, str) else ""


def read_layout(form: FormData) -> Layout:
    """Scores where nothing is said."""
    given = read_field(form, "layout") or "scores"
    for known in get_args(Layout):
        if given == known:
            return cast(Layout, known)
    raise BadRequest(f"the layout must be scores or run, found {brief(given)}")


def read_whole(text: str, what: str) -> int:
    """A whole number from 0."""
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise BadRequest(f"{what} must be a whole number from 0, found {brief(text)}")
    return int(text)


def _read_number(text: str, what: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise BadRequest(f"{what} must be a number, found {brief(text)}") from None


def _read_parameters(form: FormData) -> dict[str, str]:
    """`name = value`, one a line."""
    found: dict[str, str] = {}
    for number, line in enumerate(read_field(form, "parameters").split("\n"), 1):
        if not line.strip():
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not name or name in found:
            raise BadRequest(
                f"line {number} of the parameters must be 'name = value' with a name of its own, "
                f"found {brief(line)}"
            )
        found[name] = value
    return found
