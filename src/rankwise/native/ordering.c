/* Sorting a query's documents. NaN never comes here: scores are checked before. */
#include "ordering.h"

#define RUN 16

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* A document's place in its run of sixteen is the number of those that go before it: counting
   needs no branch on the data, which is what an insertion sort loses its time on. */
static void sort_run(double *keys, int64_t *rows, int64_t left, int64_t right, int64_t room)
{
    const double *run = keys + left;
    for (int64_t i = 0; i < right - left; i++) {
        double key = run[i];
        int64_t place = room + left;
        for (int64_t j = 0; j < i; j++)
            place += run[j] >= key;
        for (int64_t j = i + 1; j < right - left; j++)
            place += run[j] > key;
        keys[place] = key;
        rows[place] = rows[left + i];
    }
    for (int64_t i = left; i < right; i++) {
        keys[i] = keys[room + i];
        rows[i] = rows[room + i];
    }
}

static void merge(double *keys, int64_t *rows, int64_t left, int64_t middle, int64_t right,
                  int64_t source, int64_t target)
{
    int64_t i = left + source, end_i = middle + source;
    int64_t j = middle + source, end_j = right + source;
    int64_t out = left + target;
    while (i < end_i && j < end_j) {
        int later = keys[j] > keys[i];
        int64_t from = later ? j : i;
        keys[out] = keys[from];
        rows[out] = rows[from];
        j += later;
        i += !later;
        out++;
    }
    for (; i < end_i; i++, out++) {
        keys[out] = keys[i];
        rows[out] = rows[i];
    }
    for (; j < end_j; j++, out++) {
        keys[out] = keys[j];
        rows[out] = rows[j];
    }
}

void sort_descending(double *keys, int64_t *rows, int64_t room, int64_t first, int64_t last)
{
    int64_t width = RUN, source = 0, target = room;
    for (int64_t left = first; left < last; left += RUN)
        sort_run(keys, rows, left, smaller(left + RUN, last), room);
    for (; width < last - first; width *= 2) {
        for (int64_t left = first; left < last; left += 2 * width)
            merge(keys, rows, left, smaller(left + width, last), smaller(left + 2 * width, last),
                  source, target);
        source = room - source;
        target = room - target;
    }
    if (source != 0)
        for (int64_t i = first; i < last; i++) {
            keys[i] = keys[room + i];
            rows[i] = rows[room + i];
        }
}

RANKWISE_API void rankwise_sort_descending(double *keys, int64_t *rows, int64_t room,
                                           int64_t first, int64_t last)
{
    if (0 <= first && first <= last && last <= room)
        sort_descending(keys, rows, room, first, last);
}

void rank_rows(const double *scores, const double *priority, int64_t start, int64_t size,
               double *keys, int64_t *rows, int64_t room)
{
    for (int64_t i = 0; i < size; i++) {
        keys[i] = scores[start + i];
        rows[i] = start + i;
    }
    sort_descending(keys, rows, room, 0, size);
    if (priority == NULL)
        return;
    for (int64_t first = 0, last; first < size; first = last) {
        for (last = first + 1; last < size && keys[last] == keys[first]; last++) {
        }
        if (last == first + 1)
            continue;
        double score = keys[first];
        for (int64_t i = first; i < last; i++)
            keys[i] = priority[rows[i]];
        sort_descending(keys, rows, room, first, last);
        for (int64_t i = first; i < last; i++)
            keys[i] = score;
    }
}
