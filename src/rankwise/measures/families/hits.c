/* Hits; the equation stands in hits.py. */
#include "../ranked_query.h"

RANKWISE_API double rankwise_hits(ranked_query *query, const measure_record *measure,
                                  const measure_tables *tables)
{
    (void)tables;
    if (count_relevant(query, measure) == 0)
        return measure->empty;
    return hits_within(query, measure, within(measure, query->retrieved));
}
