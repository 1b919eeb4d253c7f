/* Lists that two rankers make together. */
#ifndef RANKWISE_INTERLEAVING_H
#define RANKWISE_INTERLEAVING_H

#include "sessions.h"

/* Team draft (Radlinski, Kurup, Joachims 2008): in every round a coin says who chooses first; each
   team takes its best document that is left. `used` has a mark for every place, all 0 at first and
   again at the end. `teams[i]` is 0 or 1. */
static inline void draft_teams(random_stream *stream, const int64_t *one, const int64_t *other,
                               int64_t first, int64_t length, uint8_t *used, int64_t *rows,
                               uint8_t *teams)
{
    const int64_t *orders[2] = {one, other};
    int64_t next[2] = {0, 0};
    int team = 0;
    for (int64_t position = 0; position < length; position++) {
        team = position % 2 ? 1 - team : draw_uniform(stream) < 0.5;
        while (used[orders[team][next[team]] - first])
            next[team]++;
        rows[position] = orders[team][next[team]];
        teams[position] = (uint8_t)team;
        used[rows[position] - first] = 1;
    }
    for (int64_t position = 0; position < length; position++)
        used[rows[position] - first] = 0;
}

#endif
