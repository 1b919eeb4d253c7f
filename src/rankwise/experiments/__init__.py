"""Experiments: training, tuning and judging rankers, on one machine or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.experiments.training import TrainingFigure as TrainingFigure
    from rankwise.experiments.training import fit as fit
    from rankwise.experiments.training import fit_on_cluster as fit_on_cluster
    from rankwise.experiments.training import measured_parameters as measured_parameters
    from rankwise.experiments.training import read_parts as read_parts
    from rankwise.experiments.training import training_figure as training_figure
else:
    homes = {
        "rankwise.experiments.training": (
            "TrainingFigure",
            "fit",
            "fit_on_cluster",
            "measured_parameters",
            "read_parts",
            "training_figure",
        ),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
