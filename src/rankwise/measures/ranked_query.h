/* One query's documents in rank order, as the C functions of the families see them.

   A family's function has the signature of `measure_function`: it reads the ranked query, the
   measure as numbers (rankwise/measures/computation.py writes the records) and the tables of gains and
   discounts, and returns the query's value. What several families need (relevant documents up to a
   rank, discounted gains, …) is declared at the end and kept in the query once it is known. */
#ifndef RANKWISE_RANKED_QUERY_H
#define RANKWISE_RANKED_QUERY_H

#include "core.h"

#define GAIN_LEVELS 64

enum tie_mode { STRICT_ORDER = 0, EXPECTED_TIES = 1, UNDEFINED_TIES = 2 };
enum gain_rule { GAIN_EXPONENTIAL = 0, GAIN_LINEAR = 1, GAIN_TRUNCATED = 2, GAIN_ZERO = 3 };
enum discount_rule { DISCOUNT_LOG2 = 0, DISCOUNT_LETOR = 1, DISCOUNT_POSITION = 2 };
enum short_rule { SHORT_CUT = 0, SHORT_ZERO = 1, SHORT_ABSENT = 2 };

typedef struct ranked_query ranked_query;
typedef struct measure_record measure_record;
typedef struct measure_tables measure_tables;
typedef double measure_function(ranked_query *, const measure_record *, const measure_tables *);

/* A measure as numbers; every member has eight bytes, as in `RECORD` of plan.py. */
struct measure_record {
    measure_function *compute; /* NULL: a Python function computes it */
    int64_t number;            /* its place in the plan: row of the table of gains */
    int64_t cutoff;            /* 0: the whole list */
    int64_t gain_rule;
    int64_t monotone;          /* whether gains rise with labels */
    int64_t discount;          /* row of the tables of discounts; -1: none */
    double threshold;
    int64_t strict;            /* whether a relevant label must exceed the threshold */
    double empty;
    int64_t short_rule;
    int64_t denominator;       /* place among the family's denominators */
    double scale;
    double persistence;
    double level;
    int64_t level_rule;
};

/* What no document should have to compute. The term of rank i (from 0) is
   gain * weights[i] / divisors[i]: two tables, because the LETOR scripts multiply by ln 2 and then
   divide by ln i, and print all digits of the result. */
struct measure_tables {
    const double *gains;    /* (measures, GAIN_LEVELS) */
    const double *weights;  /* (discounts, reach) */
    const double *divisors; /* (discounts, reach) */
    int64_t reach;
};

struct ranked_query {
    /* In rank order; a label is NaN where a document was never judged. */
    double *labels;
    double *scores;
    int64_t *ends;        /* for each rank the end of its tie group; rank + 1 in a strict order */
    int64_t retrieved;
    int open_ties;        /* whether a tie group has several documents */

    /* All judged labels of the query, and those of its ideal list, descending. */
    double *judged;
    double *ideal;        /* nearly always `judged` */
    int64_t n_judged;
    int64_t n_ideal;
    int64_t n_unjudged;   /* documents that were never judged */
    int whole_labels;     /* whether all labels are NaN or whole numbers from 0 below GAIN_LEVELS */

    double *work;         /* room for a family's own sums: 2 * room + 2 */
    int64_t room;         /* the longest query's documents */
    int failed;           /* set by a family that found no memory */

    /* Kept from family to family, and read through the functions below. */
    double threshold;        /* of the relevance that is known */
    int64_t strict;
    int64_t relevant_judged; /* -1: not counted yet */
    int64_t looked_at;       /* ranks whose relevance is known */
    int64_t *relevant_up_to; /* relevant documents among the first i ranks */
    int64_t *relevant_ranks; /* the rank (from 1) of the t-th relevant document (from 0) */
    double *ideal_sums;      /* per measure; below 0: not computed yet */
    double pairs;            /* pairs of different labels; below 0: not counted yet */
    double wrong_pairs;

    /* Of the pass that ranks: rows in rank order, room for sorting, the labels of another ideal. */
    int64_t *rows;           /* 2 * room; the scores beside them are `scores`, as long */
    double *other_ideal;
    int64_t measures;
};

static inline int is_relevant(double label, const measure_record *measure)
{
    return measure->strict ? label > measure->threshold : label >= measure->threshold;
}

static inline double known_label(double label) { return label == label ? label : 0.0; }

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* How many of `length` documents the cut-off lets through. */
static inline int64_t within(const measure_record *measure, int64_t length)
{
    return measure->cutoff == 0 ? length : smaller(measure->cutoff, length);
}

double computed_gain(double label, const measure_record *measure);

/* The gain of a label: from the table where it is a small whole number. */
static inline double gain_of(double label, const measure_record *measure,
                             const measure_tables *tables)
{
    if (label >= 0.0 && label < (double)GAIN_LEVELS) {
        int64_t whole = (int64_t)label;
        if (label == (double)whole)
            return tables->gains[measure->number * GAIN_LEVELS + whole];
    }
    return computed_gain(label, measure);
}

/* What gains at the ranks are multiplied by, and then divided by: NULL where that is 1. */
typedef struct {
    const double *weights;
    const double *divisors;
} discounts;

static inline discounts discounts_of(const measure_record *measure, const measure_tables *tables)
{
    int64_t row = measure->discount * tables->reach;
    const double *divisors = measure->discount == DISCOUNT_LETOR ? tables->divisors + row : NULL;
    return (discounts){tables->weights + row, divisors};
}

static inline double discounted(double gain, const discounts *by, int64_t rank)
{
    double weighted = gain * by->weights[rank];
    return by->divisors == NULL ? weighted : weighted / by->divisors[rank];
}

/* R: the number of relevant documents among all judged ones. */
int64_t count_relevant(ranked_query *query, const measure_record *measure);

/* Relevant documents among the first `limit` ranks, and their ranks, the first found first. */
int64_t relevant_within(ranked_query *query, const measure_record *measure, int64_t limit);

/* The number of relevant documents at ranks first .. last - 1 (from 0). */
int64_t relevant_between(ranked_query *query, const measure_record *measure, int64_t first,
                         int64_t last);

/* As `relevant_within`; where ties are open, a group of m documents with r relevant ones of which j
   ranks lie within the limit is expected to bring j r / m. */
double hits_within(ranked_query *query, const measure_record *measure, int64_t limit);

/* DCG of the ranked list; a tie group spreads its mean gain over its ranks. */
double discounted_gain(ranked_query *query, const measure_record *measure,
                       const measure_tables *tables, int64_t limit);

/* The mean gain of the tie group at ranks start .. end - 1. */
double mean_gain(const ranked_query *query, const measure_record *measure,
                 const measure_tables *tables, int64_t start, int64_t end);

/* Put the `limit` largest gains of the ideal list into `query->work`, descending. */
void ideal_gains(ranked_query *query, const measure_record *measure, const measure_tables *tables,
                 int64_t limit);

#endif
