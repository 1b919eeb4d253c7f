"""Handlers of the pages that are read."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

from rankwise.arena.participation import Account, ArenaError, ArenaTask, BadRequest
from rankwise.arena.views import Board, HistoryPoint
from rankwise.arena.web.addresses import BoardChoice
from rankwise.arena.web.form_handlers import read_whole
from rankwise.arena.web.html_rendering import PageReader
from rankwise.arena.web.pages import (
    as_half,
    make_board_page,
    make_comparison_page,
    make_entry_page,
    make_home_page,
    make_log_page,
    make_task_page,
    read_choice,
)
from rankwise.arena.web.request_context import Desk, KnownPage, find_address, make_known
from rankwise.errors import RankwiseError

BoardFacts = tuple[Board, tuple[HistoryPoint, ...]]


class PageHandlers:
    """Answers whoever reads."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def routes(self) -> list[Route]:
        """Which path is whose."""
        return [
            Route("/", self.show_home),
            Route("/tasks/{task}", self.show_task),
            Route("/tasks/{task}/board", self.show_board),
            Route("/tasks/{task}/package", self.send_package),
            Route("/entries/{entry}", self.show_entry),
            Route("/compare", self.show_comparison),
            Route("/log", self.show_log),
        ]

    async def show_home(self, request: Request) -> Response:
        """All tasks."""
        reader = await self.desk.find_reader(request)
        return HTMLResponse(await self.desk.ask(make_home_page, self.desk.site, reader))

    async def show_task(self, request: Request) -> Response:
        """One task."""
        reader = await self.desk.find_reader(request)
        task = await self.desk.ask(self.desk.arena.task, request.path_params["task"])
        return HTMLResponse(await self.desk.ask(make_task_page, self.desk.site, reader, task))

    async def show_board(self, request: Request) -> Response:
        """The board by the task's measure, or the one that is asked for."""
        desk = self.desk
        reader = await desk.find_reader(request)
        try:
            if reader.account is None:
                return await self._send_known_page(request, reader)
            task = await desk.ask(desk.arena.task, request.path_params["task"])
            choice = read_choice(task, request.query_params)
            board, history = await find_board(desk, request, task, choice, reader.account)
        except RankwiseError as error:
            return await self._refuse_board(request, reader, error)
        page = await desk.ask(make_board_page, desk.site, reader, task, choice, board, history)
        return HTMLResponse(page)

    async def _send_known_page(self, request: Request, reader: PageReader) -> Response:
        """The page of readers without an account, which is the same for all of them."""
        desk, name, given = self.desk, request.path_params["task"], request.query_params
        question = (name, *(given.get(one, "") for one in ("measure", "tool", "half")))
        if not desk.pages.has(question):
            limit_computing(desk, request)

        def make() -> KnownPage:
            task = desk.arena.task(name)
            choice = read_choice(task, given)
            board, history = compute_board(desk, task, choice, None)
            return make_known(make_board_page(desk.site, reader, task, choice, board, history))

        known = await desk.pages.ask(
            question, desk.find_revision, lambda: desk.compute(make), patient=True
        )
        return known.answer(request)

    async def _refuse_board(
        self, request: Request, reader: PageReader, error: RankwiseError
    ) -> Response:
        """The form again with what is wrong in it; anything but a wrong choice goes on as it is."""
        if isinstance(error, ArenaError) and not isinstance(error, BadRequest):
            raise error
        task = await self.desk.ask(self.desk.arena.task, request.path_params["task"])
        given = {name: request.query_params.get(name, "")[:200] for name in ("measure", "tool")}
        choice = BoardChoice(given["measure"], given["tool"], "public")
        page = make_board_page(self.desk.site, reader, task, choice, None, refused=str(error))
        return HTMLResponse(page, 400)

    async def send_package(self, request: Request) -> Response:
        """The package that participants download."""
        await self.desk.find_reader(request)
        task = await self.desk.ask(self.desk.arena.task, request.path_params["task"])
        path = await self.desk.ask(self.desk.arena.package, task.name)
        return FileResponse(path, media_type="application/zip", filename=f"{task.name}.zip")

    async def show_entry(self, request: Request) -> Response:
        """One entry, as the reader may see it."""
        desk = self.desk
        reader = await desk.find_reader(request)
        entry = await desk.ask(desk.arena.entry, request.path_params["entry"], reader.account)
        task = await desk.ask(desk.arena.task, entry.task)
        board, _ = await find_board(desk, request, task, read_choice(task, {}), reader.account)
        just_now = request.query_params.get("just-now", "")
        told = just_now if reader.account and just_now in ("new", "known") else ""
        page = await desk.ask(make_entry_page, desk.site, reader, task, entry, board, told)
        return HTMLResponse(page)

    async def show_comparison(self, request: Request) -> Response:
        """Two entries, named or ticked."""
        desk = self.desk
        reader = await desk.find_reader(request)
        given = request.query_params
        ticked = given.getlist("entry")
        names = [one for one in (given.get("first"), given.get("second")) if one] or ticked
        if len(names) != 2:
            raise BadRequest(f"a comparison needs two entries, found {len(names)}; tick two")
        first = await desk.ask(desk.arena.entry, names[0], reader.account)
        task = await desk.ask(desk.arena.task, first.task)
        choice = read_choice(task, given)
        limit_computing(desk, request)
        found = await desk.ask(
            desk.arena.compare, first.id, names[1], choice.measure, choice.tool,
            half=as_half(choice.half), account=reader.account,
        )  # fmt: skip
        return HTMLResponse(await desk.ask(make_comparison_page, desk.site, reader, task, found))

    async def show_log(self, request: Request) -> Response:
        """Lines of the log."""
        reader = await self.desk.find_reader(request)
        after = read_number(request.query_params, "after")
        return HTMLResponse(await self.desk.ask(make_log_page, self.desk.site, reader, after))


async def find_board(
    desk: Desk, request: Request, task: ArenaTask, choice: BoardChoice, account: Account | None
) -> BoardFacts:
    """A board and the history of the best, computed once for all who see the same."""
    audience = "" if account is None else f"{account.role} {account.team}"
    question = (task.name, choice, audience)
    if not desk.boards.has(question):
        limit_computing(desk, request)
    facts: BoardFacts = await desk.boards.ask(
        question,
        desk.find_revision,
        lambda: desk.compute(lambda: compute_board(desk, task, choice, account)),
        patient=account is None,
    )
    return facts


def compute_board(
    desk: Desk, task: ArenaTask, choice: BoardChoice, account: Account | None
) -> BoardFacts:
    """A board and the history of the best."""
    half = as_half(choice.half)
    board = desk.arena.board(task.name, choice.measure, choice.tool, half=half, account=account)
    return board, desk.arena.history(task.name, account)


def limit_computing(desk: Desk, request: Request) -> None:
    """Boards that are not known cost time: one address cannot ask for all of them at once."""
    desk.limit("computing", find_address(request), desk.settings.computing)


def read_number(given: Mapping[str, str], name: str) -> int | None:
    """A whole number of the address; None where there is none."""
    text = given.get(name)
    return None if not text else read_whole(text, name)
