/* ERR; the equations stand in expected_reciprocal_rank.py. */
#include "../ranked_query.h"

/* Put p_0, p_1, … of the tie group at ranks start .. end - 1 into `query->work`. */
static void products(ranked_query *query, const measure_record *measure,
                     const measure_tables *tables, int64_t start, int64_t end)
{
    double *chances = query->work;
    chances[0] = 1.0;
    for (int64_t size = 1; size <= end - start; size++) {
        double label = query->labels[start + size - 1];
        double passing = 1.0 - gain_of(label, measure, tables) / measure->scale;
        chances[size] = 0.0;
        for (int64_t j = size; j > 0; j--) {
            double kept = (double)(size - j) * chances[j];
            chances[j] = (kept + (double)j * passing * chances[j - 1]) / (double)size;
        }
    }
}

RANKWISE_API double rankwise_expected_reciprocal_rank(ranked_query *query,
                                                      const measure_record *measure,
                                                      const measure_tables *tables)
{
    if (query->n_judged == 0 || !(gain_of(query->judged[0], measure, tables) > 0.0))
        return measure->empty;
    int64_t limit = within(measure, query->retrieved);
    double total = 0.0, going_on = 1.0;
    for (int64_t start = 0, end; start < limit; start = end) {
        end = query->ends[start];
        if (end == start + 1) {
            double stop = gain_of(query->labels[start], measure, tables) / measure->scale;
            total += going_on * stop / (double)end;
            going_on *= 1.0 - stop;
            continue;
        }
        products(query, measure, tables, start, end);
        for (int64_t j = 0; j < smaller(end, limit) - start; j++) {
            double stopped = query->work[j] - query->work[j + 1];
            total += going_on * stopped / (double)(start + j + 1);
        }
        going_on *= query->work[end - start];
    }
    return total;
}
