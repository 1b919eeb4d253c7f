/* The squared errors of a comparing network on pairs, and their slopes. */
#include "core.h"

#include <math.h>

/* sum over pairs (x, y) of (1 - N(x, y))^2 + N(y, x)^2, N the logistic function of

       sum_h weights[0, h] tanh(own[x, h] + other[y, h])
         + weights[1, h] tanh(own[y, h] + other[x, h]) + weights[2, 0];

   its slopes are added to `in_own`, `in_other` and `in_weights`. `room` holds two numbers for each
   of the `units`. */
RANKWISE_API double rankwise_comparison_errors(const double *own, const double *other,
                                               const double *weights, int64_t units,
                                               const int64_t *better, const int64_t *worse,
                                               int64_t pairs, double *room, double *in_own,
                                               double *in_other, double *in_weights)
{
    const double *first_weights = weights, *second_weights = weights + units;
    double *straight = room, *crossed = room + units, total = 0.0;
    for (int64_t place = 0; place < pairs; place++) {
        int64_t x = better[place] * units, y = worse[place] * units;
        double above = weights[2 * units], below = weights[2 * units];
        for (int64_t h = 0; h < units; h++) {
            straight[h] = tanh(own[x + h] + other[y + h]);
            crossed[h] = tanh(own[y + h] + other[x + h]);
            above += first_weights[h] * straight[h] + second_weights[h] * crossed[h];
            below += first_weights[h] * crossed[h] + second_weights[h] * straight[h];
        }
        double first = 1.0 / (1.0 + exp(-above)), second = 1.0 / (1.0 + exp(-below));
        double missed = (1.0 - first) * (1.0 - first), won = second * second;
        total += missed + won;
        double in_above = -2.0 * missed * first, in_below = 2.0 * won * (1.0 - second);
        in_weights[2 * units] += in_above + in_below;
        for (int64_t h = 0; h < units; h++) {
            double along = straight[h], across = crossed[h];
            in_weights[h] += in_above * along + in_below * across;
            in_weights[units + h] += in_above * across + in_below * along;
            double slope = (first_weights[h] * in_above + second_weights[h] * in_below)
                           * (1.0 - along * along);
            in_own[x + h] += slope;
            in_other[y + h] += slope;
            slope = (second_weights[h] * in_above + first_weights[h] * in_below)
                    * (1.0 - across * across);
            in_own[y + h] += slope;
            in_other[x + h] += slope;
        }
    }
    return total;
}
