"""Tables: one value for every table, written for terminals, notebooks, papers and programs."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
