"""RankBoost (SVD): singular vectors of the unlabelled documents of the query as new features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.rankers.boosting.query_projections import SVD
from rankwise.rankers.boosting.transductive_ranker import TransductiveBoostingRanker
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class RankBoostSVD(TransductiveBoostingRanker):
    """For every query q to be ranked, RankBoost on the features (x, V_q^T x).

    X_q = U Σ V_q^T has the documents of q as rows, each feature divided by its deviation over the
    training data; the right singular vectors of the greatest singular values make the new
    features, of training documents too. RankBoost (`rankboost`) trained on them ranks q alone, so
    that a model holds the training data and scoring a query takes a training.

    That unlabelled documents give singular vectors, and these new features of RankBoost, is known;
    which matrix is decomposed and how many vectors are kept is not: here it is, as in
    `rankboost-kernel-pca`, that of the query.

    Lin, Lin, Yang, Su (2009). A boosting approach for learning to rank using SVD with partially
    labeled data. AIRS.
    """

    name: ClassVar[str] = "rankboost-svd"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lin, Lin, Yang and Su (2009), AIRS"
    guesses: ClassVar[tuple[str, ...]] = (
        "the matrix is that of the documents of the query that is ranked",
        "how many singular vectors are kept",
    )

    components: int = parameter(
        5, "singular vectors of a query's documents at most", grid=(2, 5), lowest=1
    )

    def _projection(self) -> str:
        return SVD
