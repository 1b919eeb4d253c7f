/* Room for measuring, and sorting on from an order that was right a moment ago. */
#include "prepared_measure.h"

#include <stdlib.h>
#include <string.h>

#include "ordering.h"

/* Moves per document after which sorting afresh costs less than sorting on. */
#define MOVES_WORTH_IT 8

int64_t open_room(measuring_room *room, const prepared_measure *measure)
{
    const query_lists *lists = &measure->lists;
    room->block = NULL;
    if (measure->record_size != (int64_t)sizeof(measure_record) ||
        !lists_fit(lists, 0, lists->queries))
        return LISTS_DO_NOT_FIT;
    int64_t longest = longest_list(lists, 0, lists->queries);
    if (!tables_reach(measure->record, 1, &measure->tables, longest))
        return LISTS_DO_NOT_FIT;
    double *block = make_room(&room->query, longest, 1);
    if (block == NULL)
        return NO_MEMORY;
    /* make_room has refused lengths whose multiples do not fit a size. */
    int64_t room_of_keys = 2 * longest + PADDING_OF_KEYS;
    room->keys = malloc((size_t)(room_of_keys + 2 * longest + 4) * sizeof(double));
    if (room->keys == NULL) {
        free(block);
        return NO_MEMORY;
    }
    room->rows = (int64_t *)(room->keys + room_of_keys);
    room->block = block;
    return DONE;
}

void close_room(measuring_room *room)
{
    if (room->block == NULL)
        return;
    free(room->keys);
    free(room->block);
}

int64_t take_rows(measuring_room *room, const prepared_measure *measure, int64_t q,
                  const int64_t *order)
{
    int64_t start = measure->lists.offsets[q], size = measure->lists.retrieved[q];
    int within_query = 1;
    for (int64_t i = 0; i < size; i++) {
        int64_t row = order[start + i];
        within_query &= row >= start && row < start + size;
        room->rows[i] = row;
    }
    return within_query ? DONE : LISTS_DO_NOT_FIT;
}

static int goes_before(double key, int64_t row, double other_key, int64_t other,
                       const double *priority)
{
    if (key != other_key)
        return key > other_key;
    if (priority != NULL && priority[row] != priority[other])
        return priority[row] > priority[other];
    return row < other;
}

void sort_on(measuring_room *room, const prepared_measure *measure, int64_t q,
             const double *scores)
{
    const double *priority = measure->lists.priority;
    int64_t size = measure->lists.retrieved[q], *rows = room->rows, moves = 0;
    double *keys = room->keys;
    for (int64_t i = 0; i < size; i++)
        keys[i] = scores[rows[i]];
    for (int64_t i = 1; i < size; i++) {
        double key = keys[i];
        if (keys[i - 1] > key)
            continue;
        int64_t row = rows[i], j = i;
        while (j > 0 && goes_before(key, row, keys[j - 1], rows[j - 1], priority)) {
            keys[j] = keys[j - 1];
            rows[j] = rows[j - 1];
            j--;
        }
        keys[j] = key;
        rows[j] = row;
        moves += i - j;
        if (moves > MOVES_WORTH_IT * size) {
            rank_rows(scores, priority, measure->lists.offsets[q], size, keys, rows,
                      room->query.room);
            return;
        }
    }
}

double value_of_rows(measuring_room *room, const prepared_measure *measure, int64_t q)
{
    ranked_query *query = &room->query;
    size_t size = (size_t)measure->lists.retrieved[q];
    memcpy(query->rows, room->rows, size * sizeof(int64_t));
    memcpy(query->scores, room->keys, size * sizeof(double));
    take_order(query, &measure->lists, q, measure->tie_mode);
    return measure_value(query, measure->record, &measure->tables);
}
