/* F1; the equations stand in f1.py. */
#include "../ranked_query.h"

RANKWISE_API double rankwise_f1(ranked_query *query, const measure_record *measure,
                                const measure_tables *tables)
{
    (void)tables;
    int64_t relevant = count_relevant(query, measure);
    if (relevant == 0)
        return measure->empty;
    int64_t limit = within(measure, query->retrieved);
    int64_t divisor = limit;
    if (measure->denominator == 0 && measure->cutoff > 0)
        divisor = measure->cutoff;
    return 2.0 * hits_within(query, measure, limit) / (double)(divisor + relevant);
}
