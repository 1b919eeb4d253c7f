"""Which features matter, which can go, and what fewer of them do to the measures.

Qin, Liu, Xu and Li (2010), sections 5.2.2 and 5.2.3, name feature selection and dimensionality
reduction for ranking as directions that LETOR supports. Everything is learnt from training parts.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
