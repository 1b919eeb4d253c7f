/* What comparing each document with the others of its query adds up to, and its slopes. */
#include "core.h"

#include <math.h>

/* What each comparison of a query with this many documents counts. */
static double share_of(int64_t documents) { return 1.0 / (double)(documents > 2 ? documents - 1 : 1); }

/* Add 1/(n - 1) sum_k tanh(hidden[i, h] - hidden[k, h]) over the query of i to `potentials`. */
RANKWISE_API void rankwise_add_potentials(const double *hidden, int64_t units,
                                          const int64_t *offsets, int64_t queries,
                                          double *potentials)
{
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1];
        double share = share_of(last - first);
        for (int64_t i = first; i < last; i++)
            for (int64_t k = first; k < i; k++)
                for (int64_t unit = 0; unit < units; unit++) {
                    double value = share * tanh(hidden[i * units + unit] - hidden[k * units + unit]);
                    potentials[i * units + unit] += value;
                    potentials[k * units + unit] -= value;
                }
    }
}

/* Add 1/(n - 1) sum_k (1 - tanh^2(hidden[i, h] - hidden[k, h])) (u_i - u_k) to `in_hidden`.

   u are slopes in the scores; those in hidden[i, h] are this times the weight of the unit. */
RANKWISE_API void rankwise_add_potential_slopes(const double *hidden, int64_t units,
                                                const int64_t *offsets, int64_t queries,
                                                const double *in_scores, double *in_hidden)
{
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1];
        double share = share_of(last - first);
        for (int64_t i = first; i < last; i++)
            for (int64_t k = first; k < i; k++) {
                double moved = share * (in_scores[i] - in_scores[k]);
                for (int64_t unit = 0; unit < units; unit++) {
                    double value = tanh(hidden[i * units + unit] - hidden[k * units + unit]);
                    double slope = moved * (1.0 - value * value);
                    in_hidden[i * units + unit] += slope;
                    in_hidden[k * units + unit] -= slope;
                }
            }
    }
}
