"""The arena: a leaderboard with hidden labels, without the HTTP that `rankwise.arena.web` adds."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
