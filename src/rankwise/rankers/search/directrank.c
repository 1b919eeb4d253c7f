/* Where documents overtake each other along a line, and what that does to a measure. */
#include "core.h"

/* All t in (-reach, reach) at which s_i + t x_i = s_j + t x_j, and who overtakes whom; how many
   they are. The first `room` of them are written.

   Pairs without a gain are left out. `ranks` becomes the number of documents above each one that
   has a gain at t = -reach, `better` how many of those have a gain too. Whether a pair has crossed
   is asked of its own t alone, so that every rank changes as often as it is counted. */
RANKWISE_API int64_t rankwise_find_crossings(const double *scores, const double *column,
                                             const double *gains, const int64_t *offsets,
                                             int64_t queries, double reach, int64_t room,
                                             double *times, int64_t *above, int64_t *below,
                                             int64_t *ranks, int64_t *better)
{
    int64_t found = 0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t begin = offsets[query], end = offsets[query + 1];
        for (int64_t i = begin; i < end; i++)
            ranks[i] = better[i] = 0;
        for (int64_t i = begin; i < end; i++)
            for (int64_t j = i + 1; j < end; j++) {
                if (gains[i] == 0.0 && gains[j] == 0.0)
                    continue;
                double slope = column[i] - column[j];
                int64_t steep = slope > 0.0 ? i : j, flat = slope > 0.0 ? j : i, first, last;
                if (slope == 0.0) {
                    /* They never cross; of equals the first in the file stands above. */
                    first = scores[i] >= scores[j] ? i : j;
                    last = scores[i] >= scores[j] ? j : i;
                } else {
                    double time = (scores[j] - scores[i]) / slope;
                    first = time > -reach ? flat : steep;
                    last = time > -reach ? steep : flat;
                    if (-reach < time && time < reach) {
                        if (found < room) {
                            times[found] = time;
                            above[found] = steep;
                            below[found] = flat;
                        }
                        found++;
                    }
                }
                ranks[last]++;
                better[last] += gains[first] > 0.0;
            }
    }
    return found;
}

typedef struct {
    const double *gains, *discounts;
    int64_t discounted;
    int64_t *ranks, *better;
} line;

static double part_of(const line *all, int64_t document)
{
    double gain = all->gains[document];
    if (gain == 0.0)
        return 0.0;
    int64_t rank = all->ranks[document];
    if (all->discounted)
        return gain * all->discounts[rank];
    return gain * (double)(all->better[document] + 1) / (double)(rank + 1);
}

/* best: the middle of the interval between crossings with the highest sum, and the sum's rise.

   The sum is sum_i g_i d(rank of i), or with no discounts sum_i g_i (b_i + 1) / (rank of i + 1),
   b_i the documents with a gain above i: average precision. The rise is counted from the interval
   that holds t = 0; of equally high intervals the widest is taken. */
RANKWISE_API void rankwise_follow_crossings(const int64_t *order, int64_t crossings,
                                            const double *times, const int64_t *above,
                                            const int64_t *below, const double *gains,
                                            const double *discounts, int64_t discounted,
                                            int64_t *ranks, int64_t *better, double reach,
                                            double *best)
{
    line all = {gains, discounts, discounted, ranks, better};
    double total = 0.0, highest = 0.0, at_zero = 0.0, begin = -reach;
    double best_begin = 0.0, best_end = 0.0;
    int found = 0;
    for (int64_t place = 0; place <= crossings; place++) {
        double time = place == crossings ? reach : times[order[place]];
        if (time > begin) {
            if (begin <= 0.0 && 0.0 < time)
                at_zero = total;
            int wider = total >= highest - 1e-12 && time - begin > best_end - best_begin;
            if (!found || total > highest + 1e-12 || wider) {
                if (!found || total > highest)
                    highest = total;
                best_begin = begin;
                best_end = time;
                found = 1;
            }
            begin = time;
        }
        if (place == crossings)
            break;
        int64_t a = above[order[place]], b = below[order[place]];
        total -= part_of(&all, a);
        total -= part_of(&all, b);
        ranks[a] -= 1;
        ranks[b] += 1;
        better[a] -= gains[b] > 0.0;
        better[b] += gains[a] > 0.0;
        total += part_of(&all, a);
        total += part_of(&all, b);
    }
    best[0] = 0.5 * (best_begin + best_end);
    best[1] = highest - at_zero;
}
