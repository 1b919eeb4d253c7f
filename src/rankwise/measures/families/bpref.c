/* Bpref; the equations stand in bpref.py. */
#include "../ranked_query.h"

/* The term of a relevant document with `above` judged non-relevant ones above it. */
static double term(int64_t above, int64_t relevant, int64_t bound)
{
    return above > 0 ? 1.0 - (double)smaller(above, relevant) / (double)bound : 1.0;
}

/* The expected term over a document's places among the `others` of its tie group. */
static double expected_term(int64_t above, int64_t others, int64_t relevant, int64_t bound)
{
    double total = 0.0;
    for (int64_t a = above; a <= above + others; a++)
        total += term(a, relevant, bound);
    return total / (double)(others + 1);
}

/* Where all documents are judged, those above the t-th relevant one are relevant or count. */
static double terms_of_judged(ranked_query *query, const measure_record *measure,
                              int64_t relevant, int64_t bound)
{
    double total = 0.0;
    int64_t found = relevant_within(query, measure, query->retrieved);
    for (int64_t t = 0; t < found; t++)
        total += term(query->relevant_ranks[t] - 1 - t, relevant, bound);
    return total;
}

static double expected_terms(const ranked_query *query, const measure_record *measure,
                             int64_t relevant, int64_t bound)
{
    double total = 0.0;
    int64_t above = 0;
    for (int64_t start = 0, end; start < query->retrieved; start = end) {
        int64_t found = 0, others = 0;
        end = query->ends[start];
        for (int64_t i = start; i < end; i++) {
            int hit = is_relevant(query->labels[i], measure);
            found += hit;
            others += !hit && query->labels[i] == query->labels[i];
        }
        if (found > 0)
            total += (double)found * expected_term(above, others, relevant, bound);
        above += others;
    }
    return total;
}

RANKWISE_API double rankwise_bpref(ranked_query *query, const measure_record *measure,
                                   const measure_tables *tables)
{
    (void)tables;
    int64_t relevant = count_relevant(query, measure);
    if (relevant == 0)
        return measure->empty;
    int64_t bound = smaller(relevant, query->n_judged - relevant);
    int plain = !query->open_ties && query->n_unjudged == 0;
    double total = plain ? terms_of_judged(query, measure, relevant, bound)
                         : expected_terms(query, measure, relevant, bound);
    return total / (double)relevant;
}
