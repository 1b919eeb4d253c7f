/* AP; the equations stand in average_precision.py. */
#include "../ranked_query.h"

static double tied_precisions(int64_t start, int64_t end, int64_t above, int64_t relevant,
                              int64_t limit)
{
    double size = (double)(end - start), total = 0.0;
    for (int64_t j = 0; j < smaller(end, limit) - start; j++) {
        double expected_above =
            (double)above + 1.0 + (double)j * ((double)relevant - 1.0) / (size - 1.0);
        total += (double)relevant / size * expected_above / (double)(start + j + 1);
    }
    return total;
}

static double expected_precisions(ranked_query *query, const measure_record *measure,
                                  int64_t limit)
{
    double total = 0.0;
    int64_t above = 0;
    for (int64_t start = 0, end; start < limit; start = end) {
        end = query->ends[start];
        int64_t relevant = relevant_between(query, measure, start, end);
        if (end > start + 1)
            total += tied_precisions(start, end, above, relevant, limit);
        else if (relevant > 0)
            total += (double)(above + 1) / (double)end;
        above += relevant;
    }
    return total;
}

static double precisions(ranked_query *query, const measure_record *measure, int64_t limit)
{
    if (query->open_ties)
        return expected_precisions(query, measure, limit);
    double total = 0.0;
    int64_t found = relevant_within(query, measure, limit);
    for (int64_t t = 0; t < found; t++)
        total += (double)(t + 1) / (double)query->relevant_ranks[t];
    return total;
}

RANKWISE_API double rankwise_average_precision(ranked_query *query, const measure_record *measure,
                                               const measure_tables *tables)
{
    (void)tables;
    int64_t relevant = count_relevant(query, measure);
    if (relevant == 0)
        return measure->empty;
    int64_t divisor = relevant;
    if (measure->denominator == 1 && measure->cutoff > 0)
        divisor = smaller(relevant, measure->cutoff);
    return precisions(query, measure, within(measure, query->retrieved)) / (double)divisor;
}
