"""What a store keeps of one task: its name, how it ended, what was tried, and its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Part = Literal["validation", "test"]
Ending = Literal["done", "failed"]
FailureKind = Literal["error", "data", "time", "memory", "killed"]
KeptName = Literal["model", "test scores", "validation scores"]
SHARED_QUERIES = " (shared queries)"
"""What ends the name of a data set whose folds share queries with the consent of its user."""

CHOICE = "choice"
"""The fact of a task that says how one of several combinations was chosen."""


@dataclass(frozen=True)
class TaskName:
    """What a task is called in tables; its key, not its name, says whether it was done before.

    `tool` is the evaluation tool of the data set: the one whose figures are compared with others.
    """

    collection: str
    dataset: str
    version: str | None
    fold: int
    method: str
    ranker: str
    seed: int
    tool: str

    def __str__(self) -> str:
        version = f"/{self.version}" if self.version else ""
        return f"{self.method} on {self.dataset}{version}, fold {self.fold}, seed {self.seed}"


class Subject(NamedTuple):
    """What methods are run on: a data set in one version."""

    collection: str
    dataset: str
    version: str | None

    @classmethod
    def of(cls, name: TaskName) -> Subject:
        """The subject of a task."""
        return cls(name.collection, name.dataset, name.version)


def list_subject_forms(subject: Subject) -> tuple[str, str, str]:
    """What a subject may be called, the shortest name first."""
    longer = f"{subject.dataset}/{subject.version}"
    return subject.dataset, longer, f"{subject.collection}/{longer}"


def name_subjects(subjects: Iterable[Subject]) -> dict[Subject, str]:
    """The shortest name of each subject that tells it from the others: OHSUMED, or OHSUMED/MIN."""
    wanted = list(dict.fromkeys(subjects))
    forms = [list_subject_forms(one) for one in wanted]
    counts = Counter(form for own in forms for form in own)
    return {
        one: next((form for form in own if counts[form] == 1), own[-1])
        for one, own in zip(wanted, forms, strict=True)
    }


@dataclass(frozen=True, eq=False)
class StoredValue:
    """One measure under one tool on one part: the mean and the value of every query.

    `values` are in the order of `queries` of the outcome's part; NaN where a query has none.
    """

    part: Part
    tool: str
    measure: str
    mean: float
    query_ids: tuple[str, ...] = ()
    values: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Tried:
    """One combination of hyper-parameters and its figure on validation, or why it has none."""

    parameters: Mapping[str, Any]
    value: float | None
    seconds: float
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class TaskOutcome:
    """How a task ended: `done` with figures, or `failed` with a kind of failure and a sentence.

    `kept` are what was asked to be kept of it: its model as a model file has it, and scores, one a
    document in the order of the part's rows, as float64 in little-endian order.
    """

    ending: Ending
    kind: FailureKind | None = None
    reason: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    tried: tuple[Tried, ...] = ()
    values: tuple[StoredValue, ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    environment: Mapping[str, Any] = field(default_factory=dict)
    kept: Mapping[KeptName, bytes] = field(default_factory=dict)

    @classmethod
    def failure(cls, kind: FailureKind, reason: str, **known: Any) -> TaskOutcome:
        """A task that did not come to its end."""
        return cls("failed", kind, reason, **known)


class TaskChoice(NamedTuple):
    """What chose in a task, by its inputs and facts, and what its training had to remark.

    `parts` are those that the training queries were cut into without a validation part, `equals`
    the combinations with the best value. Both are None where there was one combination only.
    """

    name: TaskName
    measure: str
    tool: str
    parts: int | None
    equals: int | None
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class StoredTask:
    """A task as the store lists it."""

    number: int
    key: str
    name: TaskName
    ending: Ending
    kind: FailureKind | None
    reason: str | None
    parameters: Mapping[str, Any]
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    finished: str


class KeptItem(NamedTuple):
    """A model or scores that a store keeps: of which task, and how many bytes.

    The size is that of a model file, or eight bytes a score; a store packs them.
    """

    key: str
    name: TaskName
    what: KeptName
    size: int


class TaskValue(NamedTuple):
    """The value of a measure under a tool in one task: the mean over the queries of a part.

    The measure has its name in tables; stores hold the one that was asked for (`AP` for `MAP`).
    """

    task: int
    name: TaskName
    part: Part
    tool: str
    measure: str
    value: float


class QueryValues(NamedTuple):
    """The queries of a part and the value of each."""

    query_ids: list[str]
    values: NDArray[np.float64]


class ValueChange(NamedTuple):
    """A value in two stores; None where one of them lacks it."""

    collection: str
    dataset: str
    version: str | None
    fold: int
    method: str
    seed: int
    measure: str
    tool: str
    before: float | None
    after: float | None
