"""The contract of wrappers: a ranker that trains another, named by its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.rankers.parameters import parameter, split_settings, write_settings
from rankwise.rankers.ranker import Family, Ranker, Training
from rankwise.rankers.registry import find_ranker, make_ranker, parse_settings


@dataclass(frozen=True)
class Wrapper(Ranker):
    """A ranker around the ranker `of`, which has the hyper-parameters `settings`.

    Both are ordinary parameters: model files, keys of stores and lists of rankers show them as any
    other. `settings` is the text `name=value,name=value`; a mapping is taken too and kept as text.
    Experiments reach the parameters of the wrapped ranker one by one as `of.NAME`, in `set`,
    `grid` and `draw`; its own grid is tried where none of them is given.

    A subclass trains by `fit_wrapped`, as often as it needs, and returns a scorer that holds what
    came of it (`rankwise.models.scorers.scorer`). NULL, weights, a measure and random numbers
    (`takes_over`) are for the wrapper what they are for the wrapped ranker; sparse data become an
    array.
    """

    family: ClassVar[Family] = "wrapper"
    paper: ClassVar[str] = "own"
    takes_weights: ClassVar[bool] = True
    takes_over: ClassVar[tuple[str, ...]] = (
        "handles_null",
        "takes_weights",
        "uses_measure",
        "random",
    )
    """What of the class is as the wrapped ranker has it, once it is known which that is."""

    of: str = parameter(
        "ridge-regression", "the ranker that is wrapped: a registered name, or module:Name"
    )
    settings: str = parameter(
        "", "hyper-parameters of the wrapped ranker, written name=value,name=value"
    )

    def __post_init__(self) -> None:
        if isinstance(self.settings, Mapping):
            object.__setattr__(self, "settings", write_settings(self.settings))
        for name in ("of", "settings"):
            if not isinstance(getattr(self, name), str):
                raise RankwiseError(
                    f"{self.name}: {name} must be a text, found {getattr(self, name)!r}"
                )
        super().__post_init__()
        for fact in self.takes_over:
            object.__setattr__(self, fact, getattr(self.wrapped, fact))

    @cached_property
    def wrapped(self) -> Ranker:
        """The ranker that is wrapped, with its hyper-parameters."""
        found = find_ranker(self.of)
        return make_ranker(found, **parse_settings(found, split_settings(self.settings)))

    def trains_under_tool(self) -> bool:
        """Whether the wrapped ranker does."""
        return self.wrapped.trains_under_tool()

    def fit_wrapped(self, training: Training) -> Model:
        """The model of the wrapped ranker, to the bit the one that it learns alone."""
        return self.wrapped.fit(
            training.train, training.validation, seed=training.seed, watch=training.watch
        )


def layers_of(ranker: Ranker) -> Iterator[Ranker]:
    """The rankers within a ranker, from the outside in; none where it wraps none."""
    while isinstance(ranker, Wrapper):
        ranker = ranker.wrapped
        yield ranker
