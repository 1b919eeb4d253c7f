"""Handlers of the live view: every request reads the store anew, or what was just read of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from rankwise.arena.forms import to_json
from rankwise.arena.web.application import make_guarded
from rankwise.arena.web.failures import FailureTeller
from rankwise.arena.web.fresh import FreshAnswers
from rankwise.arena.web.settings import WebSettings
from rankwise.arena.web.store_view.standing import find_standing
from rankwise.arena.web.store_view.store_links import StoreLinks
from rankwise.arena.web.store_view.store_pages import StorePages
from rankwise.arena.web.store_view.systems import find_queries, list_choices
from rankwise.experiments import summarize
from rankwise.results import Store, choose_measures, describe_task

T = TypeVar("T")
_THREADS = 4


def make_store_application(path: str | Path, settings: WebSettings | None = None) -> ASGIApp:
    """The live view of the store at `path`."""
    chosen = settings or WebSettings()
    with Store.read(path):
        # Whatever is wrong with the file is said before anybody listens.
        pass
    links = StoreLinks(chosen.root_path)
    pages = StorePages(links, Path(path).name)
    handlers = StoreHandlers(Path(path), pages)
    return make_guarded(handlers.routes(), chosen, FailureTeller(links, pages.title))


class StoreHandlers:
    """Answers whoever watches an experiment."""

    def __init__(self, path: Path, pages: StorePages) -> None:
        self.path = path
        self.pages = pages
        self._known: FreshAnswers[Any] = FreshAnswers()
        self._threads = CapacityLimiter(_THREADS)

    def routes(self) -> list[Route]:
        """Which path is whose."""
        return [
            Route("/", self.show_standing),
            Route("/tables", self.show_tables),
            Route("/queries", self.show_queries),
            Route("/tasks/{key}", self.show_task),
            Route("/api/standing", self.send_standing),
            Route("/api/tables", self.send_tables),
        ]

    async def show_standing(self, request: Request) -> Response:
        """Progress and failures."""
        standing = await self._ask("standing", find_standing)
        return HTMLResponse(self.pages.make_standing_page(standing))

    async def show_tables(self, request: Request) -> Response:
        """Means over folds, of all measures or those asked for."""
        measures = tuple(one for one in request.query_params.getlist("measure") if one)
        every = request.query_params.get("tools") == "all"
        choices = await self._ask("choices", list_choices)
        found = await self._ask(
            ("tables", measures, every), lambda store: _summarize(store, measures, every)
        )
        return HTMLResponse(self.pages.make_tables_page(found, choices, measures, every))

    async def show_queries(self, request: Request) -> Response:
        """Methods query by query, and two of them compared."""
        given = dict(request.query_params)
        choices = await self._ask("choices", list_choices)
        if not choices.measures:
            return HTMLResponse(self.pages.make_queries_page(choices, None, given))
        subject = given.get("dataset") or choices.subjects[0]
        measure = given.get("measure") or choices.measures[0]
        tool = given.get("tool") or None
        found = await self._ask(
            ("queries", subject, measure, tool),
            lambda store: find_queries(store, subject, measure, tool),
        )
        return HTMLResponse(self.pages.make_queries_page(choices, found, given))

    async def show_task(self, request: Request) -> Response:
        """One task in full."""
        key = request.path_params["key"]
        found = await self._ask(("task", key), lambda store: describe_task(store, key))
        return HTMLResponse(self.pages.make_task_page(found))

    async def send_standing(self, request: Request) -> Response:
        """Progress and failures as JSON."""
        return JSONResponse(to_json(await self._ask("standing", find_standing)))

    async def send_tables(self, request: Request) -> Response:
        """Means over folds as JSON, of every tool."""
        found = await self._ask(("tables", (), True), lambda store: _summarize(store, (), True))
        return JSONResponse(to_json(found))

    async def _find_change(self) -> int:
        return _last_change(self.path)

    async def _ask(self, question: Any, ask: Callable[[Store], T]) -> T:
        """The answer to a question at what the files of the store hold now."""

        def read() -> T:
            with Store.read(self.path) as store:
                return ask(store)

        async def compute() -> T:
            return await to_thread.run_sync(read, limiter=self._threads)

        answer: T = await self._known.ask(question, self._find_change, compute, patient=True)
        return answer


def _last_change(path: Path) -> int:
    """When the store, or the log beside it, was written last."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return max((one.stat().st_mtime_ns for one in files if one.exists()), default=0)


def _summarize(store: Store, measures: tuple[str, ...], every: bool) -> Any:
    return summarize(choose_measures(store.values(), measures), all_tools=every)
