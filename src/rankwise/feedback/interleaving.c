/* Who of two rankers wins a session whose list both have made. */
#include "interleaving.h"

#include <stdlib.h>
#include <string.h>

static double sign_of(int64_t value)
{
    return (double)((value > 0) - (value < 0));
}

/* For every session 1 where the first ranker's team got more clicks, -1 where the second's did. */
RANKWISE_API int64_t rankwise_team_draft(const session_setting *setting, int64_t seed,
                                         int64_t count, const int64_t *one, const int64_t *other,
                                         double *outcomes)
{
    int64_t shown = setting->shown;
    uint8_t *used = calloc((size_t)(longest_query(setting) + 1), 1);
    uint8_t *clicks = malloc(2 * (size_t)shown + 1), *teams = clicks + shown;
    int64_t *rows = malloc((size_t)(shown + 1) * sizeof(int64_t));
    int enough = used != NULL && clicks != NULL && rows != NULL;
    for (int64_t session = 0; enough && session < count; session++) {
        int64_t query = query_of_session(setting, seed, session);
        int64_t first = setting->offsets[query], length = list_length(setting, query), credit = 0;
        random_stream stream = open_stream(seed, session, FOR_LIST);
        draft_teams(&stream, one + first, other + first, first, length, used, rows, teams);
        stream = open_stream(seed, session, FOR_CLICKS);
        click_list(setting, &stream, rows, length, clicks);
        for (int64_t position = 0; position < length; position++)
            credit += clicks[position] ? (teams[position] ? -1 : 1) : 0;
        outcomes[session] = sign_of(credit);
    }
    free(used);
    free(clicks);
    free(rows);
    return enough ? 0 : -1;
}

/* E[sign(clicks of one - clicks of the other)] where click i belongs to the first ranker with
   chance shares[i], independently: `spread` holds the chances of every difference. */
static double expected_sign(const double *shares, int64_t clicked, double *spread)
{
    int64_t width = 2 * clicked + 1;
    memset(spread, 0, (size_t)width * sizeof(double));
    spread[clicked] = 1.0;
    for (int64_t click = 0; click < clicked; click++) {
        double before = 0.0;
        for (int64_t at = 0; at < width; at++) {
            double below = before, above = at + 1 < width ? spread[at + 1] : 0.0;
            before = spread[at];
            spread[at] = shares[click] * below + (1.0 - shares[click]) * above;
        }
    }
    double expected = 0.0;
    for (int64_t at = 0; at < width; at++)
        expected += spread[at] * (double)((at > clicked) - (at < clicked));
    return expected;
}

/* The list of a session: at every position a coin chooses the ranker, which draws a document in
   proportion to `softness`[its rank] among those that are left. shares[i] is the chance, given the
   list alone, that document i came from the first ranker. */
static void draw_softly(random_stream *stream, const double *chances[2], int64_t count,
                        int64_t length, double *left, int64_t *places, double *shares)
{
    memset(left, 0, (size_t)count * sizeof(double));
    for (int64_t position = 0; position < length; position++) {
        const double *mine = chances[draw_uniform(stream) < 0.5];
        double totals[2] = {0.0, 0.0}, passed = 0.0;
        for (int64_t place = 0; place < count; place++)
            if (left[place] == 0.0) {
                totals[0] += chances[0][place];
                totals[1] += chances[1][place];
            }
        double aim = draw_uniform(stream) * (mine == chances[0] ? totals[0] : totals[1]);
        int64_t chosen = -1;
        for (int64_t place = 0; place < count && (chosen < 0 || passed <= aim); place++)
            if (left[place] == 0.0) {
                passed += mine[place];
                chosen = place;
            }
        double first = chances[0][chosen] / totals[0], second = chances[1][chosen] / totals[1];
        left[chosen] = 1.0;
        places[position] = chosen;
        shares[position] = first / (first + second);
    }
}

/* For every session the expected winner over all ways in which its list may have come about
   (Hofmann, Whiteson, de Rijke 2011): from -1, the second, to 1, the first ranker. `one` and
   `other` have for every row its weight 1 / rank^3 (or another) in the ranker's order. */
RANKWISE_API int64_t rankwise_probabilistic_interleaving(const session_setting *setting,
                                                         int64_t seed, int64_t count,
                                                         const double *one, const double *other,
                                                         double *outcomes)
{
    int64_t shown = setting->shown;
    double *room = malloc((size_t)(longest_query(setting) + 4 * shown + 4) * sizeof(double));
    int64_t *places = malloc((size_t)(shown + 1) * sizeof(int64_t));
    uint8_t *clicks = malloc((size_t)shown + 1);
    int enough = room != NULL && places != NULL && clicks != NULL;
    double *shares = room, *spread = room + shown + 1, *left = spread + 2 * shown + 2;
    for (int64_t session = 0; enough && session < count; session++) {
        int64_t query = query_of_session(setting, seed, session), clicked = 0;
        int64_t first = setting->offsets[query], length = list_length(setting, query);
        const double *chances[2] = {one + first, other + first};
        random_stream stream = open_stream(seed, session, FOR_LIST);
        draw_softly(&stream, chances, setting->offsets[query + 1] - first, length, left, places,
                    shares);
        for (int64_t position = 0; position < length; position++)
            places[position] += first;
        stream = open_stream(seed, session, FOR_CLICKS);
        click_list(setting, &stream, places, length, clicks);
        for (int64_t position = 0; position < length; position++)
            if (clicks[position])
                shares[clicked++] = shares[position];
        outcomes[session] = expected_sign(shares, clicked, spread);
    }
    free(room);
    free(places);
    free(clicks);
    return enough ? 0 : -1;
}
