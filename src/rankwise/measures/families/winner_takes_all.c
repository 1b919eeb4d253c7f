/* WTA; the equation stands in winner_takes_all.py. */
#include "../ranked_query.h"

RANKWISE_API double rankwise_winner_takes_all(ranked_query *query, const measure_record *measure,
                                              const measure_tables *tables)
{
    (void)tables;
    if (count_relevant(query, measure) == 0)
        return measure->empty;
    if (query->retrieved == 0)
        return 0.0;
    int64_t size = query->ends[0], winners = 0;
    for (int64_t i = 0; i < size; i++)
        winners += query->labels[i] == query->judged[0];
    return (double)winners / (double)size;
}
