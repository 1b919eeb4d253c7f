/* Listwise losses and their slopes in the scores, one query after the other. */
#include "core.h"

#include <math.h>

/* sum_q sum_i -t_i log softmax(s)_i; the slopes, t_q softmax(s)_i - t_i, go into `slopes`.

   t_q is the sum of the query's targets: 1, or 0 where the query has none and costs nothing. */
RANKWISE_API double rankwise_top_one_cross_entropy(const double *scores, const double *targets,
                                                   const int64_t *offsets, int64_t queries,
                                                   double *slopes)
{
    double total = 0.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1];
        double highest = -INFINITY, mass = 0.0, target = 0.0;
        for (int64_t row = first; row < last; row++)
            if (scores[row] > highest)
                highest = scores[row];
        for (int64_t row = first; row < last; row++) {
            slopes[row] = exp(scores[row] - highest);
            mass += slopes[row];
            target += targets[row];
        }
        double logarithm = log(mass);
        for (int64_t row = first; row < last; row++) {
            total += targets[row] * (logarithm + highest - scores[row]);
            slopes[row] = target * slopes[row] / mass - targets[row];
        }
    }
    return total;
}

/* The logarithm of exp(left) + exp(right). */
static double add_logarithms(double left, double right)
{
    double higher = left < right ? right : left, lower = left < right ? left : right;
    return higher + log1p(exp(lower - higher));
}

/* sum_q v_q sum_i log sum_{k >= i} exp(s_o(k) - s_o(i)); its slopes are added to `slopes`.

   `order` holds the rows of each query, best first; `tails` is room for one number per row.
   Everything stays in logarithms, since the last documents of an order may be so far below the
   first that their exponentials are 0 beside it. */
RANKWISE_API double rankwise_order_likelihood(const double *scores, const int64_t *order,
                                              const int64_t *offsets, int64_t queries,
                                              const double *weights, double *tails, double *slopes)
{
    double total = 0.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1];
        double tail = -INFINITY, above = -INFINITY, cost = 0.0;
        for (int64_t place = last - 1; place >= first; place--) {
            tail = add_logarithms(tail, scores[order[place]]);
            tails[place] = tail;
            cost += tail - scores[order[place]];
        }
        for (int64_t place = first; place < last; place++) {
            above = add_logarithms(above, -tails[place]);
            int64_t row = order[place];
            slopes[row] += weights[query] * (exp(scores[row] + above) - 1.0);
        }
        total += weights[query] * cost;
    }
    return total;
}
