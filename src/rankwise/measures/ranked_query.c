/* What families share: relevance up to a rank, gains, discounted gains. */
#include "ranked_query.h"

#include <math.h>

#include "ordering.h"

double computed_gain(double label, const measure_record *measure)
{
    if (label < 0.0 || !is_relevant(label, measure) || measure->gain_rule == GAIN_ZERO)
        return 0.0;
    if (measure->gain_rule == GAIN_EXPONENTIAL)
        return exp2(label) - 1.0;
    if (measure->gain_rule == GAIN_TRUNCATED)
        return exp2(trunc(label)) - 1.0;
    return label;
}

/* Forget what is known of another threshold. */
static void settle_threshold(ranked_query *query, const measure_record *measure)
{
    if (query->threshold == measure->threshold && query->strict == measure->strict)
        return;
    query->threshold = measure->threshold;
    query->strict = measure->strict;
    query->relevant_judged = -1;
    query->looked_at = 0;
}

int64_t count_relevant(ranked_query *query, const measure_record *measure)
{
    settle_threshold(query, measure);
    if (query->relevant_judged >= 0)
        return query->relevant_judged;
    int64_t low = 0, high = query->n_judged;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_relevant(query->judged[middle], measure))
            low = middle + 1;
        else
            high = middle;
    }
    query->relevant_judged = low;
    return low;
}

int64_t relevant_within(ranked_query *query, const measure_record *measure, int64_t limit)
{
    settle_threshold(query, measure);
    int64_t *counts = query->relevant_up_to, *ranks = query->relevant_ranks;
    int64_t found = counts[query->looked_at];
    for (int64_t i = query->looked_at; i < limit; i++) {
        ranks[found] = i + 1;
        found += is_relevant(query->labels[i], measure);
        counts[i + 1] = found;
    }
    if (query->looked_at < limit)
        query->looked_at = limit;
    return counts[limit];
}

int64_t relevant_between(ranked_query *query, const measure_record *measure, int64_t first,
                         int64_t last)
{
    int64_t up_to_last = relevant_within(query, measure, last);
    return up_to_last - query->relevant_up_to[first];
}

double hits_within(ranked_query *query, const measure_record *measure, int64_t limit)
{
    if (limit == 0)
        return 0.0;
    int64_t end = query->ends[limit - 1];
    if (end == limit)
        return (double)relevant_within(query, measure, limit);
    int64_t start = limit - 1;
    while (start > 0 && query->ends[start - 1] == end)
        start--;
    int64_t relevant = relevant_between(query, measure, start, end);
    double expected = (double)((limit - start) * relevant) / (double)(end - start);
    return (double)query->relevant_up_to[start] + expected;
}

double discounted_gain(ranked_query *query, const measure_record *measure,
                       const measure_tables *tables, int64_t limit)
{
    discounts by = discounts_of(measure, tables);
    double total = 0.0;
    if (!query->open_ties) {
        for (int64_t i = 0; i < limit; i++)
            total += discounted(gain_of(query->labels[i], measure, tables), &by, i);
        return total;
    }
    for (int64_t start = 0, end; start < limit; start = end) {
        end = query->ends[start];
        double gain = end == start + 1 ? gain_of(query->labels[start], measure, tables)
                                       : mean_gain(query, measure, tables, start, end);
        for (int64_t i = start; i < smaller(end, limit); i++)
            total += discounted(gain, &by, i);
    }
    return total;
}

double mean_gain(const ranked_query *query, const measure_record *measure,
                 const measure_tables *tables, int64_t start, int64_t end)
{
    double total = 0.0;
    for (int64_t i = start; i < end; i++)
        total += gain_of(query->labels[i], measure, tables);
    return total / (double)(end - start);
}

void ideal_gains(ranked_query *query, const measure_record *measure, const measure_tables *tables,
                 int64_t limit)
{
    /* Gains rise with labels except in a table of the user's own. */
    int64_t count = measure->monotone ? limit : query->n_ideal;
    for (int64_t i = 0; i < count; i++)
        query->work[i] = gain_of(query->ideal[i], measure, tables);
    if (!measure->monotone)
        sort_descending(query->work, query->rows, query->room, 0, count);
}
