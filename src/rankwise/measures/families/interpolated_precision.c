/* IPrec and ElevenPoint; the equations stand in interpolated_precision.py. */
#include <stdlib.h>

#include "../ranked_query.h"

/* Two gigabytes; a system that lends memory freely would give more than it has. */
#define MOST_VALUES ((int64_t)1 << 28)

static int64_t needed_documents(const measure_record *measure, int64_t relevant, double level)
{
    int64_t needed =
        (int64_t)(level * (double)relevant + (measure->level_rule == 0 ? 0.5 : 0.9));
    return needed > 1 ? needed : 1;
}

static int has_mixed_ties(ranked_query *query, const measure_record *measure)
{
    if (!query->open_ties)
        return 0;
    for (int64_t start = 0, end; start < query->retrieved; start = end) {
        end = query->ends[start];
        int64_t relevant = relevant_between(query, measure, start, end);
        if (0 < relevant && relevant < end - start)
            return 1;
    }
    return 0;
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Every t / rank that can occur, ascending; NULL where there is no memory. */
static double *possible_values(ranked_query *query, const measure_record *measure, int64_t needed,
                               int64_t found, int64_t *count)
{
    int64_t levels = found - needed + 1;
    if (levels > MOST_VALUES / query->retrieved)
        return NULL;
    double *values = malloc((size_t)(query->retrieved * levels) * sizeof(double));
    if (values == NULL)
        return NULL;
    int64_t above = 0;
    *count = 0;
    for (int64_t start = 0, end; start < query->retrieved; start = end) {
        end = query->ends[start];
        int64_t relevant = relevant_between(query, measure, start, end);
        for (int64_t i = start; i < end; i++)
            for (int64_t t = above + 1 > needed ? above + 1 : needed; t <= above + relevant; t++)
                values[(*count)++] = (double)t / (double)(i + 1);
        above += relevant;
    }
    qsort(values, (size_t)*count, sizeof(double), ascending);
    return values;
}

/* The chance that t / rank <= bound for every relevant document from the needed-th on. */
static double chance_below(ranked_query *query, const measure_record *measure, int64_t needed,
                           double bound)
{
    double *chance = query->work, survived = 1.0;
    int64_t above = 0;
    for (int64_t start = 0, end; start < query->retrieved; start = end) {
        end = query->ends[start];
        int64_t relevant = relevant_between(query, measure, start, end);
        for (int64_t r = 0; r <= relevant; r++)
            chance[r] = 0.0;
        chance[0] = 1.0;
        for (int64_t i = start; i < end; i++) {
            double left = (double)(end - i);
            for (int64_t r = smaller(relevant, i - start + 1); r >= 0; r--) {
                double stay = chance[r] * (double)((end - i) - (relevant - r)) / left;
                double step =
                    r > 0 ? chance[r - 1] * ((double)(relevant - r) + 1.0) / left : 0.0;
                if (above + r >= needed && (double)(above + r) / (double)(i + 1) > bound)
                    step = 0.0;
                chance[r] = (stay > 0.0 ? stay : 0.0) + step;
            }
        }
        survived *= chance[relevant];
        above += relevant;
    }
    return survived;
}

/* The sum over the values v_1 < v_2 < … of (v_j - v_{j-1}) P(maximum > v_{j-1}). */
static double expected_at_level(ranked_query *query, const measure_record *measure,
                                int64_t needed, int64_t found)
{
    int64_t count;
    double *values = possible_values(query, measure, needed, found, &count);
    if (values == NULL) {
        query->failed = 1;
        return 0.0;
    }
    double total = 0.0, previous = 0.0;
    for (int64_t v = 0; v < count; v++) {
        if (!(values[v] > previous))
            continue;
        double above = 1.0 - chance_below(query, measure, needed, previous);
        if (above <= 0.0)
            break;
        total += (values[v] - previous) * above;
        previous = values[v];
    }
    free(values);
    return total;
}

/* Put the largest t / (rank of the t-th relevant document) over t >= s into `query->work[s]`. */
static void highest_from(ranked_query *query, int64_t found)
{
    double highest = 0.0;
    for (int64_t t = found; t > 0; t--) {
        double precision = (double)t / (double)query->relevant_ranks[t - 1];
        highest = precision > highest ? precision : highest;
        query->work[t] = highest;
    }
}

RANKWISE_API double rankwise_interpolated_precision(ranked_query *query,
                                                    const measure_record *measure,
                                                    const measure_tables *tables)
{
    (void)tables;
    int64_t relevant = count_relevant(query, measure);
    if (relevant == 0)
        return measure->empty;
    int64_t found = relevant_within(query, measure, query->retrieved);
    int64_t needed = needed_documents(measure, relevant, measure->level);
    if (found < needed)
        return 0.0;
    if (has_mixed_ties(query, measure))
        return expected_at_level(query, measure, needed, found);
    highest_from(query, found);
    return query->work[needed];
}

RANKWISE_API double rankwise_eleven_point(ranked_query *query, const measure_record *measure,
                                          const measure_tables *tables)
{
    (void)tables;
    int64_t relevant = count_relevant(query, measure);
    if (relevant == 0)
        return measure->empty;
    int64_t found = relevant_within(query, measure, query->retrieved);
    int mixed = has_mixed_ties(query, measure);
    if (!mixed)
        highest_from(query, found);
    double total = 0.0;
    for (int64_t tenth = 0; tenth <= 10; tenth++) {
        int64_t needed = needed_documents(measure, relevant, (double)tenth / 10.0);
        if (found >= needed)
            total += mixed ? expected_at_level(query, measure, needed, found)
                           : query->work[needed];
    }
    return total / 11.0;
}
