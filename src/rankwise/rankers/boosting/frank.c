/* Sums of the fidelity loss over pairs, which are walked but never listed. */
#include "core.h"

#include <math.h>

/* Beyond this a pair is hopelessly wrong, and its weight, which falls with its root, is 0 in
   effect. */
#define HOPELESS 1e100

/* The loss; and, for all thresholds, the weights of the pairs that they put right or wrong.

   `rising` holds exp(F - m) and `falling` exp(m - F) with any m for each query, so that no pair
   needs an exponential of its own. A pair whose codes are a < b is told apart by the thresholds
   a + 1 .. b: its weight enters sums[side, feature] at a + 1 and leaves it at b + 1, so that the
   running sums are those of all thresholds. Side 0 is right (the better document has the higher
   code), side 1 wrong. `codes` are (documents, features); sums[side, feature] has `length` places,
   two more than the highest code, and begins as 0. */
RANKWISE_API double rankwise_fidelity_sums(const double *rising, const double *falling,
                                           const int64_t *order, const int64_t *worse,
                                           const int64_t *offsets, int64_t queries,
                                           const double *shares, const uint8_t *restrict codes,
                                           int64_t features, int64_t length,
                                           double *restrict sums)
{
    int64_t side = features * length;
    double loss = 0.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query];
        for (int64_t place = first; place < offsets[query + 1]; place++) {
            int64_t better = order[place];
            for (int64_t other = first; other < first + worse[place]; other++) {
                double e = rising[order[other]] * falling[better];
                if (e > HOPELESS)
                    e = HOPELESS;
                double root = sqrt(1.0 + e);
                loss += shares[query] * (1.0 - 1.0 / root);
                double weight = shares[query] * e / ((1.0 + e) * root);
                const uint8_t *restrict up = codes + better * features;
                const uint8_t *restrict down = codes + order[other] * features;
                /* Which code is higher no processor can foresee: no branch asks for it. */
                double *at = sums + 1;
                for (int64_t feature = 0; feature < features; feature++, at += length) {
                    uint32_t high = up[feature], low = down[feature];
                    uint32_t least = high < low ? high : low, most = high < low ? low : high;
                    double *own = at + (high < low ? side : 0);
                    own[least] += weight;
                    own[most] -= weight;
                }
            }
        }
    }
    return loss;
}
