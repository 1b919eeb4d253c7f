"""Results: tables in long form, one row a value, and the store that experiments write them to."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
