"""Models: on disk in one format, described, scored with, explained, exported and verified."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
