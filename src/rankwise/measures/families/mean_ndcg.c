/* MeanNDCG; the equation stands in mean_ndcg.py. */
#include "../ranked_query.h"

RANKWISE_API double rankwise_mean_ndcg(ranked_query *query, const measure_record *measure,
                                       const measure_tables *tables)
{
    discounts by = discounts_of(measure, tables);
    int64_t limit = within(measure, query->retrieved);
    ideal_gains(query, measure, tables, within(measure, query->n_ideal));
    if (limit == 0 || query->n_ideal == 0 || !(query->work[0] > 0.0))
        return measure->empty;
    double total = 0.0, found = 0.0, ideal = 0.0, gain = 0.0;
    int64_t group_end = 0;
    for (int64_t i = 0; i < limit; i++) {
        if (i >= group_end) {
            group_end = query->ends[i];
            gain = group_end == i + 1 ? gain_of(query->labels[i], measure, tables)
                                      : mean_gain(query, measure, tables, i, group_end);
        }
        found += discounted(gain, &by, i);
        if (i < query->n_ideal)
            ideal += discounted(query->work[i], &by, i);
        total += found / ideal;
    }
    return total / (double)limit;
}
