"""Published results, each with its citation, and checks for what is doubtful in them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
