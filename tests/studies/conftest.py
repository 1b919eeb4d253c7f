"""The small folds that experiments are tested on."""

from tests.experiments.conftest import folds

__all__ = ["folds"]
