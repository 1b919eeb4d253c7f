/* Sorting a query's documents. NaN never comes here: scores are checked before.

   A stable order is one and the same whatever finds it, so that speed alone decides: scores of a
   query mostly lie evenly enough to be thrown into buckets by their value, after which few have to
   move; where too many do, short runs are sorted and merged. */
#include "ordering.h"

#include <string.h>

#define RUN 16
#define FEWEST_IN_BUCKETS 24
#define CHUNK 1024
#define BUCKETS (2 * CHUNK)
/* Documents in a bucket from which it matters whether their keys are equal. */
#define CROWD 8
#define LOOKS 16
/* Moves per document after which merging is quicker. */
#define MOVES_WORTH_IT 2

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

/* Merge two runs from both ends at once. As many steps as the shorter run has documents need no
   look at the ends, and the choice between the runs is arithmetic: neither is a branch. */
static void merge(const double *keys, const int64_t *rows, double *merged, int64_t *merged_rows,
                  int64_t left, int64_t middle, int64_t right)
{
    int64_t i = left, j = middle, out = left;
    int64_t last_i = middle - 1, last_j = right - 1, last_out = right - 1;
    for (int64_t steps = smaller(middle - left, right - middle); steps > 0; steps--) {
        int64_t later = keys[j] > keys[i], from = i ^ ((i ^ j) & -later);
        merged[out] = keys[from];
        merged_rows[out++] = rows[from];
        j += later;
        i += 1 - later;
        int64_t earlier = keys[last_j] > keys[last_i];
        from = last_j ^ ((last_i ^ last_j) & -earlier);
        merged[last_out] = keys[from];
        merged_rows[last_out--] = rows[from];
        last_i -= earlier;
        last_j -= 1 - earlier;
    }
    while (i <= last_i && j <= last_j) {
        int64_t later = keys[j] > keys[i], from = i ^ ((i ^ j) & -later);
        merged[out] = keys[from];
        merged_rows[out++] = rows[from];
        j += later;
        i += 1 - later;
    }
    for (; i <= last_i; i++, out++) {
        merged[out] = keys[i];
        merged_rows[out] = rows[i];
    }
    for (; j <= last_j; j++, out++) {
        merged[out] = keys[j];
        merged_rows[out] = rows[j];
    }
}

/* Merge runs of `width` that are sorted until all of first .. last - 1 is. */
static void merge_runs(double *keys, int64_t *rows, int64_t room, int64_t first, int64_t last,
                       int64_t width)
{
    int64_t source = 0, target = room;
    for (; width < last - first; width *= 2) {
        for (int64_t left = first; left < last; left += 2 * width)
            merge(keys + source, rows + source, keys + target, rows + target, left,
                  smaller(left + width, last), smaller(left + 2 * width, last));
        source = room - source;
        target = room - target;
    }
    if (source != 0) {
        size_t bytes = (size_t)(last - first) * sizeof(double);
        memcpy(keys + first, keys + room + first, bytes);
        memcpy(rows + first, rows + room + first, bytes);
    }
}

static void find_range(const double *keys, int64_t size, double *low, double *high)
{
    double lowest[4] = {keys[0], keys[0], keys[0], keys[0]};
    double highest[4] = {keys[0], keys[0], keys[0], keys[0]};
    int64_t i = 0;
    for (; i + 4 <= size; i += 4)
        for (int64_t lane = 0; lane < 4; lane++) {
            double key = keys[i + lane];
            lowest[lane] = key < lowest[lane] ? key : lowest[lane];
            highest[lane] = key > highest[lane] ? key : highest[lane];
        }
    for (; i < size; i++) {
        lowest[0] = keys[i] < lowest[0] ? keys[i] : lowest[0];
        highest[0] = keys[i] > highest[0] ? keys[i] : highest[0];
    }
    *low = lowest[0], *high = highest[0];
    for (int64_t lane = 1; lane < 4; lane++) {
        *low = lowest[lane] < *low ? lowest[lane] : *low;
        *high = highest[lane] > *high ? highest[lane] : *high;
    }
}

/* Insert the documents of `from` one by one into keys; return how many were, which is fewer than
   all where they had to move too far. */
static int64_t insert_all(double *keys, int64_t *rows, const double *from,
                          const int64_t *from_rows, int64_t size)
{
    int64_t moves = MOVES_WORTH_IT * size, i = 0;
    for (; i < size && moves >= 0; i++) {
        double key = from[i];
        int64_t j = i;
        for (; j > 0 && keys[j - 1] < key; j--) {
            keys[j] = keys[j - 1];
            rows[j] = rows[j - 1];
        }
        keys[j] = key;
        rows[j] = from_rows[i];
        moves -= i - j;
    }
    return i;
}

/* Whether scores repeat each other, by a look at the first ones: a crowd of equal keys is sorted
   as it stands, one of different keys is not. */
static int few_values(const double *keys, int64_t size)
{
    int64_t equal = 0, looks = smaller(size, LOOKS);
    for (int64_t i = 0; i < looks; i++)
        for (int64_t j = 0; j < i; j++)
            equal += keys[i] == keys[j];
    return equal >= looks / 2;
}

/* Sort up to CHUNK documents by buckets; 0 where merging has to finish it. Equal keys share a
   bucket and keep their order at every stage, so that giving up does no harm. */
static int sort_by_buckets(double *keys, int64_t *rows, double *spare, int64_t *spare_rows,
                           int64_t size)
{
    uint16_t places[BUCKETS], bucket_of[CHUNK], before = 0, most = 0;
    int64_t buckets = 2 * size;
    double low, high;
    find_range(keys, size, &low, &high);
    double scale = (double)(buckets - 1) / (high - low);
    if (!(high - low < 1e300 && scale < 1e300))
        return 0;
    memset(places, 0, (size_t)buckets * sizeof places[0]);
    for (int64_t i = 0; i < size; i++) {
        bucket_of[i] = (uint16_t)((high - keys[i]) * scale);
        places[bucket_of[i]]++;
    }
    for (int64_t bucket = 0; bucket < buckets; bucket++) {
        uint16_t count = places[bucket];
        places[bucket] = before;
        before = (uint16_t)(before + count);
        most = count > most ? count : most;
    }
    if (most > CROWD + size / 16 && !few_values(keys, size))
        return 0;
    for (int64_t i = 0; i < size; i++) {
        int64_t place = places[bucket_of[i]]++;
        spare[place] = keys[i];
        spare_rows[place] = rows[i];
    }
    int64_t done = insert_all(keys, rows, spare, spare_rows, size);
    memcpy(keys + done, spare + done, (size_t)(size - done) * sizeof(double));
    memcpy(rows + done, spare_rows + done, (size_t)(size - done) * sizeof(int64_t));
    return done == size;
}

static void sort_chunk(double *keys, int64_t *rows, int64_t room, int64_t first, int64_t last)
{
    if (last - first >= FEWEST_IN_BUCKETS &&
        sort_by_buckets(keys + first, rows + first, keys + room + first, rows + room + first,
                        last - first))
        return;
    for (int64_t left = first; left < last; left += RUN)
        sort_run(keys, rows, left, smaller(left + RUN, last), room);
    merge_runs(keys, rows, room, first, last, RUN);
}

void sort_descending(double *keys, int64_t *rows, int64_t room, int64_t first, int64_t last)
{
    if (last - first <= RUN) {
        sort_run(keys, rows, first, last, room);
        return;
    }
    for (int64_t left = first; left < last; left += CHUNK)
        sort_chunk(keys, rows, room, left, smaller(left + CHUNK, last));
    merge_runs(keys, rows, room, first, last, CHUNK);
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
