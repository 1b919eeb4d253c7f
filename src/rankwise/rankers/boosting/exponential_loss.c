/* Potentials of the exponential loss in time linear in the documents. */
#include "core.h"

#include <math.h>

/* The highest level of a query; -1 where a number is no level among so many documents. */
static int64_t highest_level(const int64_t *levels, int64_t size)
{
    int64_t top = 0;
    for (int64_t i = 0; i < size; i++) {
        if (levels[i] < 0 || levels[i] >= size)
            return -1;
        if (levels[i] > top)
            top = levels[i];
    }
    return top;
}

/* The middle of the scores cancels out of every product and keeps the factors in range. */
static double middle_of(const double *scores, int64_t size)
{
    double highest = scores[0], lowest = scores[0];
    for (int64_t i = 1; i < size; i++) {
        if (scores[i] > highest)
            highest = scores[i];
        if (scores[i] < lowest)
            lowest = scores[i];
    }
    return 0.5 * (highest + lowest);
}

/* The potentials of one query; its share is added to `total` document by document. */
static double add_query(const double *scores, const int64_t *levels, int64_t size, int64_t top,
                        double *room, double *potentials, double total)
{
    double *worse = room, *better = worse + size + 1;
    double *rising = better + size + 1, *falling = rising + size;
    double middle = middle_of(scores, size);
    for (int64_t level = 0; level < top + 2; level++)
        worse[level] = better[level] = 0.0;
    for (int64_t i = 0; i < size; i++) {
        rising[i] = exp(scores[i] - middle);
        falling[i] = exp(middle - scores[i]);
        worse[levels[i] + 1] += rising[i];
        better[levels[i]] += falling[i];
    }
    for (int64_t level = 1; level <= top; level++)
        worse[level] += worse[level - 1];
    for (int64_t level = top - 1; level >= 0; level--)
        better[level] += better[level + 1];
    for (int64_t i = 0; i < size; i++) {
        double rise = falling[i] * worse[levels[i]];
        potentials[i] = rise - rising[i] * better[levels[i] + 1];
        total += rise;
    }
    return total;
}

/* Sum of exp(F(x0) - F(x1)) over all pairs, and every document's potential, not yet divided by
   it. The potential of x is the sum of exp(F(x0) - F(x)) over worse documents x0 less that of
   exp(F(x) - F(x1)) over better ones x1; both are products of a factor of x and a sum over a
   level of the query. A query of one level has no pairs. `room` holds 4 numbers for every document
   of the longest query and 2 more. Returns -1 where offsets or levels cannot be. */
RANKWISE_API double rankwise_exponential_potentials(const double *scores, const int64_t *levels,
                                                    const int64_t *offsets, int64_t queries,
                                                    int64_t documents, int64_t longest,
                                                    double *room, double *potentials)
{
    double total = 0.0;
    if (queries > 0 && offsets[0] < 0)
        return -1.0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], size = offsets[query + 1] - first;
        if (size < 0 || size > longest || offsets[query + 1] > documents)
            return -1.0;
        int64_t top = highest_level(levels + first, size);
        if (top < 0)
            return -1.0;
        if (top == 0)
            for (int64_t i = 0; i < size; i++)
                potentials[first + i] = 0.0;
        else
            total = add_query(scores + first, levels + first, size, top, room,
                              potentials + first, total);
    }
    return total;
}
