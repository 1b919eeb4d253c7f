"""Result randomization: in lists of chance, clicks differ by position alone."""

from __future__ import annotations

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.feedback.log import DisplayCounts
from rankwise.feedback.propensities.method import Floats, PropensityMethod


class Randomization(PropensityMethod):
    """θ_k ∝ clicks at k / displays at k, over sessions whose lists were shuffled.

    A document stands at every position equally often, so that the mean relevance at each position
    is the same. Refused is a log in which documents keep their places.

    Wang, Bendersky, Metzler, Najork (2016). Learning to rank with selection bias in personal
    search. SIGIR. Joachims, Swaminathan, Schnabel (2017). WSDM.
    """

    name = "randomization"
    paper = "Wang, Bendersky, Metzler and Najork (2016), SIGIR"

    def check(self, counts: DisplayCounts, deepest: int) -> None:
        """Documents that were often shown must have been shown at several positions."""
        _, places = np.unique(counts.rows, return_inverse=True)
        displays = np.bincount(places, weights=counts.shown)
        positions = np.bincount(places)
        often = displays >= 10.0
        if deepest > 1 and np.any(often) and np.median(positions[often]) < 2:
            raise RankwiseError(
                "result randomization needs lists in an order of chance, found documents that keep "
                "their position; make such lists, or estimate by harvesting or em"
            )

    def estimate(self, counts: DisplayCounts, deepest: int) -> Floats:
        """The share of clicks by position."""
        places = counts.positions - 1
        shown = np.bincount(places, weights=counts.shown, minlength=deepest)
        clicks = np.bincount(places, weights=counts.clicks, minlength=deepest)
        return (clicks + 1e-9) / np.maximum(shown, 1.0)
