/* The search over all thresholds of all features. */
#include "core.h"

#include <math.h>
#include <string.h>

#define CODES 256
#define TOGETHER 8

/* Sum the potentials by code, for several features at once: a sum waits for the one before it,
   and those of other features fill the wait. Each sum still runs in the order of the rows. */
static void sum_by_code(const uint8_t *codes, const double *potentials, int64_t rows,
                        double sums[TOGETHER][CODES])
{
    for (int64_t row = 0; row < rows; row++)
        for (int feature = 0; feature < TOGETHER; feature++)
            sums[feature][codes[feature * rows + row]] += potentials[row];
}

static void sum_one_by_code(const uint8_t *codes, const double *potentials, int64_t rows,
                            double *sums)
{
    for (int64_t row = 0; row < rows; row++)
        sums[codes[row]] += potentials[row];
}

/* The edge of threshold k is the sum of the potentials of documents whose code is k or more: the
   potentials are summed by code, then from the last code down. codes is (features, rows). Put
   feature and place (from 1) of the greatest absolute edge, the first among equals, into `found`
   and return the edge. Places beyond `count`, 255 at most, are not looked at. */
RANKWISE_API double rankwise_best_threshold(const uint8_t *codes, int64_t features, int64_t rows,
                                            const double *potentials, int64_t count,
                                            int64_t *found)
{
    double sums[TOGETHER][CODES];
    double edge = 0.0;
    found[0] = 0;
    found[1] = 1;
    if (count >= CODES)
        count = CODES - 1;
    for (int64_t next = 0; next < features; next += TOGETHER) {
        int64_t here = features < TOGETHER ? features : TOGETHER;
        /* The last features are summed together with some before them, which changes nothing. */
        int64_t first = next + here > features ? features - here : next;
        const uint8_t *own = codes + first * rows;
        memset(sums, 0, sizeof sums);
        if (here == TOGETHER)
            sum_by_code(own, potentials, rows, sums);
        else
            for (int64_t i = 0; i < here; i++)
                sum_one_by_code(own + i * rows, potentials, rows, sums[i]);
        for (int64_t i = 0; i < here; i++) {
            double total = 0.0;
            for (int64_t k = count; k > 0; k--) {
                total += sums[i][k];
                if (fabs(total) > fabs(edge)) {
                    edge = total;
                    found[0] = first + i;
                    found[1] = k;
                }
            }
        }
    }
    return edge;
}
