/* ERR; the equations stand in expected_reciprocal_rank.py. */
#include <math.h>

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

/* Dividing by a power of two is multiplying by its inverse, to the bit, and quicker. */
static double inverse_of(double scale)
{
    int exponent;
    return frexp(scale, &exponent) == 0.5 ? 1.0 / scale : 0.0;
}

static double in_strict_order(const ranked_query *query, const measure_record *measure,
                              const measure_tables *tables, int64_t limit)
{
    double total = 0.0, going_on = 1.0, inverse = inverse_of(measure->scale);
    for (int64_t i = 0; i < limit; i++) {
        double gain = gain_of(query->labels[i], measure, tables);
        double stop = inverse > 0.0 ? gain * inverse : gain / measure->scale;
        total += going_on * stop / (double)(i + 1);
        going_on *= 1.0 - stop;
    }
    return total;
}

RANKWISE_API double rankwise_expected_reciprocal_rank(ranked_query *query,
                                                      const measure_record *measure,
                                                      const measure_tables *tables)
{
    if (query->n_judged == 0 || !(gain_of(query->judged[0], measure, tables) > 0.0))
        return measure->empty;
    int64_t limit = within(measure, query->retrieved);
    if (!query->open_ties)
        return in_strict_order(query, measure, tables, limit);
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
