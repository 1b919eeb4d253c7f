"""Cut a data set into the parts S1, S2, … from which folds are composed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.seeds import check_seed


def cut_into_parts(
    dataset: Dataset,
    n_parts: int = 5,
    *,
    seed: int | None = 0,
    sizes: Sequence[int] | None = None,
) -> list[Dataset]:
    """Parts with about equal numbers of queries; a query is never divided.

    Args:
        dataset: what to cut.
        n_parts: how many parts; LETOR has five.
        seed: queries are drawn at random from this seed and stand in each part in the order of
            the data set; None cuts the data set into runs of queries, as LETOR's parts are.
        sizes: the number of queries of each part, where `even_sizes` is not wanted. LETOR was
            not of one mind: OHSUMED's 106 queries are cut into 21, 21, 21, 21, 22, as is done
            here, but MQ2008's 784 into 157, 157, 157, 157, 156.
    """
    chosen = even_sizes(dataset.n_queries, n_parts) if sizes is None else list(sizes)
    _check_sizes(chosen, dataset.n_queries)
    numbers = np.arange(dataset.n_queries, dtype=np.int64)
    if seed is not None:
        numbers = np.random.default_rng(check_seed(seed)).permutation(numbers)
    cuts = np.cumsum(chosen)[:-1]
    return [dataset.select_queries(np.sort(part)) for part in np.split(numbers, cuts)]


def even_sizes(n_queries: int, n_parts: int) -> list[int]:
    """Sizes that differ by at most one query, the larger ones last."""
    if n_parts < 1:
        raise RankwiseError(f"the number of parts must be at least 1, found {n_parts}")
    size, remainder = divmod(n_queries, n_parts)
    return [size + (part >= n_parts - remainder) for part in range(n_parts)]


def _check_sizes(sizes: Sequence[int], n_queries: int) -> None:
    if min(sizes, default=0) < 1:
        raise RankwiseError(
            f"every part needs at least one query: {n_queries} queries cannot be cut into "
            f"{len(sizes)} parts of {', '.join(map(str, sizes))} queries"
        )
    if sum(sizes) != n_queries:
        raise RankwiseError(
            f"the sizes of the parts must add up to the {n_queries} queries of the data set, "
            f"found {' + '.join(map(str, sizes))} = {sum(sizes)}"
        )
