/* How long a linear function orders pairs as they should be. */
#include "core.h"

/* The first pair from `start` on with w . (x_better - x_worse) <= 0; their number if none. */
RANKWISE_API int64_t rankwise_first_mistake(const double *features, int64_t width,
                                            const double *weights, const int64_t *better,
                                            const int64_t *worse, int64_t pairs, int64_t start)
{
    for (int64_t pair = start; pair < pairs; pair++) {
        const double *one = features + better[pair] * width;
        const double *other = features + worse[pair] * width;
        double apart = 0.0;
        for (int64_t column = 0; column < width; column++)
            apart += weights[column] * (one[column] - other[column]);
        if (!(apart > 0.0))
            return pair;
    }
    return pairs;
}
