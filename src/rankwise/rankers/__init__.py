"""Rankers: every method behind one interface, registered by name, or a user's own."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
