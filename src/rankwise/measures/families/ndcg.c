/* NDCG and DCG; the equations stand in ndcg.py. */
#include "../ranked_query.h"

static double ideal_discounted_gain(ranked_query *query, const measure_record *measure,
                                    const measure_tables *tables)
{
    double *kept = &query->ideal_sums[measure->number];
    if (*kept >= 0.0)
        return *kept;
    discounts by = discounts_of(measure, tables);
    int64_t limit = within(measure, query->n_ideal);
    ideal_gains(query, measure, tables, limit);
    double total = 0.0;
    for (int64_t i = 0; i < limit; i++)
        total += discounted(query->work[i], &by, i);
    *kept = total;
    return total;
}

RANKWISE_API double rankwise_ndcg(ranked_query *query, const measure_record *measure,
                                  const measure_tables *tables)
{
    double ideal = ideal_discounted_gain(query, measure, tables);
    if (!(ideal > 0.0))
        return measure->empty;
    return discounted_gain(query, measure, tables, within(measure, query->retrieved)) / ideal;
}

RANKWISE_API double rankwise_dcg(ranked_query *query, const measure_record *measure,
                                 const measure_tables *tables)
{
    double gained = discounted_gain(query, measure, tables, within(measure, query->retrieved));
    /* RankLib judges a part of a split query by another part's ideal: what was gained stays. */
    if (gained == 0.0 && !(ideal_discounted_gain(query, measure, tables) > 0.0))
        return measure->empty;
    return gained;
}
