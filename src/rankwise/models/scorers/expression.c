/* Formulas in postfix order, declared in expression.h and expression.py. */
#include "expression.h"

#include <math.h>

/* Results are kept within this bound, whose square is a number: no formula of numbers has a value
   that is infinite or none. */
#define LARGEST 1e150

/* Rows that go through a formula together. */
#define ROWS_AT_ONCE 64

int64_t expression_depth(const int64_t *codes, int64_t length, int64_t width)
{
    int64_t kept = 0, deepest = 0;
    for (int64_t i = 0; i < length; i++) {
        if (codes[i] >= width || codes[i] < CONSTANT)
            return 0;
        if (codes[i] >= 0 || codes[i] == CONSTANT)
            kept++;
        else if (codes[i] != LOGARITHM)
            kept--;
        if (kept < 1)
            return 0;
        deepest = kept > deepest ? kept : deepest;
    }
    return kept == 1 ? deepest : 0;
}

static inline double bounded(double value)
{
    value = value > LARGEST ? LARGEST : value;
    return value < -LARGEST ? -LARGEST : value;
}

static void push_column(const feature_layout *features, int64_t column, int64_t first,
                        int64_t rows, double *top)
{
    const double *values =
        features->values + column * features->column_step + first * features->row_step;
    for (int64_t i = 0; i < rows; i++)
        top[i] = values[i * features->row_step];
}

static void combine(int64_t code, double *left, const double *right, int64_t rows)
{
    if (code == ADD)
        for (int64_t i = 0; i < rows; i++)
            left[i] = bounded(left[i] + right[i]);
    else if (code == SUBTRACT)
        for (int64_t i = 0; i < rows; i++)
            left[i] = bounded(left[i] - right[i]);
    else if (code == MULTIPLY)
        for (int64_t i = 0; i < rows; i++)
            left[i] = bounded(left[i] * right[i]);
    else
        for (int64_t i = 0; i < rows; i++)
            left[i] = right[i] == 0.0 ? 1.0 : bounded(left[i] / right[i]);
}

void run_expression(const int64_t *codes, const double *constants, int64_t length,
                    const feature_layout *features, int64_t first, int64_t rows, double *stack)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < length; k++) {
        double *next = stack + kept * rows;
        if (codes[k] >= 0) {
            push_column(features, codes[k], first, rows, next);
            kept++;
        } else if (codes[k] == CONSTANT) {
            for (int64_t i = 0; i < rows; i++)
                next[i] = constants[k];
            kept++;
        } else if (codes[k] == LOGARITHM) {
            double *top = next - rows;
            for (int64_t i = 0; i < rows; i++)
                top[i] = top[i] == 0.0 ? 0.0 : log(fabs(top[i]));
        } else {
            combine(codes[k], next - 2 * rows, next - rows, rows);
            kept--;
        }
    }
}

/* Score rows of a matrix; `stack` has room for `depth` times ROWS_AT_ONCE numbers. Whether the codes
   are a formula that this room suffices for. */
RANKWISE_API int64_t rankwise_expression_scores(const double *matrix, int64_t rows, int64_t width,
                                                const int64_t *codes, const double *constants,
                                                int64_t length, double *stack, int64_t depth,
                                                double *scores)
{
    feature_layout features = {matrix, width, 1};
    int64_t needed = expression_depth(codes, length, width);
    if (needed == 0 || needed > depth)
        return 0;
    for (int64_t first = 0; first < rows; first += ROWS_AT_ONCE) {
        int64_t count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
        run_expression(codes, constants, length, &features, first, count, stack);
        for (int64_t i = 0; i < count; i++)
            scores[first + i] = stack[i];
    }
    return 1;
}
