"""RankBoost (Kernel-PCA): new features from the unlabelled documents of the query at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.rankers.boosting.query_projections import KERNELS
from rankwise.rankers.boosting.transductive_ranker import TransductiveBoostingRanker
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class RankBoostKernelPCA(TransductiveBoostingRanker):
    """For every query q to be ranked, RankBoost on the features (x, z_q(x)).

    z_q(x)_k = Σ_i v_ki k̃(x, x_i) / √λ_k: the first components of a kernel PCA on the documents
    x_i of q, whose labels nobody needs to know. Training documents are projected alike, RankBoost
    is trained on them, and its function ranks q alone. `rankboost` says what RankBoost is.

    So a model holds the training data, and scoring a query takes a training. The kernel is
    x · y, (1 + x · y / d)² or exp(−‖x − y‖² / d), d the number of features, which are counted from
    their mean in units of their deviation over the training data. Deviations: the paper's diffusion
    kernel is defined between the documents of a query only, and is left out; kernels are chosen
    on validation one by one, not together. The number of rounds is chosen on validation, where
    each query has a training of its own.

    Duh, Kirchhoff (2008). Learning to rank with partially-labeled data. SIGIR.
    """

    name: ClassVar[str] = "rankboost-kernel-pca"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Duh and Kirchhoff (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "features are standardised before kernels, whose widths are the number of features",
        "one kernel at a time, chosen on validation",
    )

    kernel: str = parameter(
        "rbf", "of the principal components", grid=("rbf", "linear"), choices=KERNELS
    )

    def _projection(self) -> str:
        return self.kernel
