"""What one asks about scores: their figures, why tools differ on them, and whether it is luck."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
