/* The scores of many linear functions, and what a measure says of each on every query. */
#include <stdlib.h>

#include "../../models/scorers/linear.h"
#include "../../measures/prepared_measure.h"

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

static int tells_apart(const double *scores, int64_t size)
{
    int apart = 0;
    for (int64_t i = 1; i < size; i++)
        apart |= scores[i] != scores[i - 1];
    return apart;
}

/* values[c, q] = the measure of candidate c on query q; tells[c] becomes 1 where c gives two
   neighbours of some query different scores. One query at a time, whose features stay in the
   processor's cache while all candidates pass over them; no array of all scores is ever made. */
RANKWISE_API int64_t rankwise_measure_candidates(
    const prepared_measure *measure, const double *features, int64_t rows, int64_t width,
    const int64_t *starts, int64_t candidates, const int64_t *columns, const double *weights,
    int64_t entries, double *values, uint8_t *tells)
{
    const query_lists *lists = &measure->lists;
    measuring_room room;
    if (lists->documents != rows || !candidates_hold(starts, candidates, columns, entries, width))
        return LISTS_DO_NOT_FIT;
    int64_t outcome = open_room(&room, measure);
    double *scores = malloc(((size_t)rows + 1) * sizeof(double));
    if (scores == NULL)
        outcome = NO_MEMORY;
    for (int64_t q = 0; q < lists->queries && outcome == DONE; q++) {
        int64_t start = lists->offsets[q], size = lists->retrieved[q];
        begin_query(&room.query, lists, q);
        for (int64_t c = 0; c < candidates && outcome == DONE; c++) {
            rankwise_linear_scores(features + start * width, size, width, columns + starts[c],
                                   weights + starts[c], starts[c + 1] - starts[c], 0.0,
                                   scores + start);
            tells[c] |= (uint8_t)tells_apart(scores + start, size);
            if (!rank_documents(&room.query, lists, q, scores, measure->tie_mode))
                outcome = SCORE_IS_NAN;
            else
                values[c * lists->queries + q] =
                    measure_value(&room.query, measure->record, &measure->tables);
            if (room.query.failed)
                outcome = NO_MEMORY;
        }
    }
    free(scores);
    close_room(&room);
    return outcome;
}
