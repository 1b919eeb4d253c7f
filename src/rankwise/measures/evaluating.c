/* The pass: every query is sorted once, and all measures are taken from that order. */
#include "evaluating.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ordering.h"

int lists_fit(const query_lists *lists, int64_t first, int64_t last)
{
    if (first < 0 || first > last || last > lists->queries)
        return 0;
    for (int64_t q = first; q < last; q++) {
        int64_t start = lists->offsets[q], end = lists->offsets[q + 1], other = lists->ideal_of[q];
        if (start < 0 || end < start || end > lists->documents)
            return 0;
        if (lists->retrieved[q] < 0 || lists->retrieved[q] > end - start)
            return 0;
        if (other < 0 || other >= lists->queries)
            return 0;
        start = lists->offsets[other], end = lists->offsets[other + 1];
        if (start < 0 || end < start || end > lists->documents)
            return 0;
    }
    return 1;
}

int64_t longest_list(const query_lists *lists, int64_t first, int64_t last)
{
    int64_t longest = 0;
    for (int64_t q = first; q < last; q++) {
        int64_t other = lists->ideal_of[q];
        int64_t own = lists->offsets[q + 1] - lists->offsets[q];
        int64_t ideal = lists->offsets[other + 1] - lists->offsets[other];
        longest = own > longest ? own : longest;
        longest = ideal > longest ? ideal : longest;
    }
    return longest;
}

double *make_room(ranked_query *query, int64_t longest, int64_t measures)
{
    size_t room = (size_t)longest, eight = sizeof(double);
    if (room > SIZE_MAX / eight / 16 || (size_t)measures > SIZE_MAX / eight / 4)
        return NULL;
    size_t cells = 14 * room + (size_t)measures + 8;
    double *block = malloc(cells * eight), *next = block;
    if (block == NULL)
        return NULL;
    memset(query, 0, sizeof *query);
    query->room = longest;
    query->measures = measures;
    query->scores = next, next += 2 * room;
    query->labels = next, next += room;
    query->judged = next, next += room;
    query->other_ideal = next, next += room;
    query->work = next, next += 2 * room + 2;
    query->ideal_sums = next, next += measures;
    query->rows = (int64_t *)next, next += 2 * room;
    query->ends = (int64_t *)next, next += room;
    query->relevant_up_to = (int64_t *)next, next += room + 1;
    query->relevant_ranks = (int64_t *)next;
    query->relevant_up_to[0] = 0;
    for (int64_t i = 0; i < longest; i++)
        query->ends[i] = i + 1;
    return block;
}

/* Put the judged labels of rows start .. end - 1 into `out`, descending; return their number. */
static int64_t sorted_labels(ranked_query *query, const double *labels, int64_t start, int64_t end,
                             double *out)
{
    int64_t size = 0;
    for (int64_t row = start; row < end; row++)
        if (labels[row] == labels[row])
            query->work[size++] = labels[row];
    sort_descending(query->work, query->rows, query->room, 0, size);
    memcpy(out, query->work, (size_t)size * sizeof(double));
    return size;
}

/* As `sorted_labels`; small whole labels are counted, which `whole` tells. */
static int64_t descending_labels(ranked_query *query, const double *labels, int64_t start,
                                 int64_t end, double *out, int *whole)
{
    /* Four counts of each level, so that equal labels in a row need not wait for one another. */
    int64_t counts[GAIN_LEVELS][4] = {{0}}, size = 0, highest = 0;
    *whole = 1;
    for (int64_t row = start; row < end; row++) {
        double label = labels[row];
        if (label >= 0.0 && label < (double)GAIN_LEVELS && label == (double)(int64_t)label) {
            int64_t level = (int64_t)label;
            counts[level][row & 3]++;
            highest = level > highest ? level : highest;
        } else if (label == label) {
            *whole = 0;
            return sorted_labels(query, labels, start, end, out);
        }
    }
    for (int64_t level = highest; level >= 0; level--) {
        int64_t *of_level = counts[level];
        int64_t last = size + of_level[0] + of_level[1] + of_level[2] + of_level[3];
        for (; size < last; size++)
            out[size] = (double)level;
    }
    return size;
}

void begin_query(ranked_query *query, const query_lists *lists, int64_t q)
{
    int whole;
    int64_t other = lists->ideal_of[q];
    query->n_judged = descending_labels(query, lists->labels, lists->offsets[q],
                                        lists->offsets[q + 1], query->judged,
                                        &query->whole_labels);
    query->n_unjudged = lists->offsets[q + 1] - lists->offsets[q] - query->n_judged;
    query->ideal = query->judged;
    query->n_ideal = query->n_judged;
    if (other != q || lists->ideal_labels != NULL) {
        const double *labels = lists->ideal_labels != NULL ? lists->ideal_labels : lists->labels;
        query->ideal = query->other_ideal;
        query->n_ideal = descending_labels(query, labels, lists->offsets[other],
                                           lists->offsets[other + 1], query->ideal, &whole);
    }
    query->threshold = NAN;
    for (int64_t m = 0; m < query->measures; m++)
        query->ideal_sums[m] = -1.0;
}

static void mark_tie_groups(ranked_query *query)
{
    int64_t end = query->retrieved;
    query->open_ties = 0;
    for (int64_t i = query->retrieved - 1; i >= 0; i--) {
        if (i + 1 < query->retrieved && query->scores[i] != query->scores[i + 1])
            end = i + 1;
        query->ends[i] = end;
        query->open_ties |= end > i + 1;
    }
}

void take_order(ranked_query *query, const query_lists *lists, int64_t q, int64_t tie_mode)
{
    query->retrieved = lists->retrieved[q];
    for (int64_t i = 0; i < query->retrieved; i++)
        query->labels[i] = lists->labels[query->rows[i]];
    query->looked_at = 0;
    query->pairs = -1.0;
    if (tie_mode == EXPECTED_TIES)
        mark_tie_groups(query);
}

int rank_documents(ranked_query *query, const query_lists *lists, int64_t q, const double *scores,
                   int64_t tie_mode)
{
    int64_t start = lists->offsets[q], size = lists->retrieved[q];
    int numbers = 1;
    for (int64_t row = start; row < start + size; row++)
        numbers &= scores[row] == scores[row];
    if (!numbers)
        return 0;
    rank_rows(scores, lists->priority, start, size, query->scores, query->rows, query->room);
    take_order(query, lists, q, tie_mode);
    return 1;
}

static int has_ties(const ranked_query *query)
{
    int64_t ties = 0;
    for (int64_t i = 1; i < query->retrieved; i++)
        ties += query->scores[i] == query->scores[i - 1];
    return ties > 0;
}

double measure_value(ranked_query *query, const measure_record *measure,
                     const measure_tables *tables)
{
    if (measure->short_rule != SHORT_CUT && measure->cutoff > query->retrieved)
        return measure->short_rule == SHORT_ZERO ? 0.0 : -INFINITY;
    return measure->compute(query, measure, tables);
}

int tables_reach(const measure_record *records, int64_t measures, const measure_tables *tables,
                 int64_t longest)
{
    for (int64_t m = 0; m < measures; m++) {
        if (records[m].number != m || records[m].cutoff < 0)
            return 0;
        if (records[m].discount >= 0 && within(&records[m], longest) > tables->reach)
            return 0;
    }
    return 1;
}

/* The values of queries first .. last - 1 into out[candidate, measure, query]; scores are
   (candidates, documents). What a Python function computes is left as it is. */
RANKWISE_API int64_t rankwise_evaluate(
    int64_t first, int64_t last, int64_t queries, int64_t documents, const int64_t *offsets,
    const int64_t *retrieved, const int64_t *ideal_of, const double *labels,
    const double *priority, const double *ideal_labels, const measure_record *records,
    int64_t record_size, int64_t measures, const double *gains, const double *weights,
    const double *divisors, int64_t reach, int64_t tie_mode, const double *scores,
    int64_t candidates, double *out)
{
    query_lists lists = {queries, documents, offsets,  retrieved,
                         ideal_of, labels,   priority, ideal_labels};
    measure_tables tables = {gains, weights, divisors, reach};
    ranked_query query;
    int64_t outcome = DONE;
    if (record_size != (int64_t)sizeof(measure_record) || !lists_fit(&lists, first, last))
        return LISTS_DO_NOT_FIT;
    int64_t longest = longest_list(&lists, first, last);
    if (!tables_reach(records, measures, &tables, longest))
        return LISTS_DO_NOT_FIT;
    double *room = make_room(&query, longest, measures);
    if (room == NULL)
        return NO_MEMORY;
    for (int64_t q = first; q < last && outcome == DONE; q++) {
        begin_query(&query, &lists, q);
        for (int64_t c = 0; c < candidates && outcome == DONE; c++) {
            if (!rank_documents(&query, &lists, q, scores + c * documents, tie_mode)) {
                outcome = SCORE_IS_NAN;
                break;
            }
            int undefined = tie_mode == UNDEFINED_TIES && has_ties(&query);
            for (int64_t m = 0; m < measures; m++)
                if (records[m].compute != NULL)
                    out[(c * measures + m) * queries + q] =
                        undefined ? NAN : measure_value(&query, &records[m], &tables);
            if (query.failed)
                outcome = NO_MEMORY;
        }
    }
    free(room);
    return outcome;
}

/* The gains of labels under the first measure of a plan. */
RANKWISE_API void rankwise_gains(const double *labels, int64_t documents,
                                 const measure_record *record, const double *gains, double *out)
{
    measure_tables tables = {gains, NULL, NULL, 0};
    for (int64_t i = 0; i < documents; i++)
        out[i] = gain_of(labels[i], record, &tables);
}
