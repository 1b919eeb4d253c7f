"""Rankwise: the benchmark platform for learning to rank.

    import rankwise as rw

    train, test = rw.read("train.txt"), rw.read("test.txt")
    model = rw.fit("lambdamart", train, "vali.txt", seed=0)
    rw.evaluate(test, model.score(test), ["NDCG@10", "MAP"], tool="letor4")

Every command of the command line has a function here, or one step below in its room
(`rw.data`, `rw.results`, …), which gives the same figures as values. The names are loaded when
they are first used, so that `import rankwise` stays quick.
"""

from lazy_loader import attach_stub

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
