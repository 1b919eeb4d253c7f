"""Data sets: reading, writing, folds, normalization, checks, and the catalogue of known ones."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
