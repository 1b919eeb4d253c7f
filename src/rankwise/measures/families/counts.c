/* Retrieved, Relevant, RelevantRetrieved and Queries; the equations stand in counts.py. */
#include "../ranked_query.h"

RANKWISE_API double rankwise_retrieved(ranked_query *query, const measure_record *measure,
                                       const measure_tables *tables)
{
    (void)measure, (void)tables;
    return (double)query->retrieved;
}

RANKWISE_API double rankwise_relevant(ranked_query *query, const measure_record *measure,
                                      const measure_tables *tables)
{
    (void)tables;
    return (double)count_relevant(query, measure);
}

RANKWISE_API double rankwise_relevant_retrieved(ranked_query *query,
                                                const measure_record *measure,
                                                const measure_tables *tables)
{
    (void)tables;
    return (double)relevant_within(query, measure, query->retrieved);
}

RANKWISE_API double rankwise_queries(ranked_query *query, const measure_record *measure,
                                     const measure_tables *tables)
{
    (void)query, (void)measure, (void)tables;
    return 1.0;
}
