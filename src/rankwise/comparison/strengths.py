"""Strengths: what Bradley-Terry and Plackett-Luce models make of the same sparse table.

A second opinion beside winning numbers: a win over a strong rival counts for more than one over
a weak rival, which matters where methods met different rivals.

Bradley and Terry (1952), "Rank analysis of incomplete block designs", Biometrika 39; Plackett
(1975), "The analysis of permutations", Applied Statistics 24; Hunter (2004), "MM algorithms for
generalized Bradley-Terry models", Annals of Statistics 32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.meetings import Meetings, count_meetings
from rankwise.comparison.ranking import Comparison
from rankwise.errors import RankwiseError

Model = Literal["bradley-terry", "plackett-luce"]
Regularization = Literal["virtual-tie", "none"]
REGULARIZATIONS: tuple[Regularization, ...] = ("virtual-tie", "none")


@dataclass(frozen=True)
class Strength:
    """A method's log-strength; e to the difference of two is the odds of one beating the other.

    `standard_error` comes from the curvature of the likelihood, and is None for Plackett-Luce. It
    takes cells as independent, which the measures of one data set are not: it is too small.
    """

    method: str
    strength: float
    standard_error: float | None


@dataclass(frozen=True)
class Strengths:
    """Log-strengths of all methods that met a rival, strongest first.

    Without regularization their mean is 0; with it, 0 is the strength of the imagined method.
    `groups` are the sets of methods joined by shared cells. Where there are several, `remark` says
    in a sentence that nothing compares methods of different groups.
    """

    model: Model
    regularization: Regularization
    strengths: tuple[Strength, ...]
    groups: tuple[tuple[str, ...], ...]
    remark: str | None

    def by_method(self) -> dict[str, float]:
        """Log-strength by method."""
        return {one.method: one.strength for one in self.strengths}


def fit_bradley_terry(
    comparison: Comparison, regularization: Regularization = "virtual-tie"
) -> Strengths:
    """P(i beats j) = 1 / (1 + exp(λ_j - λ_i)) with the λ of highest likelihood.

    Every pair of results in a cell is one comparison; a tie is half a win for each. With `none`
    the maximum exists only where wins lead from every method to every other, and is refused
    elsewhere. `virtual-tie` gives each method one tie with an imagined method of strength 0, which
    makes the maximum exist and pulls methods with few results towards it.
    """
    from rankwise.comparison.likelihoods import fit_pairs

    met = _checked(comparison, regularization)
    strength, errors = fit_pairs(met.wins + met.ties / 2, _virtual_ties(regularization))
    return _ordered("bradley-terry", regularization, met, strength, errors)


def fit_plackett_luce(
    comparison: Comparison, regularization: Regularization = "virtual-tie"
) -> Strengths:
    """Each cell is a ranking, and each of its places a choice among those ranked below:

        P(i is chosen) = exp(λ_i) / (exp(λ_i) + Σ_{j below i} exp(λ_j)).

    Tied methods are not compared with each other, as a tie is no win. Regularization as in
    `fit_bradley_terry`; both models agree where every cell holds two untied results.
    """
    from rankwise.comparison.likelihoods import fit_rankings

    met = _checked(comparison, regularization, ties_join=False)
    strength = fit_rankings(comparison.cells, met.codes, _virtual_ties(regularization))
    errors = np.full(len(strength), np.nan)
    return _ordered("plackett-luce", regularization, met, strength, errors)


def _checked(
    comparison: Comparison, regularization: Regularization, ties_join: bool = True
) -> Meetings:
    if regularization not in REGULARIZATIONS:
        raise RankwiseError(
            f"the regularization must be one of {', '.join(REGULARIZATIONS)}; "
            f"found {regularization!r}"
        )
    met = count_meetings(comparison.cells)
    if not ties_join:
        met = Meetings(met.methods, met.codes, met.wins, np.zeros_like(met.ties))
    if regularization == "none":
        met.check_reachable()
    return met


def _virtual_ties(regularization: Regularization) -> float:
    return 1.0 if regularization == "virtual-tie" else 0.0


def _ordered(
    model: Model,
    regularization: Regularization,
    met: Meetings,
    strength: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> Strengths:
    found = [
        Strength(name, value, None if np.isnan(error) else error)
        for name, value, error in zip(met.methods, strength.tolist(), errors.tolist(), strict=True)
    ]
    found.sort(key=lambda one: (-one.strength, one.method))
    groups = met.groups()
    return Strengths(model, regularization, tuple(found), groups, _remark(groups))


def _remark(groups: tuple[tuple[str, ...], ...]) -> str | None:
    if len(groups) == 1:
        return None
    outside = sum(len(group) for group in groups[1:])
    return (
        f"The methods fall into {len(groups)} groups that share no data set and measure, so "
        f"strengths compare methods of one group only: {len(groups[0])} methods are in the largest "
        f"group, {outside} outside it, {groups[1][0]} among them."
    )
