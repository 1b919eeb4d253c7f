"""Handlers of the HTTP API (`api.md`): JSON in, JSON out, a token in the header."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from rankwise.arena.arena import Arena
from rankwise.arena.json_records import board_csv, to_json
from rankwise.arena.participation import Account, BadRequest, UnknownToken
from rankwise.arena.web.form_handlers import open_form, prepare_submission, read_field
from rankwise.arena.web.page_handlers import find_board, limit_computing, read_number
from rankwise.arena.web.pages import as_half, read_choice
from rankwise.arena.web.request_context import Desk, find_address, find_bearer

Handler = Callable[[Request], Awaitable[Response]]
Question = Callable[[Arena, Account | None, Request], Any]
_LARGEST_JSON = 64 * 1024
_MOST_LINES = 1000


class ApiHandlers:
    """Answers programs; what changes something needs the header, which no other site can send."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self) -> list[Route]:
        """Which path is whose."""
        asked = [Route(f"/api{path}", self._answer(ask)) for path, ask in QUESTIONS.items()]
        return [
            *asked,
            Route("/api/tasks/{task}/package", self.send_package),
            Route("/api/tasks/{task}/board", self.send_board),
            Route("/api/tasks/{task}/board.csv", self.send_board_csv),
            Route("/api/tasks/{task}/entries", self.list_entries, methods=["GET"]),
            Route("/api/tasks/{task}/entries", self.submit, methods=["POST"]),
            Route("/api/tasks/{task}/reveal", self.reveal, methods=["POST"]),
            Route("/api/compare", self.compare),
            Route("/api/invitations", self.invite, methods=["POST"]),
            Route("/api/accounts", self.join, methods=["POST"]),
            Route("/api/account", self.show_account),
        ]

    def _answer(self, question: Question) -> Handler:
        async def answer(request: Request) -> Response:
            account = (await self.desk.find_reader(request)).account
            found = await self.desk.ask(question, self.desk.arena, account, request)
            return JSONResponse(to_json(found))

        return answer

    async def send_package(self, request: Request) -> Response:
        """The package that participants download."""
        await self.desk.find_reader(request)
        task = await self.desk.ask(self.desk.arena.task, request.path_params["task"])
        path = await self.desk.ask(self.desk.arena.package, task.name)
        return FileResponse(path, media_type="application/zip", filename=f"{task.name}.zip")

    async def send_board(self, request: Request) -> Response:
        """A board with everything on it."""
        return JSONResponse(to_json(await self._find_board(request)))

    async def send_board_csv(self, request: Request) -> Response:
        """The rows of a board."""
        text = board_csv(await self._find_board(request))
        headers = {"content-disposition": 'attachment; filename="board.csv"'}
        return Response(text, headers=headers, media_type="text/csv; charset=utf-8")

    async def _find_board(self, request: Request) -> Any:
        desk = self.desk
        account = (await desk.find_reader(request)).account
        task = await desk.ask(desk.arena.task, request.path_params["task"])
        choice = read_choice(task, request.query_params)
        board, _ = await find_board(desk, request, task, choice, account)
        return board

    async def list_entries(self, request: Request) -> Response:
        """The team's own entries."""
        account = await self._find_signed_in(request)
        found = await self.desk.ask(self.desk.arena.entries, request.path_params["task"], account)
        return JSONResponse({"entries": to_json(found)})

    async def submit(self, request: Request) -> Response:
        """Files and a declaration; the same scores again are the same entry."""
        desk = self.desk
        account = await self._find_signed_in(request)
        desk.limit("submitting", account.id, desk.settings.submitting)
        async with open_form(request) as form:
            read = prepare_submission(form, _parse_json(read_field(form, "declaration")))
            entry = await desk.submit(account, request.path_params["task"], read)
        return JSONResponse(to_json(entry), 201 if entry.new else 200)

    async def reveal(self, request: Request) -> Response:
        """Show the private half, for good."""
        account = await self._find_signed_in(request)
        task = await self.desk.ask(self.desk.arena.reveal, request.path_params["task"], account)
        return JSONResponse(to_json(task))

    async def compare(self, request: Request) -> Response:
        """Two entries beside each other."""
        desk, given = self.desk, request.query_params
        account = (await desk.find_reader(request)).account
        names = given.get("first", ""), given.get("second", "")
        first = await desk.ask(desk.arena.entry, names[0], account)
        task = await desk.ask(desk.arena.task, first.task)
        choice = read_choice(task, given)
        limit_computing(desk, request)
        found = await desk.ask(
            desk.arena.compare, *names, choice.measure, choice.tool,
            half=as_half(choice.half), account=account,
        )  # fmt: skip
        return JSONResponse(to_json(found))

    async def invite(self, request: Request) -> Response:
        """A new invitation."""
        account = await self._find_signed_in(request)
        given = await _read_object(request, "role", "team")
        token = await self.desk.ask(self.desk.arena.invite, given["role"], given["team"], account)
        return JSONResponse({"invitation": token}, 201)

    async def join(self, request: Request) -> Response:
        """The token of a new account, for an invitation."""
        desk = self.desk
        desk.limit("invitation", find_address(request), desk.settings.knocking)
        given = await _read_object(request, "invitation", "name")
        token = await desk.ask(desk.arena.accept, given["invitation"], given["name"])
        return JSONResponse({"token": token}, 201)

    async def show_account(self, request: Request) -> Response:
        """Whose token it is."""
        return JSONResponse(to_json(await self._find_signed_in(request)))

    async def _find_signed_in(self, request: Request) -> Account:
        """Whose header it is; a cookie would let other sites' pages act for their readers."""
        self.desk.limit("reading", find_address(request), self.desk.settings.reading)
        account = await self.desk.find_account(request) if find_bearer(request) else None
        if account is None:
            raise UnknownToken("this needs the header 'Authorization: Bearer TOKEN', found none")
        return account


def _list_events(arena: Arena, account: Account | None, request: Request) -> Any:
    given = request.query_params
    limit = read_number(given, "limit")
    most = _MOST_LINES if limit is None else min(limit, _MOST_LINES)
    return {"events": arena.events(account, after=read_number(given, "after") or 0, limit=most)}


def _require(account: Account | None) -> Account:
    if account is None:
        raise UnknownToken("this needs the header 'Authorization: Bearer TOKEN', found none")
    return account


QUESTIONS: dict[str, Question] = {
    "/tasks": lambda arena, account, request: {"tasks": arena.tasks()},
    "/tasks/{task}": lambda arena, account, request: arena.task(request.path_params["task"]),
    "/tasks/{task}/history": lambda arena, account, request: {
        "history": arena.history(request.path_params["task"], account)
    },
    "/tasks/{task}/usage": lambda arena, account, request: arena.usage(
        request.path_params["task"], account
    ),
    "/tasks/{task}/quota": lambda arena, account, request: arena.quota(
        _require(account), request.path_params["task"]
    ),
    "/tasks/{task}/near-duplicates": lambda arena, account, request: {
        "pairs": arena.near_duplicates(request.path_params["task"], _require(account))
    },
    "/entries/{entry}": lambda arena, account, request: arena.entry(
        request.path_params["entry"], account
    ),
    "/standings": lambda arena, account, request: {"standings": arena.standings(account)},
    "/log": _list_events,
}


async def _read_object(request: Request, *names: str) -> dict[str, str]:
    """A small JSON object of texts."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_JSON:
            raise BadRequest(f"the JSON must have at most {_LARGEST_JSON:,} bytes")
    content = _parse_json(body.decode("utf-8", "replace"))
    found = {name: content.get(name, "") for name in names}
    if not all(isinstance(one, str) for one in found.values()):
        raise BadRequest(f"{' and '.join(names)} must be texts")
    return found


def _parse_json(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise BadRequest("a JSON object is expected, found something else") from None
    if not isinstance(content, dict):
        raise BadRequest(f"a JSON object is expected, found {type(content).__name__}")
    return content
