/* Smoothed NDCG: ranks are held by all documents near in score, in shares that sum to 1. */
#include "ordering.h"

#include <math.h>

/* The document that holds a rank has the share 1: shares below exp(-45) do not move the sums. */
#define NEGLIGIBLE 45.0

/* Put h_ij of one rank j into `shares` and return sum_i g_i h_ij. */
static double share_rank(const double *scores, const double *gains, int64_t size, double held,
                         double width, double *shares)
{
    double mass = 0.0, gain = 0.0;
    for (int64_t i = 0; i < size; i++) {
        double distance = scores[i] - held, exponent = distance * distance / width;
        shares[i] = exponent < NEGLIGIBLE ? exp(-exponent) : 0.0;
        mass += shares[i];
        gain += gains[i] * shares[i];
    }
    for (int64_t i = 0; i < size; i++)
        shares[i] /= mass;
    return gain / mass;
}

/* h_ij moves with s_i and, the other way, with the score of the document that holds rank j. */
static void add_slopes(const double *scores, const double *gains, int64_t size, int64_t holder,
                       double gain, double factor, const double *shares, double *slopes)
{
    double pulled = 0.0;
    for (int64_t i = 0; i < size; i++) {
        if (shares[i] == 0.0)
            continue;
        double distance = scores[i] - scores[holder];
        double slope = factor * shares[i] * (gains[i] - gain) * distance;
        slopes[i] -= slope;
        pulled += slope;
    }
    slopes[holder] += pulled;
}

/* sum_q sum_j d(j) sum_i g_i h_ij; its slopes in the scores are added to `slopes`.

   h_ij = exp(-(s_i - t_j)^2 / sigma) / sum_k exp(-(s_k - t_j)^2 / sigma), t_j the j-th largest score
   of the query, for the first `cutoff` ranks j; sigma is `width`. `keys` and `rows` hold 2 * room
   elements, `shares` room, the longest query's length. */
RANKWISE_API double rankwise_smoothed_gains(const double *scores, const int64_t *offsets,
                                            int64_t queries, const double *gains,
                                            const double *discounts, int64_t cutoff, double width,
                                            double *keys, int64_t *rows, double *shares,
                                            int64_t room, double *slopes)
{
    double total = 0.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], size = offsets[query + 1] - first;
        const double *own = scores + first, *gained = gains + first;
        rank_rows(scores, NULL, first, size, keys, rows, room);
        for (int64_t rank = 0; rank < cutoff && rank < size; rank++) {
            double gain = share_rank(own, gained, size, keys[rank], width, shares);
            add_slopes(own, gained, size, rows[rank] - first, gain, 2.0 * discounts[rank] / width,
                       shares, slopes + first);
            total += discounts[rank] * gain;
        }
    }
    return total;
}
