/* A measure under scores that change little from call to call. */
#include <math.h>

#include "../../measures/prepared_measure.h"

/* Whether the documents of a query stand under `scores` as they stood before, ties included; rows
   that lie outside the query, and scores that are no numbers, do not. */
static int stands(const int64_t *order, const uint8_t *tied, int64_t start, int64_t size,
                  const double *scores)
{
    int same = 1, tie = 0;
    double above = INFINITY;
    for (int64_t i = 0; i < size; i++) {
        uint64_t place = (uint64_t)(order[i] - start);
        if (place >= (uint64_t)size)
            return 0;
        double score = scores[start + (int64_t)place];
        same &= ((score < above) & !tie) | ((score == above) & tie);
        above = score;
        tie = tied[i];
    }
    return same;
}

/* Whether each rank's document has the label and the tie with the next one that it had before; the
   rows and ties of now take the place of those before. */
static int stays_as_it_was(const measuring_room *room, const double *labels, int64_t *order,
                           uint8_t *tied, int64_t size)
{
    int same = 1;
    for (int64_t i = 0; i < size; i++) {
        uint8_t tie = i + 1 < size && room->keys[i] == room->keys[i + 1];
        same &= labels[room->rows[i]] == labels[order[i]] && tie == tied[i];
        order[i] = room->rows[i];
        tied[i] = tie;
    }
    return same;
}

static int64_t follow_query(measuring_room *room, const prepared_measure *measure, int64_t q,
                            const double *scores, int64_t *order, uint8_t *tied, int known,
                            double *values, int64_t *changed)
{
    const query_lists *lists = &measure->lists;
    int64_t start = lists->offsets[q], size = lists->retrieved[q];
    if (known && stands(order + start, tied + start, start, size, scores))
        return DONE;
    int64_t outcome = take_rows(room, measure, q, order);
    int numbers = 1;
    for (int64_t row = start; row < start + size; row++)
        numbers &= scores[row] == scores[row];
    if (outcome != DONE || !numbers)
        return outcome != DONE ? outcome : SCORE_IS_NAN;
    sort_on(room, measure, q, scores);
    int same = stays_as_it_was(room, lists->labels, order + start, tied + start, size);
    if (known && same)
        return DONE;
    begin_query(&room->query, lists, q);
    values[q] = value_of_rows(room, measure, q);
    (*changed)++;
    return room->query.failed ? NO_MEMORY : DONE;
}

/* Bring `values` from the scores of the call before to these. `order` holds the rows of each query
   in rank order, `tied` for each rank whether it ties with the next; both are kept from call to
   call. A query whose labels and ties stand as before keeps its value, unless nothing is `known`
   yet; `changed` is how many do not. */
RANKWISE_API int64_t rankwise_follow(const prepared_measure *measure, const double *scores,
                                     int64_t known, int64_t *order, uint8_t *tied, double *values,
                                     int64_t *changed)
{
    measuring_room room;
    int64_t outcome = open_room(&room, measure);
    *changed = 0;
    for (int64_t q = 0; q < measure->lists.queries && outcome == DONE; q++)
        outcome = follow_query(&room, measure, q, scores, order, tied, known != 0, values,
                               changed);
    close_room(&room);
    return outcome;
}
