"""How long a method takes on data of a size: a power law fitted over the data sets of a table.

With y the logarithm of the seconds of a tuned fold, averaged over folds and seeds, and x the
logarithm of documents × features,

    y(d, m) = a(m) + b · x(d) + e(d, m),

by least squares with one b for all methods, or one for each family; whichever predicts a data set
better that was left out. The prediction of a method at x has the variance

    σ² (1 + 1 / n(m) + (x - x̄)² / Σ_d (x(d) - x̄)²),

n(m) being the data sets on which m has a time. What makes a data set slow makes it slow for all
methods, so the data sets D, not the times, are what is counted: t has D - 2 degrees of freedom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native.distributions import student_quantile

Table = NDArray[np.float64]

SHARED, BY_FAMILY = "shared", "family"


@dataclass(frozen=True)
class TimeErrors:
    """How far times of left-out data sets were from their predictions, as a factor.

    exp(√(mean of squared differences of logarithms)): 2 means that a time is usually within half
    and twice the predicted one. NaN where nothing could be left out.
    """

    shared: float
    family: float

    @property
    def slopes(self) -> str:
        """Which slopes predict better; one for all where both do equally well."""
        return BY_FAMILY if self.family < self.shared else SHARED


@dataclass(frozen=True)
class ExpectedTime:
    """Seconds, and between which two they are with 95 %; NaN where too few data sets tell."""

    seconds: float
    low: float
    high: float

    def times(self, factor: float) -> ExpectedTime:
        """So many of them."""
        return ExpectedTime(self.seconds * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True, eq=False)
class TimeModel:
    """A fitted power law.

    Attributes:
        slopes: b of each method.
        centres: (2, methods): the means of x and y over the data sets of each method; NaN for
            methods without any time.
        counts: on how many data sets each method has a time.
        deviation: σ.
        centre, spread: x̄ and Σ_d (x(d) - x̄)² over data sets.
        datasets: how many there are.
    """

    slopes: Table
    centres: Table
    counts: NDArray[np.int64]
    deviation: float
    centre: float
    spread: float
    datasets: int

    def predict(self, size: float, method: int) -> ExpectedTime | None:
        """The time of a tuned fold of data with documents × features = `size`."""
        if not self.counts[method]:
            return None
        x = math.log(size)
        middle = self.expect(x, method)
        far = (x - self.centre) ** 2 / self.spread if self.spread > 0 else 0.0
        wide = self.deviation * math.sqrt(1.0 + 1.0 / self.counts[method] + far)
        reach = student_quantile(self.datasets - 2, 0.975) * wide
        low, middle, high = (_exponential(one) for one in (middle - reach, middle, middle + reach))
        return ExpectedTime(middle, low, high)

    def expect(self, x: float, method: int) -> float:
        """a(m) + b · x, of a method that has times."""
        known_x, known_y = self.centres[:, method]
        return float(known_y + self.slopes[method] * (x - known_x))


def fit_times(
    sizes: Table, log_seconds: Table, families: tuple[str, ...], slopes: str = SHARED
) -> TimeModel:
    """Fit the law; `sizes` are documents × features, one per row of `log_seconds`."""
    x = np.log(sizes)
    known = ~np.isnan(log_seconds)
    counts = known.sum(axis=0)
    divisor = np.where(counts, counts, 1)
    of_x = np.where(counts, (known * x[:, None]).sum(axis=0) / divisor, np.nan)
    of_y = np.where(counts, np.where(known, log_seconds, 0.0).sum(axis=0) / divisor, np.nan)
    moved = np.where(known, x[:, None] - of_x, 0.0)
    change = np.where(known, log_seconds - of_y, 0.0)
    groups = np.array(families if slopes == BY_FAMILY else [SHARED] * len(families))
    fitted = np.zeros(len(groups))
    for group in dict.fromkeys(groups.tolist()):
        own = groups == group
        squares = float((moved[:, own] ** 2).sum())
        if squares > 0:
            fitted[own] = float((moved[:, own] * change[:, own]).sum()) / squares
    left = np.where(known, change - fitted * moved, 0.0)
    free = int(known.sum()) - int((counts > 0).sum()) - len(set(groups.tolist()))
    deviation = math.sqrt(float((left**2).sum()) / free) if free > 0 else math.nan
    used = known.any(axis=1)
    centre = float(x[used].mean()) if used.any() else 0.0
    spread = float(((x[used] - centre) ** 2).sum())
    return TimeModel(
        fitted, np.array([of_x, of_y]), counts, deviation, centre, spread, int(used.sum())
    )


def compare_slopes(sizes: Table, log_seconds: Table, families: tuple[str, ...]) -> TimeErrors:
    """The errors of both laws on data sets that they were not fitted to."""
    return TimeErrors(
        _left_out_factor(sizes, log_seconds, families, SHARED),
        _left_out_factor(sizes, log_seconds, families, BY_FAMILY),
    )


def _left_out_factor(
    sizes: Table, log_seconds: Table, families: tuple[str, ...], slopes: str
) -> float:
    errors: list[float] = []
    for out in range(len(sizes)):
        rest = np.arange(len(sizes)) != out
        model = fit_times(sizes[rest], log_seconds[rest], families, slopes)
        for method in np.flatnonzero(~np.isnan(log_seconds[out]) & (model.counts > 0)):
            expected = model.expect(math.log(sizes[out]), int(method))
            errors.append(expected - float(log_seconds[out, method]))
    return math.exp(math.sqrt(float(np.mean(np.square(errors))))) if errors else math.nan


def _exponential(x: float) -> float:
    """e^x, infinite beyond doubles."""
    return math.exp(x) if x < 700 else math.inf
