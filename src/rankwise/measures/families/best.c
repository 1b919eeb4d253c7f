/* Best; the equations stand in best.py. */
#include "../ranked_query.h"

/* The expected highest label where `drawn` documents of the group come before the cut-off and the
   groups above have `floor`. */
static double expected_highest(const ranked_query *query, int64_t start, int64_t end,
                               int64_t drawn, double floor)
{
    int64_t size = end - start;
    double chance = (double)drawn / (double)size, total = 0.0;
    for (int64_t t = 0; t <= size - drawn; t++) {
        double label = known_label(query->labels[start + t]);
        total += chance * (start == 0 || label > floor ? label : floor);
        if (t + 1 < size)
            chance *= (double)(size - drawn - t) / ((double)(size - t) - 1.0);
    }
    return total;
}

static double highest_label(const ranked_query *query, int64_t limit)
{
    if (limit == 0)
        return 0.0;
    /* Nothing is above the highest judged label, or above 0 where an unjudged document counts. */
    double highest = known_label(query->labels[0]);
    double top = query->n_judged > 0 && query->judged[0] > 0.0 ? query->judged[0] : 0.0;
    for (int64_t i = 1; i < limit && highest < top; i++) {
        double label = known_label(query->labels[i]);
        highest = label > highest ? label : highest;
    }
    return highest;
}

RANKWISE_API double rankwise_best(ranked_query *query, const measure_record *measure,
                                  const measure_tables *tables)
{
    (void)tables;
    int64_t limit = within(measure, query->retrieved);
    if (!query->open_ties)
        return highest_label(query, limit);
    double highest = 0.0;
    for (int64_t start = 0, end; start < limit; start = end) {
        end = query->ends[start];
        if (end > limit) {
            highest = expected_highest(query, start, end, limit - start, highest);
            continue;
        }
        for (int64_t i = start; i < end; i++) {
            double label = known_label(query->labels[i]);
            if (label > highest || i == 0)
                highest = label;
        }
    }
    return highest;
}
