/* PairwiseAccuracy; the equation stands in pairwise_accuracy.py. */
#include "pairwise_accuracy.h"

/* All counts are whole numbers or halves that a double holds, so that their order is of no matter:
   small whole labels are counted level by level, others by a merge sort. */

static double pairs_of(int64_t size) { return (double)size * ((double)size - 1.0) / 2.0; }

static void load_labels(ranked_query *query, int64_t start, int64_t end)
{
    for (int64_t i = start; i < end; i++)
        query->work[i - start] = known_label(query->labels[i]);
}

/* Sort the first `size` entries descending; return how many pairs were ascending. */
static double merge_count(double *work, int64_t size)
{
    double wrong = 0.0;
    for (int64_t width = 1; width < size; width *= 2) {
        for (int64_t left = 0; left < size; left += 2 * width) {
            int64_t middle = smaller(left + width, size), right = smaller(left + 2 * width, size);
            int64_t i = left, j = middle;
            for (int64_t out = left; out < right; out++) {
                if (j >= right || (i < middle && work[i] >= work[j])) {
                    work[size + out] = work[i++];
                } else {
                    work[size + out] = work[j++];
                    wrong += (double)(middle - i);
                }
            }
        }
        for (int64_t i = 0; i < size; i++)
            work[i] = work[size + i];
    }
    return wrong;
}

static double different_pairs(ranked_query *query, int64_t start, int64_t end)
{
    int64_t size = end - start, run = 1;
    double pairs = pairs_of(size);
    load_labels(query, start, end);
    merge_count(query->work, size);
    for (int64_t i = 1; i <= size; i++) {
        if (i < size && query->work[i] == query->work[i - 1]) {
            run++;
        } else {
            pairs -= pairs_of(run);
            run = 1;
        }
    }
    return pairs;
}

/* Documents of a tie group stand with the highest labels first, so that no order within it counts
   as wrong; its pairs are added by halves. */
static double pairs_within_ties(ranked_query *query)
{
    double tied = 0.0;
    if (!query->open_ties)
        return tied;
    for (int64_t start = 0, end; start < query->retrieved; start = end) {
        end = query->ends[start];
        if (end > start + 1)
            tied += different_pairs(query, start, end);
    }
    return tied;
}

/* Labels 0 … 4 and up to 65,535 documents: the numbers of documents so far whose label is below 1,
   2, 3 and 4 are four sixteenths of one number, which never leaves its register. */
static int64_t wrong_among_few_levels(const ranked_query *query, int64_t *counts)
{
    static const uint64_t increase[5] = {0x0001000100010001u, 0x0001000100010000u,
                                         0x0001000100000000u, 0x0001000000000000u, 0};
    uint64_t lower = 0;
    int64_t wrong = 0;
    for (int64_t i = 0; i < query->retrieved; i++) {
        int64_t level = (int64_t)known_label(query->labels[i]);
        counts[level]++;
        wrong += level > 0 ? (int64_t)(lower >> (16 * (level - 1)) & 0xffff) : 0;
        lower += increase[level];
    }
    return wrong;
}

static int64_t wrong_among_levels(const ranked_query *query, int64_t *counts, int64_t highest)
{
    int64_t lower[GAIN_LEVELS] = {0}, wrong = 0;
    for (int64_t i = 0; i < query->retrieved; i++) {
        int64_t level = (int64_t)known_label(query->labels[i]);
        counts[level]++;
        wrong += lower[level];
        for (int64_t above = level + 1; above <= highest; above++)
            lower[above]++;
    }
    return wrong;
}

static void count_by_levels(ranked_query *query)
{
    int64_t counts[GAIN_LEVELS] = {0};
    int64_t highest = query->n_judged > 0 ? (int64_t)query->judged[0] : 0;
    int few = highest <= 4 && query->retrieved <= 0xffff;
    int64_t wrong = few ? wrong_among_few_levels(query, counts)
                        : wrong_among_levels(query, counts, highest);
    query->pairs = pairs_of(query->retrieved);
    for (int64_t level = 0; level <= highest; level++)
        query->pairs -= pairs_of(counts[level]);
    query->wrong_pairs = (double)wrong;
}

void count_pairs(ranked_query *query)
{
    if (query->pairs >= 0.0)
        return;
    if (query->whole_labels) {
        count_by_levels(query);
    } else {
        query->pairs = different_pairs(query, 0, query->retrieved);
        load_labels(query, 0, query->retrieved);
        query->wrong_pairs = merge_count(query->work, query->retrieved);
    }
    query->wrong_pairs += pairs_within_ties(query) / 2.0;
}

RANKWISE_API double rankwise_pairwise_accuracy(ranked_query *query, const measure_record *measure,
                                               const measure_tables *tables)
{
    (void)tables;
    count_pairs(query);
    if (query->pairs == 0.0)
        return measure->empty;
    return 1.0 - query->wrong_pairs / query->pairs;
}
