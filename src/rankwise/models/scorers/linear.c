/* Weighted sums of features, declared in linear.py. */
#include "linear.h"

enum { ROWS_AT_ONCE = 8 };

/* Feature by feature in the order given, whatever the machine: the last bit depends on it. */
static inline void add_up(const double *rows, int64_t width, const int64_t *columns,
                          const double *weights, int64_t used, double intercept, int count,
                          double *scores)
{
    double totals[ROWS_AT_ONCE];
    for (int i = 0; i < count; i++)
        totals[i] = intercept;
    for (int64_t k = 0; k < used; k++)
        for (int i = 0; i < count; i++)
            totals[i] += rows[i * width + columns[k]] * weights[k];
    for (int i = 0; i < count; i++)
        scores[i] = totals[i];
}

RANKWISE_API void rankwise_linear_scores(const double *features, int64_t rows, int64_t width,
                                         const int64_t *columns, const double *weights,
                                         int64_t used, double intercept, double *scores)
{
    int64_t row = 0;
    for (; row + ROWS_AT_ONCE <= rows; row += ROWS_AT_ONCE)
        add_up(features + row * width, width, columns, weights, used, intercept, ROWS_AT_ONCE,
               scores + row);
    for (; row < rows; row++)
        add_up(features + row * width, width, columns, weights, used, intercept, 1, scores + row);
}
