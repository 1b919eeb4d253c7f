/* Passes over a feature matrix whose rows count from the first document of their query.

   Each pass reads the matrix once, row by row, and holds nothing of its size; the order of
   summation is fixed, so that no library and no number of threads moves the last bit. */
#include "core.h"

#define ROWS_AT_ONCE 4

/* Whether the offsets of the queries rise from 0 or more to `rows` at most. */
static int offsets_hold(const int64_t *offsets, int64_t queries, int64_t rows)
{
    for (int64_t query = 0; query < queries; query++)
        if (offsets[query] < 0 || offsets[query + 1] < offsets[query])
            return 0;
    return queries == 0 || offsets[queries] <= rows;
}

/* w . (x_i - x_first) of `count` rows that follow each other. Two sums, of the even and of the odd
   columns, because a single one waits for each addition before the next; several rows at once for
   the same reason. */
static inline void score_rows(const double *rows, const double *origin, const double *weights,
                              int64_t width, int count, double *scores)
{
    double even[ROWS_AT_ONCE] = {0.0}, odd[ROWS_AT_ONCE] = {0.0};
    int64_t column = 0;
    for (; column + 1 < width; column += 2)
        for (int i = 0; i < count; i++) {
            const double *at = rows + i * width + column;
            even[i] += weights[column] * (at[0] - origin[column]);
            odd[i] += weights[column + 1] * (at[1] - origin[column + 1]);
        }
    for (int i = 0; i < count; i++) {
        if (column < width)
            even[i] += weights[column] * (rows[i * width + column] - origin[column]);
        scores[i] = even[i] + odd[i];
    }
}

/* w . (x_i - x_first) for every document i, x_first being the first of its query. */
RANKWISE_API int64_t rankwise_relative_scores(const double *features, int64_t rows, int64_t width,
                                              const int64_t *offsets, int64_t queries,
                                              const double *weights, double *scores)
{
    if (!offsets_hold(offsets, queries, rows))
        return -1;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1], row = first + 1;
        const double *origin = features + first * width;
        if (first < last)
            scores[first] = 0.0;
        for (; row + ROWS_AT_ONCE <= last; row += ROWS_AT_ONCE)
            score_rows(features + row * width, origin, weights, width, ROWS_AT_ONCE, scores + row);
        for (; row < last; row++)
            score_rows(features + row * width, origin, weights, width, 1, scores + row);
    }
    return 0;
}

/* Adds the sum of g_i (x_ij - x_first,j) to sums[j]: data may come in several pieces. */
RANKWISE_API int64_t rankwise_relative_sums(const double *features, int64_t rows, int64_t width,
                                            const int64_t *offsets, int64_t queries,
                                            const double *slopes, double *sums)
{
    if (!offsets_hold(offsets, queries, rows))
        return -1;
    for (int64_t query = 0; query < queries; query++) {
        const double *origin = features + offsets[query] * width;
        for (int64_t row = offsets[query] + 1; row < offsets[query + 1]; row++) {
            const double *at = features + row * width;
            double slope = slopes[row];
            if (slope != 0.0)
                for (int64_t column = 0; column < width; column++)
                    sums[column] += slope * (at[column] - origin[column]);
        }
    }
    return 0;
}

/* Adds the sum of the squared distances of each feature from its mean in the query to found[j].
   `room` holds two numbers for every feature. */
RANKWISE_API int64_t rankwise_squared_deviations(const double *features, int64_t rows, int64_t width,
                                         const int64_t *offsets, int64_t queries, double *room,
                                         double *found)
{
    double *plain = room, *squares = room + width;
    if (!offsets_hold(offsets, queries, rows))
        return -1;
    for (int64_t query = 0; query < queries; query++) {
        int64_t first = offsets[query], last = offsets[query + 1];
        const double *origin = features + first * width;
        for (int64_t column = 0; column < width; column++)
            plain[column] = squares[column] = 0.0;
        for (int64_t row = first + 1; row < last; row++) {
            const double *at = features + row * width;
            for (int64_t column = 0; column < width; column++) {
                double distance = at[column] - origin[column];
                plain[column] += distance;
                squares[column] += distance * distance;
            }
        }
        for (int64_t column = 0; column < width; column++) {
            double spread = squares[column] - plain[column] * plain[column] / (double)(last - first);
            /* Not `spread > 0`: what is no number stays none, and is refused later. */
            found[column] += spread < 0.0 ? 0.0 : spread;
        }
    }
    return 0;
}
