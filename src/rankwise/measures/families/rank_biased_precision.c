/* RBP; the equation stands in rank_biased_precision.py. */
#include "../ranked_query.h"

static double in_strict_order(const ranked_query *query, const measure_record *measure,
                              int64_t limit)
{
    double total = 0.0, weight = 1.0 - measure->persistence;
    for (int64_t i = 0; i < limit; i++) {
        total += (double)is_relevant(query->labels[i], measure) * weight;
        weight *= measure->persistence;
    }
    return total;
}

RANKWISE_API double rankwise_rank_biased_precision(ranked_query *query,
                                                   const measure_record *measure,
                                                   const measure_tables *tables)
{
    (void)tables;
    if (count_relevant(query, measure) == 0)
        return measure->empty;
    int64_t limit = within(measure, query->retrieved);
    if (!query->open_ties)
        return in_strict_order(query, measure, limit);
    double total = 0.0, weight = 1.0 - measure->persistence;
    for (int64_t start = 0, end; start < limit; start = end) {
        end = query->ends[start];
        double share =
            (double)relevant_between(query, measure, start, end) / (double)(end - start);
        for (int64_t i = start; i < smaller(end, limit); i++) {
            total += share * weight;
            weight *= measure->persistence;
        }
    }
    return total;
}
