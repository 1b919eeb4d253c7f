"""Handlers of forms: invitations, signing in and out, submissions, the organisers' page."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from rankwise.arena.account import Account, require_organiser
from rankwise.arena.errors import ArenaError, UnknownToken
from rankwise.arena.forms import LONGEST_LINE
from rankwise.arena.task import ArenaTask
from rankwise.arena.web.desk import Desk, find_address
from rankwise.arena.web.pages.tasks import make_organise_page
from rankwise.arena.web.sessions import (
    check_form,
    end_session,
    find_form_secret,
    keep_session,
    keep_visitor,
    make_visitor,
    mark_forms,
)
from rankwise.arena.web.site import PageReader
from rankwise.arena.web.uploads import (
    FIELDS,
    open_form,
    prepare_submission,
    read_declaration,
    read_field,
)
from rankwise.errors import RankwiseError

BOTH = ["GET", "POST"]


class FormHandlers:
    """Answers whoever fills in a form; every one carries the mark of its browser."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self) -> list[Route]:
        """Which path is whose."""
        return [
            Route("/invitations/{token}", self.handle_invitation, methods=BOTH),
            Route("/sign-in", self.handle_sign_in, methods=BOTH),
            Route("/sign-out", self.sign_out, methods=["POST"]),
            Route("/tasks/{task}/submit", self.handle_submission, methods=BOTH),
            Route("/organise", self.handle_organising, methods=BOTH),
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
            given={name: read_field(form, name) for name in FIELDS}, longest_title=LONGEST_LINE,
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
