/* Sessions of simulated users on the lists of logging rankers. */
#include "sessions.h"

#include <stdlib.h>
#include <string.h>

enum { AS_RANKED = 0, SHUFFLED = 1, FIRST_SWAPPED = 2, PLACKETT_LUCE = 3 };

/* The queries of `count` sessions from number `first` on. */
RANKWISE_API int64_t rankwise_session_queries(const session_setting *setting, int64_t seed,
                                              int64_t first, int64_t count, int64_t *queries)
{
    if (setting->queries < 1)
        return -1;
    for (int64_t session = 0; session < count; session++)
        queries[session] = query_of_session(setting, seed, first + session);
    return 0;
}

static void swap_rows(int64_t *rows, int64_t one, int64_t other)
{
    int64_t kept = rows[one];
    rows[one] = rows[other];
    rows[other] = kept;
}

/* What a session is shown: the ranker's order, or as its randomization changes it. */
static void fill_list(random_stream *stream, int64_t randomization, const int64_t *order,
                      const double *weights, int64_t first, int64_t count, int64_t length,
                      double *left, int64_t *rows)
{
    if (randomization == PLACKETT_LUCE) {
        memcpy(left, weights + first, (size_t)count * sizeof(double));
        draw_list(stream, left, count, length, rows);
        for (int64_t position = 0; position < length; position++)
            rows[position] += first;
        return;
    }
    memcpy(rows, order + first, (size_t)length * sizeof(int64_t));
    if (randomization == SHUFFLED)
        for (int64_t last = length - 1; last > 0; last--)
            swap_rows(rows, last, draw_below(stream, last + 1));
    if (randomization == FIRST_SWAPPED && length > 0)
        swap_rows(rows, 0, draw_below(stream, length));
}

/* Rows and clicks of `count` sessions from number `first` on.

   `orders` has the rows of each query, best first, of every logging ranker one after the other;
   `weights` the same for Plackett-Luce: exp(score), 0 being never. A session takes one ranker at
   random. Session i writes from `session_offsets[i]` on. */
RANKWISE_API int64_t rankwise_simulate_sessions(const session_setting *setting, int64_t seed,
                                                int64_t first, int64_t count,
                                                int64_t randomization, const int64_t *orders,
                                                const double *weights, int64_t rankers,
                                                const int64_t *queries,
                                                const int64_t *session_offsets, int64_t *rows,
                                                uint8_t *clicks)
{
    double *left = malloc((size_t)(longest_query(setting) + 1) * sizeof(double));
    if (left == NULL)
        return -1;
    for (int64_t session = 0; session < count; session++) {
        int64_t query = queries[session];
        int64_t begin = setting->offsets[query], at = session_offsets[session];
        int64_t length = session_offsets[session + 1] - at;
        random_stream stream = open_stream(seed, first + session, FOR_LIST);
        int64_t shift = draw_below(&stream, rankers) * setting->documents;
        fill_list(&stream, randomization, orders + shift,
                  randomization == PLACKETT_LUCE ? weights + shift : weights, begin,
                  setting->offsets[query + 1] - begin, length, left, rows + at);
        stream = open_stream(seed, first + session, FOR_CLICKS);
        click_list(setting, &stream, rows + at, length, clicks + at);
    }
    free(left);
    return 0;
}
