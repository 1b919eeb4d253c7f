"""Groups of methods that paired tests do not separate, as letters.

Every pair of methods is compared by Student's paired t-test over the queries, the p-values are
adjusted by Holm over all pairs, and methods that share a letter are not separated at the level.
The letters are found by inserting each separated pair and absorbing sets that lie within others:
Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons, Journal
of Computational and Graphical Statistics 13.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance.corrections import holm
from rankwise.comparison.significance.differences import TIE_DECIMALS
from rankwise.comparison.significance.paired_tests import alike_p_value
from rankwise.native.distributions import student_tail

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
    """Of the paired t-tests of one method with several; equal to `t_test` of each pair."""
    if not len(others):
        return np.empty(0)
    differences = others - one
    queries = differences.shape[1]
    settled = np.round(differences, TIE_DECIMALS) + 0.0
    alike = (settled == settled[:, :1]).all(axis=1)
    deviation = differences.std(axis=1, ddof=1)
    deviation[alike] = 1.0
    statistics = np.abs(differences.mean(axis=1)) * math.sqrt(queries) / deviation
    return np.array(
        [
            alike_p_value(float(settled[row, 0]), queries)
            if alike[row]
            else min(1.0, 2.0 * student_tail(queries - 1, float(statistics[row])))
            for row in range(len(others))
        ]
    )


def letter_groups(separated: Matrix) -> list[tuple[str, ...]]:
    """For each method its letters, given in the order of the methods: a, b, … z, aa, ab, …"""
    count = len(separated)
    sets: list[frozenset[int]] = [frozenset(range(count))] if count else []
    for one, other in zip(*np.nonzero(np.triu(separated)), strict=True):
        sets = _insert(sets, int(one), int(other))
    ordered = sorted(sets, key=sorted)
    letters: list[list[str]] = [[] for _ in range(count)]
    for number, members in enumerate(ordered):
        for member in sorted(members):
            letters[member].append(_letter(number))
    return [tuple(own) for own in letters]


def _insert(sets: list[frozenset[int]], one: int, other: int) -> list[frozenset[int]]:
    """No set may have both; what lies within another set is dropped."""
    kept = [members for members in sets if not (one in members and other in members)]
    cut = [members for members in sets if one in members and other in members]
    made = [members - {left} for members in cut for left in (one, other)]
    for members in sorted(made, key=len, reverse=True):
        if not any(members <= larger for larger in kept):
            kept.append(members)
    return kept


def _letter(number: int) -> str:
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text
