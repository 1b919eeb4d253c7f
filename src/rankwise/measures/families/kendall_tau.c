/* KendallTau; the equation stands in kendall_tau.py. */
#include <math.h>

#include "pairwise_accuracy.h"

RANKWISE_API double rankwise_kendall_tau(ranked_query *query, const measure_record *measure,
                                         const measure_tables *tables)
{
    (void)tables;
    double size = (double)query->retrieved;
    count_pairs(query);
    if (query->pairs == 0.0)
        return measure->empty;
    double balance = query->pairs - 2.0 * query->wrong_pairs;
    return balance / sqrt(query->pairs * (size * (size - 1.0) / 2.0));
}
