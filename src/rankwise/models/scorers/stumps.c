/* Sums of threshold functions, declared in stumps.py. */
#include "core.h"

/* How many of the ascending thresholds lie below the value; none below NaN. */
static int64_t passed(const double *thresholds, int64_t count, double value)
{
    const double *first = thresholds;
    if (count == 0)
        return 0;
    while (count > 1) {
        int64_t half = count / 2;
        first += first[half - 1] < value ? half : 0;
        count -= half;
    }
    return first - thresholds + (*first < value);
}

/* Add the step that each row has reached in each feature, feature by feature, to `scores`. The
   thresholds of feature columns[k] are starts[k] .. starts[k + 1] - 1; its steps, one more, begin
   at starts[k] + k. Columns lie below `width`. */
RANKWISE_API void rankwise_add_stumps(const double *features, int64_t rows, int64_t width,
                                      const int64_t *columns, int64_t used, const int64_t *starts,
                                      const double *thresholds, const double *steps,
                                      double *scores)
{
    for (int64_t row = 0; row < rows; row++) {
        const double *values = features + row * width;
        for (int64_t k = 0; k < used; k++) {
            int64_t start = starts[k];
            int64_t step = passed(thresholds + start, starts[k + 1] - start, values[columns[k]]);
            scores[row] += steps[start + k + step];
        }
    }
}
