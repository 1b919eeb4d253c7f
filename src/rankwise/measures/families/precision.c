/* P; the equation stands in precision.py. */
#include "../ranked_query.h"

RANKWISE_API double rankwise_precision(ranked_query *query, const measure_record *measure,
                                       const measure_tables *tables)
{
    (void)tables;
    if (count_relevant(query, measure) == 0)
        return measure->empty;
    int64_t limit = within(measure, query->retrieved);
    int64_t divisor = limit;
    if (measure->denominator == 0 && measure->cutoff > 0)
        divisor = measure->cutoff;
    return divisor > 0 ? hits_within(query, measure, limit) / (double)divisor : 0.0;
}
