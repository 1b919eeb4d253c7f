/* Sums over the active partners of every document, in sorted sweeps instead of pairs. */
#include "ordering.h"

/* order: rows by rising score within each query; equal scores in the order of the rows. `keys` and
   `rows` hold 2 * room elements, room being at least the longest query's length. */
RANKWISE_API void rankwise_sort_queries(const double *scores, const int64_t *offsets,
                                        int64_t queries, double *keys, int64_t *rows, int64_t room,
                                        int64_t *order)
{
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], size = offsets[query + 1] - first;
        for (int64_t i = 0; i < size; i++) {
            keys[i] = -scores[first + i];
            rows[i] = first + i;
        }
        sort_descending(keys, rows, room, 0, size);
        for (int64_t i = 0; i < size; i++)
            order[first + i] = rows[i];
    }
}

typedef struct {
    const double *scores, *values;
    const int64_t *order, *levels;
    /* Four columns a document: count and sum as the better one, count and sum as the worse one. */
    double *sums;
} sweep;

/* From the top down: the documents of `level` meet ever more of the lower levels. */
static void add_worse_partners(const sweep *all, int64_t first, int64_t last, int64_t level)
{
    double count = 0.0, total = 0.0;
    int64_t reached = last - 1;
    for (int64_t place = last - 1; place >= first; place--) {
        int64_t better = all->order[place];
        if (all->levels[better] != level)
            continue;
        for (; reached >= first && all->scores[better] - all->scores[all->order[reached]] < 1.0;
             reached--) {
            int64_t worse = all->order[reached];
            if (all->levels[worse] < level) {
                count += 1.0;
                total += all->values[worse];
            }
        }
        all->sums[4 * better] += count;
        all->sums[4 * better + 1] += total;
    }
}

/* From the bottom up: documents below `level` meet ever more of it. */
static void add_better_partners(const sweep *all, int64_t first, int64_t last, int64_t level)
{
    double count = 0.0, total = 0.0;
    int64_t reached = first;
    for (int64_t place = first; place < last; place++) {
        int64_t worse = all->order[place];
        if (all->levels[worse] >= level)
            continue;
        for (; reached < last && all->scores[all->order[reached]] - all->scores[worse] < 1.0;
             reached++) {
            int64_t better = all->order[reached];
            if (all->levels[better] == level) {
                count += 1.0;
                total += all->values[better];
            }
        }
        all->sums[4 * worse + 2] += count;
        all->sums[4 * worse + 3] += total;
    }
}

/* Adds to `sums`, for every document, how many active partners it has and the sum of their values.

   A pair (i, j) of a query with level_i > level_j is active where s_i - s_j < 1. Both sweeps only
   ever add, so nothing cancels; rounding is monotone, so both see the same pairs. */
RANKWISE_API void rankwise_partner_sums(const double *scores, const int64_t *order,
                                        const int64_t *levels, const int64_t *offsets,
                                        int64_t queries, const double *values, double *sums)
{
    sweep all = {scores, values, order, levels, sums};
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1], highest = 0;
        for (int64_t row = first; row < last; row++)
            if (levels[row] > highest)
                highest = levels[row];
        for (int64_t level = 1; level <= highest; level++) {
            add_worse_partners(&all, first, last, level);
            add_better_partners(&all, first, last, level);
        }
    }
}
