/* The measure of a whole population: every query is met once, and ranked by all candidates. */
#include <stdlib.h>

#include "../../models/scorers/expression.h"
#include "../../measures/prepared_measure.h"

/* Rows whose weighted sums are kept in registers. */
#define ROWS_AT_ONCE 8

/* Candidates, and the features column by column: feature j of row i at j * documents + i. */
typedef struct {
    const double *columns;
    int64_t documents;
    int64_t width;
    int64_t count;
    const double *weights;   /* (count, width), or NULL: formulas */
    const int64_t *codes;    /* all formulas, one after the other */
    const double *constants; /* as long as the codes */
    const int64_t *ends;     /* where each formula ends */
    double *stack;
} population;

static inline int64_t begin_of(const population *all, int64_t candidate)
{
    return candidate == 0 ? 0 : all->ends[candidate - 1];
}

/* Weighted sums feature by feature in their order, as the linear scorer has them. */
static void add_features(const population *all, const double *weights, int64_t first, int64_t rows,
                         double *scores)
{
    int64_t row = 0;
    for (; row + ROWS_AT_ONCE <= rows; row += ROWS_AT_ONCE) {
        double sums[ROWS_AT_ONCE] = {0.0};
        const double *column = all->columns + first + row;
        for (int64_t j = 0; j < all->width; j++, column += all->documents)
            for (int i = 0; i < ROWS_AT_ONCE; i++)
                sums[i] += weights[j] * column[i];
        for (int i = 0; i < ROWS_AT_ONCE; i++)
            scores[row + i] = sums[i];
    }
    for (; row < rows; row++) {
        const double *column = all->columns + first + row;
        double sum = 0.0;
        for (int64_t j = 0; j < all->width; j++, column += all->documents)
            sum += weights[j] * *column;
        scores[row] = sum;
    }
}

/* The scores that a candidate gives to rows first .. first + rows - 1. */
static void score_rows(const population *all, int64_t candidate, int64_t first, int64_t rows,
                       double *scores)
{
    if (all->weights != NULL) {
        add_features(all, all->weights + candidate * all->width, first, rows, scores);
        return;
    }
    feature_layout features = {all->columns, 1, all->documents};
    int64_t begin = begin_of(all, candidate);
    run_expression(all->codes + begin, all->constants + begin, all->ends[candidate] - begin,
                   &features, first, rows, all->stack);
    for (int64_t i = 0; i < rows; i++)
        scores[i] = all->stack[i];
}

/* Check every formula, and make room for the values that the deepest keeps of `rows` rows. */
static int64_t open_stack(population *all, int64_t length, int64_t rows)
{
    int64_t deepest = 1;
    for (int64_t c = 0; all->weights == NULL && c < all->count; c++) {
        int64_t begin = begin_of(all, c), end = all->ends[c];
        if (begin > end || end > length)
            return LISTS_DO_NOT_FIT;
        int64_t depth = expression_depth(all->codes + begin, end - begin, all->width);
        if (depth == 0)
            return LISTS_DO_NOT_FIT;
        deepest = depth > deepest ? depth : deepest;
    }
    if (rows > 0 && (size_t)deepest > SIZE_MAX / sizeof(double) / 2 / (size_t)rows)
        return NO_MEMORY;
    all->stack = malloc(((size_t)deepest * (size_t)rows + 1) * sizeof(double));
    return all->stack == NULL ? NO_MEMORY : DONE;
}

static int64_t measure_query(const population *all, const prepared_measure *measure,
                             ranked_query *query, int64_t q, double *scores, double *out)
{
    const query_lists *lists = &measure->lists;
    int64_t start = lists->offsets[q], size = lists->retrieved[q];
    begin_query(query, lists, q);
    for (int64_t c = 0; c < all->count; c++) {
        score_rows(all, c, start, size, scores + start);
        if (!rank_documents(query, lists, q, scores, measure->tie_mode))
            return SCORE_IS_NAN;
        out[c * lists->queries + q] = measure_value(query, measure->record, &measure->tables);
    }
    return query->failed ? NO_MEMORY : DONE;
}

/* out[c, q] = the value of query q under candidate c. `weights` is (count, width), or NULL where
   candidates are formulas, `length` codes in all. `scores` is as long as the documents. */
RANKWISE_API int64_t rankwise_measure_population(const prepared_measure *measure,
                                                 const double *columns, int64_t documents,
                                                 int64_t width, int64_t count,
                                                 const double *weights, const int64_t *codes,
                                                 const double *constants, int64_t length,
                                                 const int64_t *ends, double *scores, double *out)
{
    population all = {columns, documents, width, count, weights, codes, constants, ends, NULL};
    measuring_room room;
    if (documents != measure->lists.documents)
        return LISTS_DO_NOT_FIT;
    int64_t outcome = open_room(&room, measure);
    if (outcome == DONE)
        outcome = open_stack(&all, length, room.query.room);
    for (int64_t q = 0; q < measure->lists.queries && outcome == DONE; q++)
        outcome = measure_query(&all, measure, &room.query, q, scores, out);
    free(all.stack);
    close_room(&room);
    return outcome;
}

/* out[c, i] = the score that candidate c gives to row i, for measures that rank by themselves. */
RANKWISE_API int64_t rankwise_score_population(const double *columns, int64_t documents,
                                               int64_t width, int64_t count, const double *weights,
                                               const int64_t *codes, const double *constants,
                                               int64_t length, const int64_t *ends, double *out)
{
    enum { ROWS = 64 };
    population all = {columns, documents, width, count, weights, codes, constants, ends, NULL};
    int64_t outcome = open_stack(&all, length, ROWS);
    for (int64_t c = 0; c < count && outcome == DONE; c++)
        for (int64_t first = 0; first < documents; first += ROWS) {
            int64_t rows = documents - first < ROWS ? documents - first : ROWS;
            score_rows(&all, c, first, rows, out + c * documents + first);
        }
    free(all.stack);
    return outcome;
}
