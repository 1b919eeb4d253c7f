/* A measure along a line in the space of scores: s, s + d_1 x, s + d_2 x, ... */
#include "../training/prepared_measure.h"

typedef struct {
    const prepared_measure *measure;
    measuring_room room;
    const double *scores;
    const double *column;
    const double *steps;
    int64_t count;
    double *moved; /* the scores of one step, as far as they belong to the query at hand */
} line_search;

static int are_all(const double *numbers, int64_t size, double equal_to)
{
    int equal = 1;
    for (int64_t i = 0; i < size; i++)
        equal &= numbers[i] == equal_to;
    return equal;
}

/* The scores of a step; whether all are numbers. */
static int move(line_search *search, int64_t start, int64_t size, double step)
{
    int numbers = 1;
    for (int64_t row = start; row < start + size; row++) {
        search->moved[row] = search->scores[row] + step * search->column[row];
        numbers &= search->moved[row] == search->moved[row];
    }
    return numbers;
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

/* Whether query q has one value under all steps: its scores do not move, or all its labels are
   equal and stand in a strict order. */
static int is_still(const line_search *search, int64_t q)
{
    const query_lists *lists = &search->measure->lists;
    int64_t start = lists->offsets[q], size = lists->retrieved[q];
    if (size == 0 || are_all(search->column + start, size, 0.0))
        return 1;
    return search->measure->tie_mode == STRICT_ORDER &&
           are_all(lists->labels + start, size, lists->labels[start]);
}

/* The values of query q under all steps. Each step is sorted on from the order of the one before
   it, or from that of s where the sign changes; in a strict order the measure is taken anew only
   where documents of different labels have changed places. */
static int64_t follow_query(line_search *search, int64_t q, int64_t *order, double *out)
{
    const query_lists *lists = &search->measure->lists;
    int64_t start = lists->offsets[q], size = lists->retrieved[q], outcome;
    int strict = search->measure->tie_mode == STRICT_ORDER, still = is_still(search, q);
    double previous = 0.0, value = 0.0;
    outcome = take_rows(&search->room, search->measure, q, order);
    if (outcome != DONE)
        return outcome;
    if (!move(search, start, size, 0.0))
        return SCORE_IS_NAN;
    sort_on(&search->room, search->measure, q, search->moved);
    for (int64_t i = 0; i < size; i++)
        order[start + i] = search->room.rows[i];
    begin_query(&search->room.query, lists, q);
    for (int64_t k = 0; k < search->count; k++) {
        double step = search->steps[k];
        if (k == 0 || !still) {
            if (step * previous <= 0.0)
                take_rows(&search->room, search->measure, q, order);
            previous = step;
            if (!move(search, start, size, step))
                return SCORE_IS_NAN;
            sort_on(&search->room, search->measure, q, search->moved);
            if (k == 0 || !strict || !labels_stay(search, size))
                value = value_of_rows(&search->room, search->measure, q);
        }
        out[k * lists->queries + q] = value;
    }
    return search->room.query.failed ? NO_MEMORY : DONE;
}

/* out[k, q] = the value of query q under the scores s + steps[k] x. `order` holds the rows of each
   query in some order and is brought into rank order under s. `moved` is as long as the scores. */
RANKWISE_API int64_t rankwise_values_along(const prepared_measure *measure, const double *scores,
                                           const double *column, const double *steps,
                                           int64_t count, int64_t *order, double *moved,
                                           double *out)
{
    line_search search = {.measure = measure, .scores = scores, .column = column, .steps = steps,
                          .count = count, .moved = moved};
    int64_t outcome = open_room(&search.room, measure);
    for (int64_t q = 0; q < measure->lists.queries && outcome == DONE; q++)
        outcome = follow_query(&search, q, order, out);
    close_room(&search.room);
    return outcome;
}
