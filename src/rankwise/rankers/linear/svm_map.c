/* The most violated ranking of SVM-MAP, found exactly. */
#include "ordering.h"

/* The relevant documents of `rows`, then the others, each in the given order; how many the first
   are. */
static int64_t split_classes(const int64_t *rows, int64_t size, const uint8_t *relevant,
                             int64_t *classes)
{
    int64_t better = 0;
    for (int64_t i = 0; i < size; i++)
        if (relevant[rows[i]])
            classes[better++] = rows[i];
    for (int64_t i = 0, place = better; i < size; i++)
        if (!relevant[rows[i]])
            classes[place++] = rows[i];
    return better;
}

/* The hinge of one query; both classes by falling score. Adds to `slopes`. */
static double interleave(const double *scores, const int64_t *better, int64_t n_better,
                         const int64_t *worse, int64_t n_worse, double *slopes)
{
    double share = 2.0 / (double)(n_better * n_worse), hinge = 0.0;
    int64_t ceiling = 0;
    for (int64_t j = 1; j <= n_worse; j++) {
        int64_t low = worse[j - 1], place = n_better;
        double highest = 0.0, total = 0.0;
        for (int64_t i = n_better; i > ceiling; i--) {
            double lost = (double)i / ((double)(i + j) - 1.0) - (double)i / (double)(i + j);
            total += lost / (double)n_better - share * (scores[better[i - 1]] - scores[low]);
            if (total > highest) {
                highest = total;
                place = i - 1;
            }
        }
        if (place == n_better)
            break;
        hinge += highest;
        slopes[low] += share * (double)(n_better - place);
        for (int64_t i = place; i < n_better; i++)
            slopes[better[i]] -= share;
        ceiling = place;
    }
    return hinge;
}

/* The structural hinge of every query; its subgradient in the scores is added to `slopes`.

   A ranking sorts both classes by score and only interleaves them: every non-relevant document,
   the j-th of its class, stands above the relevant ones from some place on. Putting it above the
   i-th costs precision there and moves one pair,

       d_j(i) = (i / (i + j - 1) - i / (i + j)) / |R| - 2 (s_i - s_j) / (|R| |N|),

   and H = max over rankings of the sum of d over all pairs so placed. As d_j(i) falls with j for
   every i, the best place of each j alone is never above that of an earlier one: the choices fit
   together, and taking each alone is exact (Yue et al. 2007, algorithm 2).

   `keys` and `rows` hold 2 * room elements, `classes` room, the longest query's length. */
RANKWISE_API void rankwise_average_precision_hinge(const double *scores, const uint8_t *relevant,
                                                   const int64_t *offsets, int64_t queries,
                                                   double *keys, int64_t *rows, int64_t *classes,
                                                   int64_t room, double *hinges, double *slopes)
{
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], size = offsets[query + 1] - first;
        rank_rows(scores, NULL, first, size, keys, rows, room);
        int64_t better = split_classes(rows, size, relevant, classes);
        hinges[query] = 0.0;
        if (better > 0 && better < size)
            hinges[query] = interleave(scores, classes, better, classes + better, size - better,
                                       slopes);
    }
}
