/* The likelihood of rankings under Plackett and Luce, with its gradient, in one pass each way;
   declared in likelihoods.py. */
#include "core.h"

#include <math.h>

/* Σ over results with something below: λ_i - log(exp(λ_i) + Σ_{j below} exp(λ_j)).

   Results rise in value inside each cell, which begins at cell_first[i]; a result's equals begin at
   level_first[i]. The gradient is added to `gradient`, which has one place a method; `below` and
   `chosen` are room for one number a result. NaN where a method is not one of `methods`. */
RANKWISE_API double rankwise_plackett_luce(const double *strength, int64_t methods,
                                           const int64_t *method, const int64_t *cell_first,
                                           const int64_t *level_first, int64_t results,
                                           double *below, double *chosen, double *gradient)
{
    double total = 0.0, running = 0.0, above = 0.0, pending = 0.0;
    for (int64_t i = 0; i < results; i++) {
        if (method[i] < 0 || method[i] >= methods)
            return NAN;
        if (i == cell_first[i])
            running = 0.0;
        below[i] = i == 0 || i == level_first[i] ? running : below[i - 1];
        double weight = exp(strength[method[i]]);
        running += weight;
        chosen[i] = 0.0;
        if (level_first[i] > cell_first[i]) {
            double whole = weight + below[i];
            total += strength[method[i]] - log(whole);
            gradient[method[i]] += below[i] / whole;
            chosen[i] = 1.0 / whole;
        }
    }
    /* What lies below a choice was passed over with probability weight / whole, for every choice above. */
    for (int64_t i = results - 1; i >= 0; i--) {
        if (i == results - 1 || cell_first[i + 1] != cell_first[i]) {
            above = 0.0;
            pending = 0.0;
        } else if (level_first[i + 1] != level_first[i]) {
            above += pending;
            pending = 0.0;
        }
        gradient[method[i]] -= exp(strength[method[i]]) * above;
        pending += chosen[i];
    }
    return total;
}
