/* One session of a simulated user: random numbers, lists that are drawn, clicks.

   Every session has random numbers of its own, which only the seed and its number decide, so that
   any part of a simulation can be made by any thread with the same bytes. */
#ifndef RANKWISE_SESSIONS_H
#define RANKWISE_SESSIONS_H

#include "core.h"

#include <math.h>

typedef struct {
    uint64_t state;
} random_stream;

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every
   bit of the argument. */
static inline uint64_t mix_bits(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

#define RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The random numbers of session `number`; `purpose` keeps those of different uses apart. */
static inline random_stream open_stream(int64_t seed, int64_t number, int64_t purpose)
{
    uint64_t state = mix_bits((uint64_t)seed + RANDOM_STEP);
    state = mix_bits(state ^ ((uint64_t)purpose * RANDOM_STEP));
    return (random_stream){mix_bits(state + (uint64_t)number * RANDOM_STEP)};
}

/* A number from 0 up to, not including, 1. */
static inline double draw_uniform(random_stream *stream)
{
    stream->state += RANDOM_STEP;
    return (double)(mix_bits(stream->state) >> 11) * 0x1p-53;
}

/* A whole number from 0 up to, not including, `count`. */
static inline int64_t draw_below(random_stream *stream, int64_t count)
{
    int64_t found = (int64_t)(draw_uniform(stream) * (double)count);
    return found < count ? found : count - 1;
}

/* A number of the normal distribution with mean 0 and deviation 1 (Box and Muller 1958). */
static inline double draw_normal(random_stream *stream)
{
    double radius = sqrt(-2.0 * log(1.0 - draw_uniform(stream)));
    return radius * cos(6.283185307179586 * draw_uniform(stream));
}

/* What all sessions share: the documents, and the user as tables. The order and the types are those
   of `_Fields` in session_setting.py. */
typedef struct {
    int64_t queries;
    int64_t documents;
    int64_t width;
    /* The longest list that is shown. */
    int64_t shown;
    int64_t grade_count;
    /* 1: positions are examined independently of each other; 0: from the top until a stop. */
    int64_t independent;
    /* 1: queries in turn; 0: drawn at random. */
    int64_t in_turn;
    double perseverance;
    const int64_t *offsets;
    const int32_t *grades;
    const double *features;
    const double *attraction;
    const double *satisfaction;
    /* By position: the chance of examination, or of going on after a click. */
    const double *positions;
    /* Of the NDCG of lists that are shown. */
    const double *gains;
    const double *discounts;
    const double *ideals;
} session_setting;

enum { FOR_QUERY = 1, FOR_LIST = 2, FOR_CLICKS = 3, FOR_LEARNING = 4 };

static inline int64_t query_of_session(const session_setting *setting, int64_t seed,
                                       int64_t session)
{
    if (setting->in_turn)
        return session % setting->queries;
    random_stream stream = open_stream(seed, session, FOR_QUERY);
    return draw_below(&stream, setting->queries);
}

static inline int64_t list_length(const session_setting *setting, int64_t query)
{
    int64_t length = setting->offsets[query + 1] - setting->offsets[query];
    return length < setting->shown ? length : setting->shown;
}

/* The clicks on a list of rows. */
static inline void click_list(const session_setting *setting, random_stream *stream,
                              const int64_t *rows, int64_t length, uint8_t *clicks)
{
    int64_t position = 0;
    if (setting->independent) {
        for (; position < length; position++) {
            double chance = setting->attraction[setting->grades[rows[position]]];
            clicks[position] = draw_uniform(stream) < setting->positions[position] * chance;
        }
        return;
    }
    int examining = 1;
    for (; position < length && examining; position++) {
        int32_t grade = setting->grades[rows[position]];
        clicks[position] = draw_uniform(stream) < setting->attraction[grade];
        double onward = setting->perseverance;
        if (clicks[position])
            onward = (1.0 - setting->satisfaction[grade]) * setting->positions[position];
        examining = draw_uniform(stream) < onward;
    }
    for (; position < length; position++)
        clicks[position] = 0;
}

/* Draw `length` of `count` places without replacement, each draw in proportion to what is left of
   `weights`, which is used up. Where all that is left weighs 0, the first that is left is taken. */
static inline void draw_list(random_stream *stream, double *weights, int64_t count, int64_t length,
                             int64_t *places)
{
    for (int64_t draw = 0; draw < length; draw++) {
        double total = 0.0;
        for (int64_t place = 0; place < count; place++)
            total += weights[place] > 0.0 ? weights[place] : 0.0;
        double aim = draw_uniform(stream) * total, passed = 0.0;
        int64_t chosen = -1;
        for (int64_t place = 0; place < count; place++) {
            if (weights[place] < 0.0)
                continue;
            passed += weights[place];
            /* Rounding may leave the aim beyond the last: then the last that weighs anything. */
            if (chosen < 0 || weights[place] > 0.0)
                chosen = place;
            if (weights[place] > 0.0 && passed > aim)
                break;
        }
        places[draw] = chosen;
        weights[chosen] = -1.0;
    }
}

/* NDCG of a list as it is shown; 0 for a query without a relevant document. */
static inline double value_of_list(const session_setting *setting, int64_t query,
                                   const int64_t *rows, int64_t length)
{
    double sum = 0.0;
    for (int64_t position = 0; position < length; position++)
        sum += setting->gains[setting->grades[rows[position]]] * setting->discounts[position];
    return setting->ideals[query] > 0.0 ? sum / setting->ideals[query] : 0.0;
}

static inline int64_t longest_query(const session_setting *setting)
{
    int64_t longest = 0;
    for (int64_t query = 0; query < setting->queries; query++) {
        int64_t length = setting->offsets[query + 1] - setting->offsets[query];
        longest = length > longest ? length : longest;
    }
    return longest;
}

#endif
