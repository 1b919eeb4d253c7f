"""Scales that are taken anew for each query: QueryLevelNorm, z-score, sum.

In all of them NULL stays NULL and takes no part in the figures of its query; `fill_null` comes
first where a learner cannot do with it. x is a feature's value in a document of the query.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.arithmetic import power_of_two
from rankwise.data.normalization.blocks import Block, refuse_infinite
from rankwise.data.normalization.transforming import transformed


def query_level_norm(dataset: Dataset) -> Dataset:
    """QueryLevelNorm: (x − min) / (max − min) over the query, 0 where max = min.

    The paper gives no formula (Qin, Liu, Xu and Li 2010, section 3.5); this one reproduces the
    published files from Feature_MIN as printed, with six decimals. In place of the quotient's 0
    they have the bare character `0` where max = min, which is a matter of writing.
    """
    return transformed(dataset, _between_least_and_greatest)


def query_level_z_score(dataset: Dataset) -> Dataset:
    """(x − mean) / deviation over the query, with deviation² = Σ (x − mean)² / (n − 1).

    n − 1 as RankLib's `zscore`; where all values are equal RankLib leaves them as they are, here
    they become 0, as in all other scales.
    """
    return transformed(dataset, _z_scores)


def query_level_sum(dataset: Dataset) -> Dataset:
    """x / Σ |x| over the query, 0 where all values are 0; as RankLib's `sum`.

    Unlike the other scales it does not move a constant feature to 0, but to ±1 / n.
    """
    return transformed(dataset, _shares)


def _between_least_and_greatest(block: Block) -> NDArray[np.float64]:
    values = block.values
    least, greatest = _extremes(block)
    with np.errstate(over="ignore"):
        spread = greatest - least
    if np.isinf(spread).any():
        # The range exceeds the largest double, its half does not.
        values, least, spread = values / 2, least / 2, greatest / 2 - least / 2
    return _quotients(block, values - block.on_rows(least), spread)


def _z_scores(block: Block) -> NDArray[np.float64]:
    least, greatest = _extremes(block)
    unit = power_of_two(np.fmax(-least, greatest))
    least, greatest = least / unit, greatest / unit
    # The mean of values that differ by little has lost their digits; that of distances from the
    # least has not.
    distance = power_of_two(greatest - least)
    values = (block.values / block.on_rows(unit) - block.on_rows(least)) / block.on_rows(distance)
    absent = np.isnan(values)
    n = block.total((~absent).astype(np.float64))
    mean = block.total(np.where(absent, 0.0, values)) / np.maximum(n, 1.0)
    shifted = values - block.on_rows(mean)
    variance = block.total(np.square(np.where(absent, 0.0, shifted))) / np.maximum(n - 1.0, 1.0)
    return _quotients(block, shifted, np.sqrt(variance))


def _shares(block: Block) -> NDArray[np.float64]:
    least, greatest = _extremes(block)
    values = block.values / block.on_rows(power_of_two(np.fmax(-least, greatest)))
    total = block.total(np.where(np.isnan(values), 0.0, np.abs(values)))
    return _quotients(block, values, total)


def _extremes(block: Block) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    least, greatest = block.least(), block.greatest()
    if np.isinf(least).any() or np.isinf(greatest).any():
        refuse_infinite(block)
    return least, greatest


def _quotients(
    block: Block, dividends: NDArray[np.float64], divisors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Dividends of rows by divisors of queries; a divisor of 0 has only dividends of 0."""
    dividends /= block.on_rows(np.where(divisors == 0, 1.0, divisors))
    return dividends
