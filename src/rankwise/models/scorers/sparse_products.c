/* Products of sparse rows with vectors, declared in linear.py. */
#include "core.h"

static int rows_hold(const int64_t *row_offsets, int64_t rows, int64_t entries)
{
    for (int64_t row = 0; row < rows; row++)
        if (row_offsets[row] < 0 || row_offsets[row + 1] < row_offsets[row])
            return 0;
    return rows == 0 || row_offsets[rows] <= entries;
}

/* start + x_i . w for every row i, entry by entry in their order. A weight of 0 leaves its feature
   out, which may then be no number; so does a column that has no weight. */
RANKWISE_API int64_t rankwise_sparse_scores(const double *values, const int32_t *columns,
                                            const int64_t *row_offsets, int64_t rows,
                                            int64_t entries, const double *weights, int64_t width,
                                            double start, double *scores)
{
    if (!rows_hold(row_offsets, rows, entries))
        return -1;
    for (int64_t row = 0; row < rows; row++) {
        double total = start;
        for (int64_t entry = row_offsets[row]; entry < row_offsets[row + 1]; entry++) {
            int32_t column = columns[entry];
            if (column >= 0 && column < width && weights[column] != 0.0)
                total += values[entry] * weights[column];
        }
        scores[row] = total;
    }
    return 0;
}

/* sums[j] = the sum of g_i x_ij over all rows i, in their order. */
RANKWISE_API int64_t rankwise_sparse_sums(const double *values, const int32_t *columns,
                                          const int64_t *row_offsets, int64_t rows,
                                          int64_t entries, const double *slopes, double *sums,
                                          int64_t width)
{
    if (!rows_hold(row_offsets, rows, entries))
        return -1;
    for (int64_t column = 0; column < width; column++)
        sums[column] = 0.0;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t entry = row_offsets[row]; entry < row_offsets[row + 1]; entry++)
            if (columns[entry] >= 0 && columns[entry] < width)
                sums[columns[entry]] += slopes[row] * values[entry];
    return 0;
}
