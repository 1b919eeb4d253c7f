"""Evaluating for an arena: limited processes judge uploads, and the values are kept.

The values of a task's own measure are kept in the database, sealed: values per query tell of
labels, so that nothing of them is readable at rest. Of a closed task anybody may ask for any
measure: what strangers choose fills a bounded memory, never the database.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rankwise
from rankwise.arena.arena_settings import ArenaSettings
from rankwise.arena.hidden_data import HiddenTest, name_fold_files
from rankwise.arena.participation import (
    ArenaTask,
    BadRequest,
    BadUpload,
    Half,
    NotAllowed,
    Rules,
    StorageFailure,
    Submission,
    TooLarge,
)
from rankwise.arena.sandbox import LimitedProcess, Refused
from rankwise.arena.storage import arena_tables
from rankwise.arena.storage.arena_tables import Connection, select
from rankwise.arena.storage.database import Database
from rankwise.arena.storage.encryption import Seal
from rankwise.arena.storage.stored_records import AT_ONCE, EntryRow, read_scores
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure, find_family, lower_is_better
from rankwise.measures.tools.registry import find_tool
from rankwise.sanitize import brief

LONGEST_MEASURE = 120
LARGEST_CUTOFF = 100_000
LARGEST_FIGURE = 1e100
"""What intervals and tests can square and add up without leaving the range of numbers."""


@dataclass(frozen=True, eq=False)
class Figures:
    """What a tool says of an entry: the mean, and one figure per query, NaN where it has none."""

    mean: float
    values: NDArray[np.float64]
    queries: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """All of it, to be sealed."""
        head = json.dumps([self.mean, self.queries]).encode()
        return head + b"\n" + self.values.astype("<f8").tobytes()

    @classmethod
    def from_bytes(cls, content: bytes) -> Figures:
        """What `to_bytes` gave."""
        head, _, values = content.partition(b"\n")
        mean, queries = json.loads(head)
        numbers = np.frombuffer(values, dtype="<f8").astype(np.float64)
        return cls(float(mean), numbers, tuple(queries))


@dataclass(frozen=True)
class Asked:
    """A measure and a tool, by names that both exist."""

    measure: str
    tool: str

    @property
    def lower_is_better(self) -> bool:
        """Whether small figures are good."""
        return lower_is_better(self.measure)


def check_asked(measure: str, tool: str) -> Asked:
    """A measure of a tool, looked at without any data.

    Measures of one's own (`module:name`) run code, which no stranger may ask for.
    """
    if ":" in measure or "/" in measure or len(measure) > LONGEST_MEASURE:
        raise BadRequest(
            f"a measure must be one that Rankwise has, found {measure!r}; see 'rankwise measures'"
        )
    try:
        found: Measure = find_tool(tool).measure(measure)
    except RankwiseError as error:
        raise BadRequest(str(error)) from error
    if found.cutoff is not None and found.cutoff > LARGEST_CUTOFF:
        raise BadRequest(f"a cut-off must be at most {LARGEST_CUTOFF}, found {found.cutoff}")
    return Asked(measure, tool)


def check_rules(rules: Rules) -> None:
    """Refuse rules whose boards would show more than the Ladder's rounding assumes.

    A mean of values between 0 and 1, rounded to one query, tells little of any of them; a sum, a
    count or a gain without bound tells labels.
    """
    for name in rules.shown_measures:
        check_asked(name, rules.tool)
        measure: Measure = find_tool(rules.tool).measure(name)
        bounds = find_family(measure.family).range
        if bounds != (0.0, 1.0) or measure.average == "sum":
            raise BadRequest(
                f"a measure that a board shows while its task is open must lie between 0 and 1, as "
                f"NDCG, MAP and P do, found {brief(name)}"
            )


def check_shown(task: ArenaTask, asked: Asked) -> Asked:
    """What is asked, by its name on the board: while a task is open what its rules list."""
    if not task.open:
        return asked
    rules = task.rules
    if asked.tool == rules.tool:
        tool = find_tool(rules.tool)
        for name in rules.shown_measures:
            if tool.measure(name) == tool.measure(asked.measure):
                return Asked(name, rules.tool)
    raise NotAllowed(
        f"while {task.name} is open its board shows {', '.join(rules.shown_measures)} as "
        f"{rules.tool} computes it, found {brief(asked.measure)} as {asked.tool} does; every "
        "other measure is shown once the private half is revealed"
    )


class Evaluator:
    """Two limited processes: one reads uploads and knows no label, the other evaluates."""

    def __init__(self, settings: ArenaSettings, open_hidden: Callable[[str], HiddenTest]) -> None:
        bounds = settings.evaluation_memory, settings.evaluation_seconds
        self._reader, self._judge = LimitedProcess(*bounds), LimitedProcess(*bounds)
        self._open_hidden = open_hidden

    def close(self) -> None:
        """End both processes."""
        self._reader.close()
        self._judge.close()

    def read(self, task: ArenaTask, submission: Submission) -> bytes:
        """The encoded scores of a submission; `BadUpload` says what is wrong with its files."""
        contents = _name_contents(task, submission)
        with _folder_of(contents) as folder:
            facts = {
                "job": "read",
                "task": task.name,
                "folder": folder,
                "layout": submission.layout,
            }
            try:
                answer = self._reader.ask(facts, (), lambda: (self._shape(task), ()))
            except Refused as refusal:
                raise BadUpload(str(refusal)) from None
        return answer.blobs[0]

    def evaluate(self, task: ArenaTask, scores: bytes, asked: Asked, half: Half) -> Figures:
        """The figures of encoded scores on one half.

        What a tool refuses for the sake of the data is told without its reason, which may tell of
        labels.
        """
        facts = {
            "job": "evaluate",
            "task": task.name,
            "half": half,
            "measure": asked.measure,
            "tool": asked.tool,
        }
        try:
            answer = self._judge.ask(facts, (scores,), lambda: self._labels(task))
        except Refused:
            raise BadRequest(
                f"{asked.tool} must be able to compute {asked.measure} on the data of "
                f"{task.name}, found that it cannot; choose another measure or tool"
            ) from None
        values = np.frombuffer(answer.blobs[0], dtype="<f8").astype(np.float64)
        if not (np.isnan(values) | (np.abs(values) <= LARGEST_FIGURE)).all():
            raise BadRequest(
                f"the figures of {asked.measure} must be at most {LARGEST_FIGURE:g} on the data of "
                f"{task.name}, found larger ones; choose smaller gains"
            )
        return Figures(float(answer.facts["mean"]), values, tuple(answer.facts["queries"]))

    def _shape(self, task: ArenaTask) -> dict[str, object]:
        hidden = self._open_hidden(task.name)
        return {
            "job": "learn-shape",
            "task": task.name,
            "folds": [(fold.number, fold.documents) for fold in task.folds],
            "query_offsets": hidden.query_offsets.tolist(),
            "query_ids": list(hidden.query_ids),
            "document_ids": list(hidden.document_ids),
        }

    def _labels(self, task: ArenaTask) -> tuple[dict[str, object], tuple[bytes, ...]]:
        facts: dict[str, object] = {"job": "learn-labels", "task": task.name}
        return facts, (self._open_hidden(task.name).to_bytes(),)


@contextlib.contextmanager
def _folder_of(contents: Mapping[str, bytes]) -> Iterator[str]:
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rankwise-upload-"))
            for name, content in contents.items():
                (Path(folder) / name).write_bytes(content)
        except OSError as error:
            raise StorageFailure(
                f"the server must have room for an upload while it is read, found: "
                f"{error.strerror}; nothing was changed"
            ) from error
        yield folder


def _name_contents(task: ArenaTask, submission: Submission) -> dict[str, bytes]:
    """The contents under names of our own: what strangers call their files is never a path."""
    size = sum(len(content) for content in submission.files.values())
    if size > task.rules.largest_upload:
        raise TooLarge(
            f"the files of a submission must have at most {task.rules.largest_upload} bytes, "
            f"found {size}; compress them"
        )
    if not submission.files:
        raise BadUpload("a submission must have at least one file, found none")
    if submission.layout == "run":
        if len(submission.files) != 1:
            raise BadUpload(f"a run must be one file, found {len(submission.files)}")
        return {"run": next(iter(submission.files.values()))}
    if submission.layout != "scores":
        raise BadUpload(f"the layout must be scores or run, found {submission.layout!r}")
    names = name_fold_files(list(submission.files), [fold.number for fold in task.folds])
    return {f"Fold{fold}": submission.files[name] for fold, name in names.items()}


MOST_IN_MEMORY = 5000

_FigureKey = tuple[str, Half, Asked]


class FigureStore:
    """The figures of entries, looked up where they are known, else computed and kept."""

    def __init__(self, database: Database, seal: Seal, evaluator: Evaluator) -> None:
        self._database, self._seal, self._evaluator = database, seal, evaluator
        self._remembered: OrderedDict[_FigureKey, Figures] = OrderedDict()
        self._turn = threading.Lock()

    def figures(
        self, task: ArenaTask, entries: Iterable[EntryRow], asked: Asked, half: Half
    ) -> dict[str, Figures]:
        """The figures of entries of one task, by id."""
        wanted = list(entries)
        own = asked == Asked(task.rules.measure, task.rules.tool)
        found = self._remember(wanted, asked, half)
        for some in _split_entries([entry for entry in wanted if own and entry.id not in found]):
            with self._database.reading() as connection:
                found |= self._kept(connection, [entry.id for entry in some], asked, half)
        for some in _split_entries([entry for entry in wanted if entry.id not in found]):
            found |= self._compute(task, some, asked, half, keep=own)
        return {entry.id: found[entry.id] for entry in wanted}

    def keep(
        self, connection: Connection, entry: str, asked: Asked, half: Half, figures: Figures
    ) -> None:
        """Keep figures of an entry, unless another process did meanwhile."""
        cells = {
            "entry": entry,
            "half": half,
            "tool": asked.tool,
            "measure": asked.measure,
            "program": rankwise.__version__,
        }
        content = self._seal.close(figures.to_bytes(), _seal_context(entry, asked, half))
        connection.execute(_insert_figures(connection, {**cells, "content": content}))

    def kept(self, connection: Connection, entry: str, asked: Asked, half: Half) -> Figures | None:
        """The figures of one entry that the database has."""
        return self._kept(connection, [entry], asked, half).get(entry)

    def _remember(self, entries: list[EntryRow], asked: Asked, half: Half) -> dict[str, Figures]:
        found = {}
        with self._turn:
            for entry in entries:
                key = (entry.id, half, asked)
                if key in self._remembered:
                    self._remembered.move_to_end(key)
                    found[entry.id] = self._remembered[key]
        return found

    def _compute(
        self, task: ArenaTask, entries: list[EntryRow], asked: Asked, half: Half, *, keep: bool
    ) -> dict[str, Figures]:
        with self._database.reading() as connection:
            scores = read_scores(connection, [entry.digest for entry in entries])
        found = {
            entry.id: self._evaluator.evaluate(task, scores[entry.digest], asked, half)
            for entry in entries
        }
        if keep:
            with self._database.writing() as connection:
                for entry, figures in found.items():
                    self.keep(connection, entry, asked, half, figures)
        with self._turn:
            self._remembered |= {(entry, half, asked): one for entry, one in found.items()}
            while len(self._remembered) > MOST_IN_MEMORY:
                self._remembered.popitem(last=False)
        return found

    def _kept(
        self, connection: Connection, entries: list[str], asked: Asked, half: Half
    ) -> dict[str, Figures]:
        known = arena_tables.figures.c
        rows = connection.execute(
            select(known.entry, known.content).where(
                known.entry.in_(entries),
                known.half == half,
                known.tool == asked.tool,
                known.measure == asked.measure,
                known.program == rankwise.__version__,
            )
        )
        return {
            row.entry: Figures.from_bytes(
                self._seal.open(row.content, _seal_context(row.entry, asked, half))
            )
            for row in rows
        }


def _split_entries(entries: list[EntryRow]) -> list[list[EntryRow]]:
    return [entries[begin : begin + AT_ONCE] for begin in range(0, len(entries), AT_ONCE)]


def _insert_figures(connection: Connection, cells: dict[str, Any]) -> Any:
    """An insertion that passes over a row that is there."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(arena_tables.figures).values(**cells).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(arena_tables.figures).values(**cells).on_conflict_do_nothing()


def _seal_context(entry: str, asked: Asked, half: Half) -> str:
    return f"figures of {entry} by {asked.measure} of {asked.tool} on the {half} half"
