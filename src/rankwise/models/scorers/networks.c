/* A feed-forward network on every row of a matrix, declared in networks.py. */
#include "core.h"

#include <math.h>

enum { TANH, RELU, SIGMOID };
enum { ROWS_AT_ONCE = 8 };

static inline double activated(double total, int32_t activation)
{
    if (activation == TANH)
        return tanh(total);
    if (activation == RELU)
        return total < 0.0 ? 0.0 : total; /* NaN stays NaN */
    return 1.0 / (1.0 + exp(-total));
}

/* One layer for ROWS_AT_ONCE rows that lie side by side: input i of row r is before[8 i + r]. Every
   sum goes from the bias through the inputs in their order, so that its bits are always the same. */
static void pass_layer(const double *before, int64_t inputs, int64_t outputs, const double *weights,
                       const double *biases, int32_t activation, int last, double *after)
{
    for (int64_t output = 0; output < outputs; output++) {
        const double *own = weights + output * inputs;
        double totals[ROWS_AT_ONCE];
        for (int row = 0; row < ROWS_AT_ONCE; row++)
            totals[row] = biases[output];
        for (int64_t input = 0; input < inputs; input++)
            for (int row = 0; row < ROWS_AT_ONCE; row++)
                totals[row] += own[input] * before[input * ROWS_AT_ONCE + row];
        for (int row = 0; row < ROWS_AT_ONCE; row++)
            after[output * ROWS_AT_ONCE + row] =
                last ? totals[row] : activated(totals[row], activation);
    }
}

/* Layer l has sizes[l] inputs and sizes[l + 1] outputs, the last one; its weights lie one output
   after the other in `weights`, its biases in `biases`. `room` holds twice 8 · the largest size. */
RANKWISE_API void rankwise_network_scores(const double *features, int64_t rows, int64_t width,
                                          const double *means, const double *scales,
                                          const int64_t *sizes, int64_t layers,
                                          const double *weights, const double *biases,
                                          int32_t activation, double *room, int64_t widest,
                                          double *scores)
{
    for (int64_t first = 0; first < rows; first += ROWS_AT_ONCE) {
        double *before = room, *after = room + widest * ROWS_AT_ONCE;
        const double *weight = weights, *bias = biases;
        int64_t count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
        for (int64_t column = 0; column < sizes[0]; column++)
            for (int row = 0; row < ROWS_AT_ONCE; row++) {
                /* Where rows end, the last one fills the places. */
                int64_t from = first + (row < count ? row : count - 1);
                before[column * ROWS_AT_ONCE + row] =
                    (features[from * width + column] - means[column]) / scales[column];
            }
        for (int64_t layer = 0; layer < layers; layer++) {
            double *kept = before;
            pass_layer(before, sizes[layer], sizes[layer + 1], weight, bias, activation,
                       layer == layers - 1, after);
            weight += sizes[layer] * sizes[layer + 1];
            bias += sizes[layer + 1];
            before = after;
            after = kept;
        }
        for (int64_t row = 0; row < count; row++)
            scores[first + row] = before[row];
    }
}
