"""Experiments: training, tuning and judging rankers, on one machine or a cluster."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
