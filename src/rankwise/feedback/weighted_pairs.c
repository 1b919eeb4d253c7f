/* The squared hinge of weighted documents against all others of their query. */
#include "core.h"

/* Σ_i u_i Σ_{j ≠ i} max(0, 1 - s_i + s_j)² over the documents of one query after the other; its
   slopes in the scores go into `slopes`. */
RANKWISE_API double rankwise_weighted_hinge(const double *scores, const double *weights,
                                            const int64_t *offsets, int64_t queries,
                                            double *slopes)
{
    double total = 0.0;
    for (int64_t row = offsets[0]; row < offsets[queries]; row++)
        slopes[row] = 0.0;
    for (int64_t query = 0; query < queries; query++)
        for (int64_t better = offsets[query]; better < offsets[query + 1]; better++) {
            double weight = weights[better], push = 0.0, cost = 0.0;
            if (weight == 0.0)
                continue;
            for (int64_t worse = offsets[query]; worse < offsets[query + 1]; worse++) {
                double margin = 1.0 - scores[better] + scores[worse];
                if (worse == better || margin <= 0.0)
                    continue;
                cost += margin * margin;
                push += margin;
                slopes[worse] += 2.0 * weight * margin;
            }
            total += weight * cost;
            slopes[better] -= 2.0 * weight * push;
        }
    return total;
}
