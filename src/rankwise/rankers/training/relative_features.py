"""Features as pairs of documents see them: relative to their query, large ones scaled down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError


@dataclass(frozen=True, eq=False)
class RelativeFeatures:
    """The linear map z_i = (x_i − x_first(i)) / scale, never written out.

    A loss of score differences within the query cannot see the query's first document x_first,
    which every row is counted from: large offsets then cost no precision. The matrix itself is
    read where it lies, so that training needs no second copy of the data.

    Attributes:
        features: (documents, features), as in the data set.
        query_offsets: as in the data set.
        scales: one divisor per feature.
    """

    features: NDArray[np.float64]
    query_offsets: NDArray[np.int64]
    scales: NDArray[np.float64]

    @classmethod
    def of(cls, dataset: Dataset, scale_large: bool) -> RelativeFeatures:
        """The rows of a data set; `scale_large` divides feature j by max(1, σ_j).

        σ_j is the root mean square distance from the mean in the query. Features in [0, 1], such
        as LETOR's QueryLevelNorm, have σ_j ≤ 1/2 and are left alone; a feature of 1e9 becomes one
        of 1, without which λ would not count and no solver would get anywhere.
        """
        from rankwise.rankers.training.relative_features_kernel import deviations

        features = np.ascontiguousarray(dataset.features).view()
        features.flags.writeable = False
        found = deviations(features, dataset.query_offsets)
        if not np.isfinite(found).all():
            column = int(np.flatnonzero(~np.isfinite(found))[0]) + 1
            raise RankwiseError(
                "features must have squares that a number can hold (below about 1e150), "
                f"found larger ones in feature {column}; scale it down first"
            )
        scales = np.maximum(found, 1.0) if scale_large else np.ones(len(found))
        return cls(features, dataset.query_offsets, scales)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """w · z_i for every document."""
        from rankwise.rankers.training.relative_features_kernel import relative_scores

        return relative_scores(self.features, self.query_offsets, weights / self.scales)

    def combine(self, slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ_i g_i z_i: what slopes in the scores are in the weights."""
        from rankwise.rankers.training.relative_features_kernel import relative_sums

        return relative_sums(self.features, self.query_offsets, slopes) / self.scales

    def plain_weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights for features as they stand in files: the same order of documents."""
        return weights / self.scales
