"""From a corpus, queries and judgements to a data set with features, folds and metadata."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
