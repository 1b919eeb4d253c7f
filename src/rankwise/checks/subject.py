"""A ranker under examination: set to train quickly, its refusals told apart from its defects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rankwise.checks.elsewhere import Elsewhere
from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile, as_text
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.scorers.registry import scorer_kinds

# Parameters that say how long to train; the laws do not need long training.
_LENGTHS = {"rounds": 60, "trees": 20, "epochs": 20, "restarts": 1, "starts": 1, "steps": 5,
            "n_estimators": 60, "bags": 5, "generations": 20}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ExaminedRanker:
    """A ranker and how it is examined.

    Attributes:
        ranker: the class.
        reference: by which another process finds it.
        parameters: hyper-parameters that it is examined with.
        refuses: names of the laws on data without an order in which it must refuse to train, and
            trains in all others; None allows both.
        elsewhere: the other processes in which it is trained.
    """

    ranker: type[Ranker]
    reference: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    refuses: frozenset[str] | None = None
    elsewhere: Elsewhere = field(default_factory=Elsewhere)

    def quick(self, **changes: Any) -> Ranker:
        """The ranker with its defaults, but short training."""
        short = {
            one.name: min(one.default, _LENGTHS[one.name])
            for one in parameters_of(self.ranker)
            if one.name in _LENGTHS and isinstance(one.default, int)
        }
        return self.ranker(**{**short, **self.parameters, **changes})

    @cached_property
    def trained(self) -> Model:
        """One model for the laws that only look at models."""
        return self.quick().fit(planted(), planted(12, seed=1), seed=3)

    @cached_property
    def trained_alone(self) -> Model:
        """One model without validation data, for the laws that compare others with it."""
        return self.quick().fit(planted())

    @property
    def declares_bounds(self) -> bool:
        """Whether its parameters say what values they may have; those of a signature do not."""
        return not any(one.free for one in parameters_of(self.ranker))


def is_writable(model: Model) -> bool:
    """Whether a model file can hold it."""
    return model.scorer.kind in scorer_kinds()


def fingerprint(model: Model, data: Dataset) -> bytes:
    """Everything that the model file would hold, where there can be one, and the scores."""
    content = as_text(ModelFile(model, "")).encode() if is_writable(model) else b""
    return content + model.score(data).tobytes()
