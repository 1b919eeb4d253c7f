/* Orders that Python asks for: rows in rank order, which rows are tied, and the places that numba's
   quicksort leaves tied documents in, which is what ranx shows. */
#include <stdlib.h>
#include <string.h>

#include "evaluating.h"
#include "ordering.h"

/* Partitions of fewer documents than this are sorted by insertion, as numba does. */
#define SMALL_PARTITION 16
#define MOST_PARTITIONS 128

static int64_t longest_query(const int64_t *offsets, int64_t queries, int64_t documents)
{
    int64_t longest = 0;
    for (int64_t q = 0; q < queries; q++) {
        int64_t size = offsets[q + 1] - offsets[q];
        if (offsets[q] < 0 || size < 0 || offsets[q + 1] > documents)
            return -1;
        longest = size > longest ? size : longest;
    }
    return longest;
}

static int are_numbers(const double *scores, int64_t size)
{
    int numbers = 1;
    for (int64_t i = 0; i < size; i++)
        numbers &= scores[i] == scores[i];
    return numbers;
}

/* The rows of every query in rank order; those that were not retrieved stay as they are. */
RANKWISE_API int64_t rankwise_rank(const double *scores, const double *priority,
                                   int64_t documents, const int64_t *offsets,
                                   const int64_t *retrieved, int64_t queries, int64_t *out)
{
    int64_t longest = longest_query(offsets, queries, documents), outcome = DONE;
    if (longest < 0)
        return LISTS_DO_NOT_FIT;
    double *keys = malloc(2 * (size_t)longest * sizeof(double) + 1);
    int64_t *rows = malloc(2 * (size_t)longest * sizeof(int64_t) + 1);
    if (keys == NULL || rows == NULL)
        outcome = NO_MEMORY;
    for (int64_t q = 0; q < queries && outcome == DONE; q++) {
        int64_t start = offsets[q], size = retrieved[q];
        if (size < 0 || size > offsets[q + 1] - start) {
            outcome = LISTS_DO_NOT_FIT;
        } else if (!are_numbers(scores + start, size)) {
            outcome = SCORE_IS_NAN;
        } else {
            rank_rows(scores, priority, start, size, keys, rows, longest);
            memcpy(out + start, rows, (size_t)size * sizeof(int64_t));
        }
    }
    free(keys);
    free(rows);
    return outcome;
}

static void swap(int64_t *places, int64_t one, int64_t other)
{
    int64_t kept = places[one];
    places[one] = places[other];
    places[other] = kept;
}

/* Whether the document at `one` goes before that at `other`: by falling score. */
static int before(const double *scores, int64_t one, int64_t other)
{
    return scores[one] > scores[other];
}

static void sort_small(const double *scores, int64_t *places, int64_t low, int64_t high)
{
    for (int64_t i = low + 1; i <= high; i++) {
        int64_t moving = places[i], j = i;
        for (; j > low && before(scores, moving, places[j - 1]); j--)
            places[j] = places[j - 1];
        places[j] = moving;
    }
}

/* Part the places low .. high around the median of the first, the middle and the last document;
   return where that one ends. The very order of the exchanges is what decides on ties. */
static int64_t part(const double *scores, int64_t *places, int64_t low, int64_t high)
{
    int64_t middle = low + (high - low) / 2, i = low, j = high - 1;
    if (before(scores, places[middle], places[low]))
        swap(places, low, middle);
    if (before(scores, places[high], places[middle]))
        swap(places, high, middle);
    if (before(scores, places[middle], places[low]))
        swap(places, low, middle);
    int64_t pivot = places[middle];
    swap(places, high, middle);
    for (;;) {
        while (i < high && before(scores, places[i], pivot))
            i++;
        while (j >= low && before(scores, pivot, places[j]))
            j--;
        if (i >= j)
            break;
        swap(places, i++, j--);
    }
    swap(places, i, high);
    return i;
}

/* The larger part waits, the smaller one is parted on: no more wait than a number has bits. */
static void quicksort(const double *scores, int64_t *places, int64_t size)
{
    int64_t waiting[MOST_PARTITIONS][2] = {{0, size - 1}};
    int64_t count = size > 1 ? 1 : 0;
    while (count > 0) {
        count--;
        int64_t low = waiting[count][0], high = waiting[count][1];
        while (high - low >= SMALL_PARTITION - 1) {
            int64_t pivot = part(scores, places, low, high);
            int right_is_larger = high - pivot > pivot - low;
            if (right_is_larger ? high > pivot : pivot > low) {
                waiting[count][0] = right_is_larger ? pivot + 1 : low;
                waiting[count][1] = right_is_larger ? high : pivot - 1;
                count++;
            }
            if (right_is_larger)
                high = pivot - 1;
            else
                low = pivot + 1;
        }
        sort_small(scores, places, low, high);
    }
}

/* For every retrieved row minus its place in the order of numba's unstable quicksort of the falling
   scores; the other rows of `out` stay as they are. */
RANKWISE_API int64_t rankwise_quicksort_places(const double *scores, int64_t documents,
                                               const int64_t *offsets, const int64_t *retrieved,
                                               int64_t queries, double *out)
{
    int64_t longest = longest_query(offsets, queries, documents);
    if (longest < 0)
        return LISTS_DO_NOT_FIT;
    int64_t *places = malloc((size_t)longest * sizeof(int64_t) + 1);
    if (places == NULL)
        return NO_MEMORY;
    for (int64_t q = 0; q < queries; q++) {
        int64_t start = offsets[q], size = retrieved[q];
        if (size < 0 || size > offsets[q + 1] - start) {
            free(places);
            return LISTS_DO_NOT_FIT;
        }
        for (int64_t i = 0; i < size; i++)
            places[i] = i;
        quicksort(scores + start, places, size);
        for (int64_t i = 0; i < size; i++)
            out[start + places[i]] = -(double)i;
    }
    free(places);
    return DONE;
}
