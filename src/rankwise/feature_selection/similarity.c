/* The loop over pairs of documents behind Kendall's tau of all pairs of features. */
#include "core.h"

/* balance: (features, features) pairs of rows in the same order minus pairs in opposite order; on
   the diagonal the pairs that a feature orders at all. `signs` is room for one number a feature. */
RANKWISE_API void rankwise_order_balance(const double *features, int64_t rows, int64_t width,
                                         double *signs, double *balance)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = i + 1; j < rows; j++) {
            const double *one = features + i * width, *other = features + j * width;
            for (int64_t f = 0; f < width; f++)
                signs[f] = (double)((one[f] > other[f]) - (one[f] < other[f]));
            for (int64_t f = 0; f < width; f++)
                if (signs[f] != 0.0)
                    for (int64_t g = f; g < width; g++)
                        balance[f * width + g] += signs[f] * signs[g];
        }
    for (int64_t f = 0; f < width; f++)
        for (int64_t g = 0; g < f; g++)
            balance[f * width + g] = balance[g * width + f];
}
