"""The live view of a store of results: a running bench in a browser, read-only.

Every request reads the store anew, or what was just read of it. A store holds tasks that have
ended; what is still to come it does not know. A method that has some folds and lacks others of its
data set, or some seeds, is taken to be under way. Query by query there are the methods' means with
intervals, and two of them compared.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import numpy as np
from anyio import CapacityLimiter, to_thread
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from rankwise.arena.json_records import to_json
from rankwise.arena.web.application import make_guarded
from rankwise.arena.web.charts import (
    NARROW,
    WIDE,
    draw_differences,
    draw_distribution,
    draw_strip,
    make_strip_scale,
)
from rankwise.arena.web.html_rendering import FailureTeller, render
from rankwise.arena.web.request_context import FreshAnswers
from rankwise.arena.web.security import WebSettings
from rankwise.comparison.significance_tests import (
    SystemComparison,
    compare_systems,
    confidence_interval,
)
from rankwise.errors import RankwiseError
from rankwise.experiments import DatasetSummary, summarize
from rankwise.measures import lower_is_better
from rankwise.results import (
    Store,
    StoredTask,
    Subject,
    choose_measures,
    describe_task,
    name_subjects,
)
from rankwise.sanitize import brief

T = TypeVar("T")
_READING_THREADS = 4


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
        self._threads = CapacityLimiter(_READING_THREADS)

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


class StorePages:
    """Fills the templates of the live view."""

    def __init__(self, links: StoreLinks, title: str) -> None:
        self.links = links
        self.title = title

    def make_standing_page(self, standing: StoreStanding) -> str:
        """Progress and failures."""
        return self._page("store_standing.html", standing=standing)

    def make_tables_page(
        self,
        tables: Sequence[DatasetSummary],
        choices: StoreChoices,
        measures: Sequence[str],
        every: bool,
    ) -> str:
        """Means over folds, a table for each data set."""
        return self._page(
            "store_tables.html", tables=tables, choices=choices, chosen=measures, every=every
        )

    def make_queries_page(
        self, choices: StoreChoices, found: StoreQueries | None, given: Mapping[str, str]
    ) -> str:
        """Methods with intervals; where two are named, their differences query by query."""
        rows, compared, picture, spread = [], None, None, None
        if found is not None:
            rows = _draw_systems(found.rows)
            first, second = given.get("first"), given.get("second")
            _check_methods(found, first, second)
            if first and second and first != second:
                compared = compare_two(found, first, second)
                differences = (found.values[second] - found.values[first]).tolist()
                names = first, second, found.measure
                picture = [draw_differences(differences, *names, one) for one in (WIDE, NARROW)]
            elif first:
                values = found.values[first]
                known = values[~_is_missing(values)].tolist()
                spread = [draw_distribution(known, found.measure, one) for one in (WIDE, NARROW)]
        return self._page(
            "store_queries.html", choices=choices, found=found, rows=rows, compared=compared,
            picture=picture, spread=spread, given=given,
        )  # fmt: skip

    def make_task_page(self, task: Mapping[str, Any]) -> str:
        """One task in full."""
        content = json.dumps(task, indent=2, ensure_ascii=False, default=str)
        return self._page("store_task.html", task=task, content=content)

    def _page(self, template: str, **values: Any) -> str:
        return render(
            template, site_title=self.title, links=self.links, interactive=True, account=None,
            form_mark="", **values,
        )  # fmt: skip


def _is_missing(values: Any) -> Any:
    return values != values


def _check_methods(found: StoreQueries, *names: str | None) -> None:
    for name in names:
        if name and name not in found.values:
            there = ", ".join(found.values)
            raise RankwiseError(
                f"the method must be one of {found.subject} ({there}), found {brief(name)}"
            )


def _draw_systems(rows: Sequence[SystemRow]) -> list[tuple[SystemRow, Any]]:
    bounds = [one for row in rows for one in (row.mean, row.low, row.high) if math.isfinite(one)]
    scale = make_strip_scale(bounds)
    drawn = []
    for row in rows:
        ends = (row.low, row.high) if math.isfinite(row.low) else (None, None)
        drawn.append((row, draw_strip(scale, row.mean, *ends)))
    return drawn


@dataclass(frozen=True)
class FoldStanding:
    """One fold with one seed of a method; `task` is None where it has not ended yet."""

    fold: int
    seed: int
    task: StoredTask | None

    @property
    def ending(self) -> str:
        """`done`, `failed` or `to come`."""
        return "to come" if self.task is None else self.task.ending

    @property
    def sentence(self) -> str:
        """What a reader is told of it."""
        return f"fold {self.fold}, seed {self.seed}: {self.ending}"


@dataclass(frozen=True)
class MethodStanding:
    """A method on a data set: its folds, and the seconds they took."""

    method: str
    folds: tuple[FoldStanding, ...]
    seconds: float

    def count(self, ending: str) -> int:
        """How many folds ended so."""
        return sum(one.ending == ending for one in self.folds)


@dataclass(frozen=True)
class SubjectStanding:
    """A data set with its methods in the order of the plan."""

    name: str
    methods: tuple[MethodStanding, ...]


@dataclass(frozen=True)
class StoreStanding:
    """All of a store: its data sets, how many tasks ended how, failures, sentences beside."""

    subjects: tuple[SubjectStanding, ...]
    done: int
    failed: int
    to_come: int
    failures: tuple[StoredTask, ...]
    last: str | None
    left_out: tuple[str, ...]


def find_standing(store: Store) -> StoreStanding:
    """How the tasks that count stand."""
    with store.snapshot():
        tasks, left_out = store.tasks(), store.explain_left_out()
    names = name_subjects(Subject.of(task.name) for task in tasks)
    by_subject: dict[Subject, list[StoredTask]] = {}
    for task in tasks:
        by_subject.setdefault(Subject.of(task.name), []).append(task)
    subjects = tuple(
        SubjectStanding(names[subject], _find_methods(own)) for subject, own in by_subject.items()
    )
    folds = [one for subject in subjects for method in subject.methods for one in method.folds]
    return StoreStanding(
        subjects,
        done=sum(one.ending == "done" for one in folds),
        failed=sum(one.ending == "failed" for one in folds),
        to_come=sum(one.ending == "to come" for one in folds),
        failures=tuple(task for task in reversed(tasks) if task.ending == "failed"),
        last=max((task.finished for task in tasks), default=None),
        left_out=tuple(left_out),
    )


def _find_methods(tasks: Sequence[StoredTask]) -> tuple[MethodStanding, ...]:
    cells = sorted({(task.name.fold, task.name.seed) for task in tasks})
    by_method: dict[str, dict[tuple[int, int], StoredTask]] = {}
    for task in tasks:
        by_method.setdefault(task.name.method, {})[task.name.fold, task.name.seed] = task
    return tuple(
        MethodStanding(
            method,
            tuple(FoldStanding(*cell, own.get(cell)) for cell in cells),
            sum(task.seconds for task in own.values()),
        )
        for method, own in by_method.items()
    )


Values = NDArray[np.float64]


@dataclass(frozen=True)
class SystemRow:
    """A method: the mean over all queries, and its 95 % interval; NaN where there is none."""

    method: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class StoreQueries:
    """What a store has of one data set by one measure of one tool, query by query."""

    subject: str
    measure: str
    tool: str
    queries: int
    rows: tuple[SystemRow, ...]
    values: Mapping[str, Values]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class StoreChoices:
    """What can be chosen: data sets, and of each its measures and tools."""

    subjects: tuple[str, ...]
    measures: tuple[str, ...]
    tools: tuple[str, ...]


def list_choices(store: Store) -> StoreChoices:
    """Everything that the store has values of, in order of appearance."""
    values = store.values()
    return StoreChoices(
        tuple(name_subjects(Subject.of(one.name) for one in values).values()),
        tuple(dict.fromkeys(one.measure for one in values)),
        tuple(dict.fromkeys(one.tool for one in values)),
    )


def find_queries(store: Store, dataset: str | None, measure: str, tool: str | None) -> StoreQueries:
    """The methods of a data set, best mean first."""
    with store.snapshot():
        subject, own = store.find_subject(dataset)
        found = store.paired(measure, tool or own, subject)
        name = name_subjects(Subject.of(task.name) for task in store.tasks())[subject]
    rows = [_make_system_row(method, values) for method, values in found.values.items()]
    rows.sort(key=lambda row: row.mean, reverse=not lower_is_better(measure))
    return StoreQueries(
        name, measure, tool or own, len(next(iter(found.values.values()))), tuple(rows),
        found.values, tuple(found.sentences),
    )  # fmt: skip


def compare_two(found: StoreQueries, first: str, second: str) -> SystemComparison:
    """The second method against the first: paired t-test, interval, effect."""
    pair = {first: found.values[first], second: found.values[second]}
    (compared,) = compare_systems({found.measure: pair})
    return compared


def _make_system_row(method: str, values: Values) -> SystemRow:
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return SystemRow(method, float(values.mean()), float("nan"), float("nan"))
    interval = confidence_interval(known, "t")
    return SystemRow(method, float(known.mean()), interval.low, interval.high)


@dataclass(frozen=True)
class StoreLinks:
    """Where every page of the live view is, below `root`."""

    root: str = ""

    def home(self) -> str:
        """How the experiment stands."""
        return f"{self.root}/"

    def static(self, name: str) -> str:
        """A style sheet or a script."""
        return f"{self.root}/static/{name}"

    def sign_in(self) -> str:
        """Nobody signs in here: the first page."""
        return self.home()

    def tables(self) -> str:
        """Means over folds."""
        return f"{self.root}/tables"

    def queries(self, **chosen: str) -> str:
        """Values of queries."""
        given = {name: value for name, value in chosen.items() if value}
        return f"{self.root}/queries" + (f"?{urlencode(given)}" if given else "")

    def task(self, key: str) -> str:
        """One task in full."""
        return f"{self.root}/tasks/{quote(key, safe='')}"

    def data(self, kind: str) -> str:
        """The same as JSON."""
        return f"{self.root}/api/{kind}"
