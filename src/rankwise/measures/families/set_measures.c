/* SetP, SetRecall, SetAP and SetF; the equations stand in set_measures.py. */
#include "../ranked_query.h"

typedef double combination(double precision, double recall);

static double set_measure(ranked_query *query, const measure_record *measure,
                          combination *combined)
{
    int64_t relevant = count_relevant(query, measure);
    if (relevant == 0)
        return measure->empty;
    int64_t found = relevant_within(query, measure, query->retrieved);
    if (found == 0)
        return 0.0;
    return combined((double)found / (double)query->retrieved, (double)found / (double)relevant);
}

static double first(double precision, double recall) { return (void)recall, precision; }

static double second(double precision, double recall) { return (void)precision, recall; }

static double product(double precision, double recall) { return precision * recall; }

static double harmonic(double precision, double recall)
{
    return 2.0 * precision * recall / (precision + recall);
}

RANKWISE_API double rankwise_set_precision(ranked_query *query, const measure_record *measure,
                                           const measure_tables *tables)
{
    (void)tables;
    return set_measure(query, measure, first);
}

RANKWISE_API double rankwise_set_recall(ranked_query *query, const measure_record *measure,
                                        const measure_tables *tables)
{
    (void)tables;
    return set_measure(query, measure, second);
}

RANKWISE_API double rankwise_set_average_precision(ranked_query *query,
                                                   const measure_record *measure,
                                                   const measure_tables *tables)
{
    (void)tables;
    return set_measure(query, measure, product);
}

RANKWISE_API double rankwise_set_f(ranked_query *query, const measure_record *measure,
                                   const measure_tables *tables)
{
    (void)tables;
    return set_measure(query, measure, harmonic);
}
