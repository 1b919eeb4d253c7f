/* RR; the equations stand in reciprocal_rank.py. */
#include "../ranked_query.h"

static double expected_in_group(int64_t start, int64_t end, int64_t relevant, int64_t limit)
{
    int64_t size = end - start;
    double chance = (double)relevant / (double)size, total = 0.0;
    for (int64_t j = 1; j <= smaller(end, limit) - start; j++) {
        total += chance / (double)(start + j);
        if (j < size)
            chance *= ((double)(size - j - relevant) + 1.0) / (double)(size - j);
    }
    return total;
}

RANKWISE_API double rankwise_reciprocal_rank(ranked_query *query, const measure_record *measure,
                                             const measure_tables *tables)
{
    (void)tables;
    if (count_relevant(query, measure) == 0)
        return measure->empty;
    int64_t limit = within(measure, query->retrieved);
    for (int64_t start = 0, end; start < limit; start = end) {
        end = query->ends[start];
        int64_t relevant = relevant_between(query, measure, start, end);
        if (relevant > 0)
            return expected_in_group(start, end, relevant, limit);
    }
    return 0.0;
}
