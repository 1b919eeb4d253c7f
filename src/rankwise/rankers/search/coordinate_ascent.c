/* A measure along a line in the space of scores: s, s + d_1 x, s + d_2 x, ... */
#include <math.h>
#include <string.h>

#include "../../measures/prepared_measure.h"

/* Documents with another label than most of their query, up to which counting who stands above
   each of them costs less than sorting. */
#define MOST_OTHERS 32

typedef struct {
    const prepared_measure *measure;
    measuring_room room;
    const double *scores;
    const double *column;
    const double *steps;
    int64_t count;
    double *moved; /* the scores of one step, as far as they belong to the query at hand */

    /* Of the query at hand: the documents that do not have its most frequent label. */
    int64_t usual; /* one that has it */
    int64_t n_others;
    int64_t others[MOST_OTHERS + 1]; /* the last one twice: they are counted in pairs */
    int64_t ranks[MOST_OTHERS + 1];
} line_search;

static int are_all(const double *numbers, int64_t size, double equal_to)
{
    int equal = 1;
    for (int64_t i = 0; i < size; i++)
        equal &= numbers[i] == equal_to;
    return equal;
}

/* Sums of finite numbers may be infinite, but they are always numbers, which sorting needs. */
static int are_finite(const double *numbers, int64_t size)
{
    int finite = 1;
    for (int64_t i = 0; i < size; i++)
        finite &= numbers[i] - numbers[i] == 0.0;
    return finite;
}

/* Note the documents without the query's most frequent label; whether they are few enough. Labels
   that are frequent are met early: at most eight are tried. */
static int find_others(line_search *search, const double *labels, int64_t size)
{
    int64_t best = 0, most = 0;
    for (int64_t i = 0, tried = 0; i < size && tried < 8; i++) {
        int64_t same = 0;
        if (i > 0 && labels[i] == labels[i - 1])
            continue;
        for (int64_t j = 0; j < size; j++)
            same += labels[j] == labels[i];
        if (same > most)
            most = same, best = i;
        tried++;
    }
    search->n_others = 0;
    search->usual = best;
    if (size - most > MOST_OTHERS)
        return 0;
    for (int64_t i = 0; i < size; i++)
        if (labels[i] != labels[best])
            search->others[search->n_others++] = i;
    if (search->n_others > 0)
        search->others[search->n_others] = search->others[search->n_others - 1];
    return 1;
}

/* Numbers side by side: compilers do not see by themselves that counting needs no branch. */
#define WIDTH 4
typedef double aside __attribute__((vector_size(8 * WIDTH)));
typedef int64_t counts __attribute__((vector_size(8 * WIDTH)));

/* The same source once more for processors with vectors of that width; comparisons and sums of
   whole numbers have the same outcome in both. */
/* Not with clang, which ziglang is: its library of the machine's abilities cannot be linked here. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define ALSO_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define ALSO_WIDE
#endif

static int64_t sum_counts(const counts *found)
{
    return (*found)[0] + (*found)[1] + (*found)[2] + (*found)[3];
}

/* Among equals, the documents before `own`. */
static int64_t count_ties(const double *keys, int64_t own, int64_t equal)
{
    int64_t before = 0;
    if (equal > 1)
        for (int64_t i = 0; i < own; i++)
            before += keys[i] == keys[own];
    return before;
}

/* The ranks of two documents: each stands below all with a higher score, and below those before it
   with the same. `size` is a multiple of WIDTH. */
static inline void count_two_ranks(const double *keys, int64_t size, int64_t one, int64_t two,
                                   int64_t *ranks)
{
    counts above_one = {0}, equal_one = {0}, above_two = {0}, equal_two = {0};
    aside score_one = keys[one] - (aside){0}, score_two = keys[two] - (aside){0};
    for (int64_t i = 0; i < size; i += WIDTH) {
        aside here;
        memcpy(&here, keys + i, sizeof here);
        above_one -= (counts)(here > score_one);
        equal_one -= (counts)(here == score_one);
        above_two -= (counts)(here > score_two);
        equal_two -= (counts)(here == score_two);
    }
    ranks[0] = sum_counts(&above_one) + count_ties(keys, one, sum_counts(&equal_one));
    ranks[1] = sum_counts(&above_two) + count_ties(keys, two, sum_counts(&equal_two));
}

/* Rank the others under a step; whether a rank has changed. */
ALSO_WIDE static int count_ranks(line_search *search, int64_t start, int64_t size, double step)
{
    const double *scores = search->scores + start, *column = search->column + start;
    double *keys = search->room.keys;
    int64_t padded = (size + WIDTH - 1) / WIDTH * WIDTH;
    int changed = 0;
    for (int64_t i = 0; i < size; i++)
        keys[i] = scores[i] + step * column[i];
    /* The last documents are counted beside some that stand nowhere. */
    for (int64_t i = size; i < padded; i++)
        keys[i] = NAN;
    for (int64_t t = 0; t < search->n_others; t += 2) {
        int64_t ranks[2], *before = search->ranks + t;
        count_two_ranks(keys, padded, search->others[t], search->others[t + 1], ranks);
        changed |= (ranks[0] != before[0]) | (ranks[1] != before[1]);
        before[0] = ranks[0];
        before[1] = ranks[1];
    }
    return changed;
}

/* The value of query q with the others at their ranks. One of the documents that have the most
   frequent label stands for all of them. */
static double value_of_ranks(line_search *search, int64_t q, int64_t start, int64_t size)
{
    ranked_query *query = &search->room.query;
    for (int64_t i = 0; i < size; i++)
        query->rows[i] = start + search->usual;
    for (int64_t t = 0; t < search->n_others; t++)
        query->rows[search->ranks[t]] = start + search->others[t];
    take_order(query, &search->measure->lists, q, STRICT_ORDER);
    return measure_value(query, search->measure->record, &search->measure->tables);
}

static void follow_by_counting(line_search *search, int64_t q, double *out)
{
    const query_lists *lists = &search->measure->lists;
    int64_t start = lists->offsets[q], size = lists->retrieved[q];
    double value = 0.0;
    for (int64_t k = 0; k < search->count; k++) {
        if (count_ranks(search, start, size, search->steps[k]) || k == 0)
            value = value_of_ranks(search, q, start, size);
        out[k * lists->queries + q] = value;
    }
}

/* Whether the labels stand as they did when the measure was last taken. */
static int labels_stay(const line_search *search, int64_t size)
{
    const double *labels = search->measure->lists.labels, *before = search->room.query.labels;
    int same = 1;
    for (int64_t i = 0; i < size; i++)
        same &= labels[search->room.rows[i]] == before[i];
    return same;
}

/* Each step is sorted on from the order of the one before it, or from that of s, which `order`
   keeps from call to call, where the sign changes. */
static int64_t follow_by_sorting(line_search *search, int64_t q, int64_t *order, double *out)
{
    const query_lists *lists = &search->measure->lists;
    int64_t start = lists->offsets[q], size = lists->retrieved[q];
    int64_t outcome = take_rows(&search->room, search->measure, q, order);
    int strict = search->measure->tie_mode == STRICT_ORDER;
    double previous = 0.0, value = 0.0;
    if (outcome != DONE)
        return outcome;
    sort_on(&search->room, search->measure, q, search->scores);
    memcpy(order + start, search->room.rows, (size_t)size * sizeof(int64_t));
    for (int64_t k = 0; k < search->count; k++) {
        double step = search->steps[k];
        if (step * previous <= 0.0)
            memcpy(search->room.rows, order + start, (size_t)size * sizeof(int64_t));
        previous = step;
        for (int64_t row = start; row < start + size; row++)
            search->moved[row] = search->scores[row] + step * search->column[row];
        sort_on(&search->room, search->measure, q, search->moved);
        if (k == 0 || !strict || !labels_stay(search, size))
            value = value_of_rows(&search->room, search->measure, q);
        out[k * lists->queries + q] = value;
    }
    return DONE;
}

/* The values of query q under all steps. In a strict order the measure sees nothing but the labels
   by rank: a query whose labels are all equal has one value. */
static int64_t follow_query(line_search *search, int64_t q, int64_t *order, double *out)
{
    const query_lists *lists = &search->measure->lists;
    int64_t start = lists->offsets[q], size = lists->retrieved[q], all = search->count;
    int strict = search->measure->tie_mode == STRICT_ORDER && lists->priority == NULL;
    int few = strict && find_others(search, lists->labels + start, size);
    int still = are_all(search->column + start, size, 0.0) || (few && search->n_others == 0);
    int64_t outcome = DONE;
    if (!are_finite(search->scores + start, size) || !are_finite(search->column + start, size))
        return SCORE_IS_NAN;
    begin_query(&search->room.query, lists, q);
    if (still)
        search->count = 1;
    if (few)
        follow_by_counting(search, q, out);
    else
        outcome = follow_by_sorting(search, q, order, out);
    search->count = all;
    for (int64_t k = 1; still && k < all; k++)
        out[k * lists->queries + q] = out[q];
    return search->room.query.failed ? NO_MEMORY : outcome;
}

/* out[k, q] = the value of query q under the scores s + steps[k] x. `order` holds the
   rows of each query in some order. `moved` is as long as the scores. */
RANKWISE_API int64_t rankwise_values_along(const prepared_measure *measure, const double *scores,
                                           const double *column, const double *steps,
                                           int64_t count, int64_t *order, double *moved,
                                           double *out)
{
    if (count < 1 || !are_finite(steps, count))
        return SCORE_IS_NAN;
    line_search search = {.measure = measure, .scores = scores, .column = column, .steps = steps,
                          .count = count, .moved = moved};
    int64_t outcome = open_room(&search.room, measure);
    for (int64_t q = 0; q < measure->lists.queries && outcome == DONE; q++)
        outcome = follow_query(&search, q, order, out);
    close_room(&search.room);
    return outcome;
}
