"""Measures: pure functions on flat arrays, and every tool's convention for them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
