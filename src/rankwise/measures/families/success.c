/* Success; the equations stand in success.py. */
#include "../ranked_query.h"

/* The chance that `chosen` documents out of a group of `size` hold no relevant one. */
static double none_chosen(int64_t size, int64_t relevant, int64_t chosen)
{
    double chance = 1.0;
    for (int64_t j = 0; j < chosen; j++) {
        double passed = (double)(size - relevant - j) / (double)(size - j);
        chance *= passed > 0.0 ? passed : 0.0;
    }
    return chance;
}

RANKWISE_API double rankwise_success(ranked_query *query, const measure_record *measure,
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
            return 1.0 - none_chosen(end - start, relevant, smaller(end, limit) - start);
    }
    return 0.0;
}
