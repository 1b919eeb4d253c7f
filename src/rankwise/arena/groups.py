"""Groups of methods that paired tests do not separate, as letters.

Every pair of methods is compared by Student's paired t-test over the queries, the p-values are
adjusted by Holm over all pairs, and methods that share a letter are not separated at the level.
The letters are the maximal sets of methods of which no two are separated (Piepho 2004, An algorithm
for a letter-based representation of all-pairwise comparisons, Journal of Computational and
Graphical Statistics 13), found as the maximal cliques of Bron and Kerbosch (1973) with a pivot,
since a board of two hundred methods has twenty thousand pairs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance.paired_tests import TIE_DECIMALS, alike_p_value
from rankwise.comparison.significance.procedure import holm

MOST_LETTERS = 400

Values = NDArray[np.float64]
Matrix = NDArray[np.bool_]


def separate(values: Values, level: float) -> Matrix:
    """(methods, methods): which pairs the tests separate; rows of `values` are methods."""
    count = len(values)
    separated = np.zeros((count, count), dtype=bool)
    if count < 2 or values.shape[1] < 2:
        return separated
    first, second = np.triu_indices(count, 1)
    p_values = np.concatenate([_p_values(values[row], values[row + 1 :]) for row in range(count)])
    found = holm(p_values) < level
    separated[first[found], second[found]] = True
    return separated | separated.T


def _p_values(one: Values, others: Values) -> Values:
    """Of the paired t-tests of one method with several; those of `t_test` of each pair."""
    # Twenty thousand tails at once, where the compiled core gives one at a time.
    from scipy.special import stdtr

    differences = others - one
    queries = differences.shape[1]
    settled = np.round(differences, TIE_DECIMALS) + 0.0
    alike = (settled == settled[:, :1]).all(axis=1)
    deviation = differences.std(axis=1, ddof=1)
    deviation[alike] = 1.0
    statistics = np.abs(differences.mean(axis=1)) * math.sqrt(queries) / deviation
    p_values = np.minimum(1.0, 2.0 * stdtr(queries - 1, -statistics))
    p_values[alike] = [alike_p_value(common, queries) for common in settled[alike, 0].tolist()]
    return np.asarray(p_values, dtype=np.float64)


def letter_groups(separated: Matrix) -> list[tuple[str, ...]]:
    """For each method its letters, given in the order of the methods: a, b, … z, aa, ab, …

    Methods share a letter exactly where they are not separated. Where that would take more than
    `MOST_LETTERS`, as hostile entries could make it, letters go to runs of neighbours only: still
    none that share one are separated.
    """
    count = len(separated)
    sets = _find_sets(separated)
    if sets is None:
        sets = _find_runs(separated)
    members = [[place for place in range(count) if one >> place & 1] for one in sets]
    letters: list[list[str]] = [[] for _ in range(count)]
    for number, own in enumerate(sorted(members)):
        for member in own:
            letters[member].append(_letter(number))
    return [tuple(own) for own in letters]


def _find_sets(separated: Matrix) -> list[int] | None:
    """Largest sets without a separated pair, as bits; None where they are too many."""
    weights = [1 << place for place in range(len(separated))]
    alike = [
        sum(weight for weight, apart in zip(weights, row, strict=True) if not apart) & ~own
        for own, row in zip(weights, separated.tolist(), strict=True)
    ]
    found: list[int] = []
    # Sets that may still grow: their members, who may join, and who was tried before.
    growing = [(0, (1 << len(separated)) - 1, 0)]
    while growing:
        members, candidates, tried = growing.pop()
        if not candidates and not tried:
            found.append(members)
            if len(found) > MOST_LETTERS:
                return None
            continue
        pivot = max(
            _bits(candidates | tried), key=lambda one: (alike[one] & candidates).bit_count()
        )
        for one in _bits(candidates & ~alike[pivot]):
            growing.append((members | weights[one], candidates & alike[one], tried & alike[one]))
            candidates &= ~weights[one]
            tried |= weights[one]
    return found if len(separated) else []


def _bits(number: int) -> list[int]:
    """The places of the ones."""
    places = []
    while number:
        lowest = number & -number
        places.append(lowest.bit_length() - 1)
        number ^= lowest
    return places


def _find_runs(separated: Matrix) -> list[int]:
    """Longest runs of neighbours without a separated pair, as bits."""
    runs: list[int] = []
    reached = 0
    for begin in range(len(separated)):
        end = max(reached, begin + 1)
        while end < len(separated) and not separated[begin:end, end].any():
            end += 1
        if end > reached:
            runs.append(((1 << (end - begin)) - 1) << begin)
            reached = end
    return runs


def _letter(number: int) -> str:
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text
