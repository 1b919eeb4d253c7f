"""Where documents overtake each other along a line, and what that does to a measure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def find_crossings(
    scores: Floats,
    column: Floats,
    gains: Floats,
    query_offsets: Integers,
    reach: float,
    ranks: Integers,
    better: Integers,
) -> tuple[Floats, Integers, Integers]:
    """All t in (−reach, reach) at which s_i + t x_i = s_j + t x_j, and who overtakes whom.

    Pairs without a gain are left out. `ranks` becomes the number of documents above each one that
    has a gain at t = −reach, `better` how many of those have a gain too. Whether a pair has crossed
    is asked of its own t alone, so that every rank changes as often as it is counted.
    """
    times, above, below = [0.0], [0], [0]
    ranks[:] = 0
    better[:] = 0
    for query in range(len(query_offsets) - 1):
        for i in range(query_offsets[query], query_offsets[query + 1]):
            for j in range(i + 1, query_offsets[query + 1]):
                if gains[i] == 0.0 and gains[j] == 0.0:
                    continue
                slope = column[i] - column[j]
                steep, flat = (i, j) if slope > 0.0 else (j, i)
                if slope == 0.0:
                    # They never cross; of equals the first in the file stands above.
                    first, last = (i, j) if scores[i] >= scores[j] else (j, i)
                else:
                    time = (scores[j] - scores[i]) / slope
                    first, last = (flat, steep) if time > -reach else (steep, flat)
                    if -reach < time < reach:
                        times.append(time)
                        above.append(steep)
                        below.append(flat)
                ranks[last] += 1
                better[last] += gains[first] > 0.0
    return np.array(times[1:]), np.array(above[1:]), np.array(below[1:])


@compiled
def follow_crossings(
    order: Integers,
    times: Floats,
    above: Integers,
    below: Integers,
    gains: Floats,
    discounts: Floats,
    ranks: Integers,
    better: Integers,
    reach: float,
) -> tuple[float, float]:
    """The middle of the interval between crossings with the highest sum, and the sum's rise.

    The sum is Σ_i g_i d(rank of i), or with no discounts Σ_i g_i (b_i + 1) / (rank of i + 1), b_i
    the documents with a gain above i: average precision. The rise is counted from the interval
    that holds t = 0; of equally high intervals the widest is taken.
    """
    total = highest = 0.0
    at_zero = 0.0
    begin = -reach
    best_begin, best_end, found = 0.0, 0.0, False
    for place in range(len(order) + 1):
        time = reach if place == len(order) else times[order[place]]
        if time > begin:
            if begin <= 0.0 < time:
                at_zero = total
            wider = total >= highest - 1e-12 and time - begin > best_end - best_begin
            if not found or total > highest + 1e-12 or wider:
                highest = max(total, highest) if found else total
                best_begin, best_end, found = begin, time, True
            begin = time
        if place == len(order):
            break
        a, b = above[order[place]], below[order[place]]
        total -= _part(a, gains, discounts, ranks, better)
        total -= _part(b, gains, discounts, ranks, better)
        ranks[a] -= 1
        ranks[b] += 1
        better[a] -= gains[b] > 0.0
        better[b] += gains[a] > 0.0
        total += _part(a, gains, discounts, ranks, better)
        total += _part(b, gains, discounts, ranks, better)
    return 0.5 * (best_begin + best_end), highest - at_zero


@compiled
def _part(
    document: int, gains: Floats, discounts: Floats, ranks: Integers, better: Integers
) -> float:
    gain = gains[document]
    if gain == 0.0:
        return 0.0
    rank = ranks[document]
    if len(discounts):
        return float(gain * discounts[rank])
    return float(gain * (better[document] + 1) / (rank + 1))
