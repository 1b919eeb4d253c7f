/* Weighted sums of features, for C code that scores many functions (linear.c). */
#ifndef RANKWISE_LINEAR_H
#define RANKWISE_LINEAR_H

#include "core.h"

/* scores[i] = intercept + Σ_k rows[i, columns[k]] · weights[k]; columns lie below `width`. */
RANKWISE_API void rankwise_linear_scores(const double *features, int64_t rows, int64_t width,
                                         const int64_t *columns, const double *weights,
                                         int64_t used, double intercept, double *scores);

#endif
