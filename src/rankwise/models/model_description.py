"""What a model file says: where the model came from, and what its features count."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.models.formats.format import exports_of
from rankwise.models.model_file import ModelFile, read_model_file
from rankwise.tables.notebook import Rows, Tabular, shortened


@dataclass(frozen=True)
class ModelDescription(Tabular):
    """Where a model came from.

    Attributes:
        ranker: its method, and `paper` the citation of that.
        parameters: hyper-parameters by name.
        training: what training found out.
        kind: the kind of scorer.
        features: their number.
        exports: the layouts that it can be written in.
        rankwise_version: the package that wrote the file.
        importance: by feature; the weights of a linear model.
    """

    ranker: str
    paper: str
    parameters: dict[str, Any]
    training: dict[str, Any]
    kind: str
    features: int
    exports: tuple[str, ...]
    rankwise_version: str
    importance: dict[str, float]

    def __repr__(self) -> str:
        return shortened(f"{self.ranker}, {self.kind}, {self.features} features ({self.paper})")

    def _table(self) -> Rows:
        return ("feature", "importance"), list(self.importance.items())


def describe_model(model: ModelFile | str | Path) -> ModelDescription:
    """The facts of a model file."""
    found = model if isinstance(model, ModelFile) else read_model_file(model)
    scorer = found.model.scorer
    values = scorer.importance().tolist()
    return ModelDescription(
        ranker=found.model.ranker,
        paper=found.paper,
        parameters=dict(found.model.parameters),
        training=dict(found.model.facts),
        kind=scorer.kind,
        features=scorer.n_features,
        exports=exports_of(scorer.kind),
        rankwise_version=found.rankwise_version,
        importance=dict(zip(found.names, values, strict=True)),
    )
