"""Feedback: simulated users, click logs, what they tell about rankers, and learners from them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
