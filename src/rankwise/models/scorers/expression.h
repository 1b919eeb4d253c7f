/* Formulas in postfix order, for C code that runs them over columns of features. */
#ifndef RANKWISE_EXPRESSION_H
#define RANKWISE_EXPRESSION_H

#include "core.h"

/* What stands at a place of a formula: a column from 0, or one of these, as in expression.py. */
enum expression_code { ADD = -1, SUBTRACT = -2, MULTIPLY = -3, DIVIDE = -4, LOGARITHM = -5,
                       CONSTANT = -6 };

/* Where features lie: that of a row and a column at row * row_step + column * column_step. */
typedef struct {
    const double *values;
    int64_t row_step;
    int64_t column_step;
} feature_layout;

/* How many values a formula keeps at once; 0: it is no formula over `width` columns. */
int64_t expression_depth(const int64_t *codes, int64_t length, int64_t width);

/* The values of a formula for rows first .. first + rows - 1 into stack[0] .. stack[rows - 1]. The
   stack has room for `expression_depth` times `rows` numbers. */
void run_expression(const int64_t *codes, const double *constants, int64_t length,
                    const feature_layout *features, int64_t first, int64_t rows, double *stack);

#endif
