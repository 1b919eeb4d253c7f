/* The scores of many linear functions. */
#include "../scorers/linear.h"

/* So many rows stay in the processor's cache while all candidates pass over them. */
#define ROWS_IN_A_BLOCK 64

static int candidates_hold(const int64_t *starts, int64_t candidates, const int64_t *columns,
                           int64_t entries, int64_t width)
{
    if (starts[0] < 0 || starts[candidates] > entries)
        return 0;
    for (int64_t c = 0; c < candidates; c++)
        if (starts[c + 1] < starts[c])
            return 0;
    for (int64_t k = 0; k < entries; k++)
        if (columns[k] < 0 || columns[k] >= width)
            return 0;
    return 1;
}

/* out[c, i] = the weighted sum of document i under candidate c, which has the weights starts[c] ..
   starts[c + 1] - 1, of ascending columns. Returns -1 where these lie outside their arrays. */
RANKWISE_API int64_t rankwise_score_candidates(const double *features, int64_t rows, int64_t width,
                                               const int64_t *starts, int64_t candidates,
                                               const int64_t *columns, const double *weights,
                                               int64_t entries, double *out)
{
    if (!candidates_hold(starts, candidates, columns, entries, width))
        return -1;
    for (int64_t first = 0; first < rows; first += ROWS_IN_A_BLOCK) {
        int64_t count = rows - first < ROWS_IN_A_BLOCK ? rows - first : ROWS_IN_A_BLOCK;
        for (int64_t c = 0; c < candidates; c++)
            rankwise_linear_scores(features + first * width, count, width, columns + starts[c],
                                   weights + starts[c], starts[c + 1] - starts[c], 0.0,
                                   out + c * rows + first);
    }
    return 0;
}
