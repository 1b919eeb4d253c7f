"""Evaluating for an arena: uploads are read, and scores judged, in limited processes."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.entry import Submission
from rankwise.arena.errors import BadRequest, BadUpload, NotAllowed, StorageFailure, TooLarge
from rankwise.arena.hidden import HiddenTest
from rankwise.arena.limited_process import LimitedProcess, Refused
from rankwise.arena.settings import ArenaSettings
from rankwise.arena.task import ArenaTask, Half, Rules
from rankwise.arena.upload_reading import name_fold_files
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure, find_family
from rankwise.measures.names import lower_is_better
from rankwise.measures.tools.registry import find_tool
from rankwise.shown import brief

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
