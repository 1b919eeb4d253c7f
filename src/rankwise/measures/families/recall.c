/* Recall; the equation stands in recall.py. */
#include "../ranked_query.h"

RANKWISE_API double rankwise_recall(ranked_query *query, const measure_record *measure,
                                    const measure_tables *tables)
{
    (void)tables;
    int64_t relevant = count_relevant(query, measure);
    if (relevant == 0)
        return measure->empty;
    return hits_within(query, measure, within(measure, query->retrieved)) / (double)relevant;
}
