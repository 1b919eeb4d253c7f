/* RMSE; the equation stands in root_mean_square_error.py. */
#include <math.h>

#include "../ranked_query.h"

RANKWISE_API double rankwise_root_mean_square_error(ranked_query *query,
                                                    const measure_record *measure,
                                                    const measure_tables *tables)
{
    (void)measure, (void)tables;
    if (query->retrieved == 0)
        return 0.0;
    double total = 0.0;
    for (int64_t i = 0; i < query->retrieved; i++) {
        double difference = query->scores[i] - known_label(query->labels[i]);
        total += difference * difference;
    }
    return sqrt(total / (double)query->retrieved);
}
