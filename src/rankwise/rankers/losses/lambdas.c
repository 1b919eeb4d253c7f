/* Lambdas: the logistic loss over the pairs of a query, each weighted by what a swap would change.

   `order` holds the rows of each query by falling label; worse[p] is the first place after p whose
   label is lower. All functions add to slopes and curves, the first and second derivatives in the
   scores with the weights held fixed, and return the sum of the costs. */
#include "ordering.h"

#include <math.h>

typedef struct {
    const double *scores;
    const int64_t *order, *worse, *offsets;
    int64_t queries;
    int normalised;
    double *slopes, *curves;
} preferences;

/* ranks[row]: its place in its query, from 0; equal scores in the order of the rows. */
static void rank_queries(const preferences *all, double *keys, int64_t *rows, int64_t room,
                         int64_t *ranks)
{
    for (int64_t q = 0; q < all->queries; q++) {
        int64_t first = all->offsets[q], size = all->offsets[q + 1] - first;
        rank_rows(all->scores, NULL, first, size, keys, rows, room);
        for (int64_t i = 0; i < size; i++)
            ranks[rows[i]] = i;
    }
}

/* LightGBM divides what a swap changes by how far apart the scores are, so that they do not drift
   apart for ever, but where all scores of the query are equal. */
static int is_spread(const preferences *all, int64_t first, int64_t last)
{
    for (int64_t row = first + 1; row < last; row++)
        if (all->scores[row] != all->scores[first])
            return all->normalised;
    return 0;
}

/* The cost of a pair of this weight; `pulled` is told how hard it pulls. */
static double add_pair(const preferences *all, int64_t better, int64_t row, double weight,
                       int spread, double *pulled)
{
    double difference = all->scores[better] - all->scores[row];
    double small = exp(-fabs(difference));
    double share = (difference > 0.0 ? small : 1.0) / (1.0 + small);
    if (spread)
        weight /= 0.01 + fabs(difference);
    double pull = weight * share, curve = pull * (1.0 - share);
    all->slopes[row] += pull;
    all->slopes[better] -= pull;
    all->curves[row] += curve;
    all->curves[better] += curve;
    *pulled += pull;
    return weight * (log1p(small) - (difference < 0.0 ? difference : 0.0));
}

/* A query whose slopes sum up to L counts log2(1 + L) / L of that, so that none outweighs all
   others, as in LightGBM. */
static void scale_query(const preferences *all, int64_t first, int64_t last, double pulled)
{
    double both = 2.0 * pulled;
    if (!all->normalised || !(both > 0.0))
        return;
    double factor = log2(1.0 + both) / both;
    for (int64_t row = first; row < last; row++) {
        all->slopes[row] *= factor;
        all->curves[row] *= factor;
    }
}

/* A pair weighs |(g_i - g_j)(d(rank of i) - d(rank of j))|, gains divided by the ideal already. */
RANKWISE_API double rankwise_gain_lambdas(const double *scores, const int64_t *order,
                                          const int64_t *worse, const int64_t *offsets,
                                          int64_t queries, const double *gains,
                                          const double *discounts, int64_t normalised, int64_t room,
                                          double *keys, int64_t *rows, int64_t *ranks,
                                          double *slopes, double *curves)
{
    preferences all = {scores, order, worse, offsets, queries, normalised != 0, slopes, curves};
    double total = 0.0;
    rank_queries(&all, keys, rows, room, ranks);
    for (int64_t q = 0; q < queries; q++) {
        int64_t first = offsets[q], last = offsets[q + 1];
        int spread = is_spread(&all, first, last);
        double pulled = 0.0;
        for (int64_t place = first; place < last; place++) {
            int64_t better = order[place];
            double discount = discounts[ranks[better]];
            for (int64_t other = worse[place]; other < last; other++) {
                int64_t row = order[other];
                double change = fabs((gains[better] - gains[row]) *
                                     (discount - discounts[ranks[row]]));
                /* Most pairs lie below the cut-off, where a swap changes nothing. */
                if (change > 0.0)
                    total += add_pair(&all, better, row, change, spread, &pulled);
            }
        }
        scale_query(&all, first, last, pulled);
    }
    return total;
}

/* hits[r]: relevant documents up to rank r, sums[r]: 1/rank added over them; all of them. */
static double count_hits(const double *relevant, const int64_t *ranks, int64_t first, int64_t last,
                         double *hits, double *sums)
{
    double count = 0.0, total = 0.0;
    for (int64_t row = first; row < last; row++)
        hits[ranks[row]] = relevant[row];
    for (int64_t rank = 0; rank < last - first; rank++) {
        count += hits[rank];
        total += hits[rank] / (double)(rank + 1);
        hits[rank] = count;
        sums[rank] = total;
    }
    return count;
}

/* How far R AP moves when the documents at two ranks, one of them relevant, are swapped. With
   a < b, c the counts and S the sums of 1/rank over hits: moving a hit from a to b changes R AP by
   c_b / b - c_a / a - (S_{b-1} - S_a); a hit from b to a by the opposite of moving it back. */
static double swap_hits(const double *hits, const double *sums, int64_t one, int64_t two)
{
    int64_t above = one < two ? one : two, below = one < two ? two : one;
    double counted = hits[above], before = above > 0 ? hits[above - 1] : 0.0;
    double between = sums[below - 1] - sums[above];
    if (counted == before)
        counted += 1.0;
    return fabs(hits[below] / (double)(below + 1) - counted / (double)(above + 1) - between);
}

/* A pair of a relevant (1) and another document (0) weighs the change in average precision. */
RANKWISE_API double rankwise_precision_lambdas(const double *scores, const int64_t *order,
                                               const int64_t *worse, const int64_t *offsets,
                                               int64_t queries, const double *relevant,
                                               int64_t normalised, int64_t room, double *keys,
                                               int64_t *rows, int64_t *ranks, double *slopes,
                                               double *curves)
{
    preferences all = {scores, order, worse, offsets, queries, normalised != 0, slopes, curves};
    /* Ranks are found before hits are counted, in the same room. */
    double *hits = keys, *sums = keys + room, total = 0.0;
    rank_queries(&all, keys, rows, room, ranks);
    for (int64_t q = 0; q < queries; q++) {
        int64_t first = offsets[q], last = offsets[q + 1];
        int spread = is_spread(&all, first, last);
        double pulled = 0.0, count = count_hits(relevant, ranks, first, last, hits, sums);
        for (int64_t place = first; place < last; place++) {
            int64_t better = order[place];
            for (int64_t other = worse[place]; other < last; other++) {
                int64_t row = order[other];
                if (relevant[better] == relevant[row])
                    continue;
                double change = swap_hits(hits, sums, ranks[better], ranks[row]) / count;
                total += add_pair(&all, better, row, change, spread, &pulled);
            }
        }
        scale_query(&all, first, last, pulled);
    }
    return total;
}

/* sum_q v_q log(1 + exp(s_j - s_i)) over the pairs of `order` and `worse`; its slopes are added to
   `slopes`. */
RANKWISE_API double rankwise_logistic_pairs(const double *scores, const int64_t *order,
                                            const int64_t *worse, const int64_t *offsets,
                                            int64_t queries, const double *weights, double *slopes)
{
    double total = 0.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t last = offsets[query + 1];
        double cost = 0.0, product = 1.0, weight = weights[query];
        for (int64_t place = offsets[query]; place < last; place++) {
            int64_t better = order[place];
            double pulled = 0.0;
            for (int64_t other = worse[place]; other < last; other++) {
                double difference = scores[better] - scores[order[other]];
                double small = exp(-fabs(difference));
                double wrong = (difference > 0.0 ? small : 1.0) / (1.0 + small);
                /* One logarithm for many factors: it is half of the cost of a pair otherwise. */
                product *= 1.0 + small;
                if (product > 1e300) {
                    cost += log(product);
                    product = 1.0;
                }
                cost -= difference < 0.0 ? difference : 0.0;
                pulled += wrong;
                slopes[order[other]] += weight * wrong;
            }
            slopes[better] -= weight * pulled;
        }
        total += weight * (cost + log(product));
    }
    return total;
}
