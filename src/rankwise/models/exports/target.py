"""What a target of an export is: who reads it, how each kind of model is written for it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError
from rankwise.models.model_file import ModelFile

if TYPE_CHECKING:
    from rankwise.models.certificate import Certificate


@dataclass(frozen=True)
class EngineNames:
    """What a search engine calls things: the model, and the store or set of its features."""

    model: str
    store: str | None = None


Content = tuple[str | bytes, list[str]]
"""What a writer gives: the file's content, and remarks where it is not exact."""
Writer = Callable[[ModelFile, EngineNames], Content]
Defined = tuple[Any, list[str]]
"""Feature definitions as plain JSON values, and remarks on what they leave open."""
Definitions = Callable[[ModelFile, EngineNames], Defined]


@dataclass(frozen=True)
class Treatment:
    """What the reader of a target does to features: said before anybody loses by it.

    Attributes:
        missing: what becomes of NULL.
        precision: in what precision features, thresholds and sums are held.
        zeros: whether 0 stands for anything but itself.
        missing_is_lost: whether NULL becomes something else without a word.
        single: whether features are rounded to single precision.
    """

    missing: str
    precision: str
    zeros: str = "0 is a value as any other"
    missing_is_lost: bool = False
    single: bool = False

    @property
    def lost_groups(self) -> tuple[str, ...]:
        """The groups of golden rows on which scores differ by the treatment itself."""
        null = ("NULL",) if self.missing_is_lost else ()
        return (*null, "at", "beside", "huge") if self.single else null


@dataclass(frozen=True)
class ExportFormat:
    """One layout.

    Attributes:
        name: as `--to` has it.
        readers: who reads it.
        suffix: how such files are usually called.
        writers: by kind of scorer, `module:function`.
        refusals: by kind of scorer, why the target cannot hold it.
        treatment: what its reader does to features.
        definitions: `module:function` of the feature definitions that its reader needs.
        runtime: `module:function` that opens such a file.
        drops_intercept: whether the intercept of linear models, which moves no document, has no
            place in it.
    """

    name: str
    readers: str
    suffix: str
    writers: Mapping[str, str]
    refusals: Mapping[str, str]
    treatment: Treatment
    runtime: str
    definitions: str = "rankwise.models.exports.plain_definitions:plain_definitions"
    drops_intercept: bool = False

    def write(self, file: ModelFile, names: EngineNames) -> Content:
        """The model in this layout; a RankwiseError where the target cannot hold it."""
        kind = file.model.scorer.kind
        self.refuse(kind)
        writer: Writer = _load(self.writers[kind])
        return writer(file, names)

    def refuse(self, kind: str) -> None:
        """Raise a RankwiseError that says why a kind of scorer has no place in it."""
        if kind not in self.writers:
            why = self.refusals.get(kind, "no such model is known there")
            raise RankwiseError(
                f"a model of the kind {kind!r} cannot be written as {self.name}: {why}"
            )

    def define_features(self, file: ModelFile, names: EngineNames) -> Defined:
        """The feature definitions that the reader needs."""
        definitions: Definitions = _load(self.definitions)
        return definitions(file, names)


@dataclass(frozen=True)
class Export:
    """What was written for the other tool, and what to know where it is not exact.

    Attributes:
        content: the bytes of the file.
        remarks: where scores differ from those here, a sentence each.
        features: the feature definitions, plain JSON values.
        left_out: a constant by which all scores there are lower.
        certificate: what was found out about the file, where it was written to one.
    """

    content: bytes = field(repr=False)
    remarks: tuple[str, ...] = ()
    features: Any = field(default=None, repr=False)
    left_out: float = 0.0
    certificate: Certificate | None = None

    @property
    def text(self) -> str:
        """The content of a layout that is text."""
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            raise RankwiseError("this layout is not text; take its content") from None


def _load(home: str) -> Any:
    module, name = home.split(":")
    return getattr(importlib.import_module(module), name)
