/* Learners of w . x from sessions: Dueling Bandit Gradient Descent and PDGD. */
#include "interleaving.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    double score;
    int64_t row;
} scored_row;

static double score_row(const session_setting *setting, const double *weights, int64_t row)
{
    const double *features = setting->features + row * setting->width;
    double sum = 0.0;
    for (int64_t column = 0; column < setting->width; column++)
        sum += weights[column] * features[column];
    return sum;
}

/* Falling scores; equal ones in the order of the rows, so that there is only one order. */
static int compare_scored(const void *one, const void *other)
{
    const scored_row *left = one, *right = other;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return left->row < right->row ? -1 : left->row > right->row;
}

static void rank_rows(const session_setting *setting, const double *weights, int64_t first,
                      int64_t count, scored_row *scored, int64_t *order)
{
    for (int64_t place = 0; place < count; place++)
        scored[place] = (scored_row){score_row(setting, weights, first + place), first + place};
    qsort(scored, (size_t)count, sizeof(scored_row), compare_scored);
    for (int64_t place = 0; place < count; place++)
        order[place] = scored[place].row;
}

/* w + step * u into `candidate`, and u, a direction of length 1, into `direction`. */
static void propose(random_stream *stream, const double *weights, int64_t width, double step,
                    double *direction, double *candidate)
{
    double square = 0.0;
    for (int64_t column = 0; column < width; column++) {
        direction[column] = draw_normal(stream);
        square += direction[column] * direction[column];
    }
    for (int64_t column = 0; column < width; column++) {
        direction[column] /= square > 0.0 ? sqrt(square) : 1.0;
        candidate[column] = weights[column] + step * direction[column];
    }
}

/* `count` sessions of Dueling Bandit Gradient Descent from number `first` on: the candidate
   w + exploration * u is interleaved with w; where it gets more clicks, w moves by rate * u. */
RANKWISE_API int64_t rankwise_learn_dueling_bandit(const session_setting *setting, int64_t seed,
                                                   int64_t first, int64_t count,
                                                   double exploration, double rate, double *weights,
                                                   double *values)
{
    int64_t longest = longest_query(setting), shown = setting->shown, width = setting->width;
    scored_row *scored = malloc((size_t)(longest + 1) * sizeof(scored_row));
    int64_t *orders = malloc((size_t)(2 * longest + shown + 1) * sizeof(int64_t));
    double *direction = malloc((size_t)(2 * width + 1) * sizeof(double));
    uint8_t *marks = calloc((size_t)(longest + 2 * shown + 1), 1);
    int enough = scored != NULL && orders != NULL && direction != NULL && marks != NULL;
    int64_t *other = orders + longest, *rows = other + longest;
    uint8_t *teams = marks + longest, *clicks = teams + shown;
    for (int64_t session = first; enough && session < first + count; session++) {
        int64_t query = query_of_session(setting, seed, session), credit = 0;
        int64_t begin = setting->offsets[query], length = list_length(setting, query);
        int64_t documents = setting->offsets[query + 1] - begin;
        random_stream stream = open_stream(seed, session, FOR_LEARNING);
        propose(&stream, weights, width, exploration, direction, direction + width);
        rank_rows(setting, weights, begin, documents, scored, orders);
        rank_rows(setting, direction + width, begin, documents, scored, other);
        stream = open_stream(seed, session, FOR_LIST);
        draft_teams(&stream, orders, other, begin, length, marks, rows, teams);
        stream = open_stream(seed, session, FOR_CLICKS);
        click_list(setting, &stream, rows, length, clicks);
        values[session - first] = value_of_list(setting, query, rows, length);
        for (int64_t position = 0; position < length; position++)
            credit += clicks[position] ? (teams[position] ? 1 : -1) : 0;
        for (int64_t column = 0; credit > 0 && column < width; column++)
            weights[column] += rate * direction[column];
    }
    free(scored);
    free(orders);
    free(direction);
    free(marks);
    return enough ? 0 : -1;
}

/* P(R*) / (P(R) + P(R*)), R* being the list with the documents of two positions exchanged.

   Both orders have the same numerators, and before `upper` and after `lower` the same sums over
   what is left: tails[p] is that sum at position p of R. */
static double exchange_weight(const double *masses, const double *tails, int64_t upper,
                              int64_t lower)
{
    double ratio = 1.0;
    for (int64_t position = upper + 1; position <= lower; position++) {
        double rest = tails[position] - masses[lower];
        double exchanged = (rest > 0.0 ? rest : 0.0) + masses[upper];
        ratio *= exchanged > 0.0 ? tails[position] / exchanged : 1.0;
    }
    return ratio / (1.0 + ratio);
}

/* One step of PDGD: what each shown document's features are multiplied by. Preferred is every
   clicked document over every one not clicked up to the one after the last click. */
static void weigh_preferences(const uint8_t *clicks, const double *masses, const double *tails,
                              int64_t length, double *pushes)
{
    int64_t last = -1;
    for (int64_t position = 0; position < length; position++) {
        pushes[position] = 0.0;
        if (clicks[position])
            last = position;
    }
    if (last < 0)
        return;
    int64_t seen = last + 2 < length ? last + 2 : length;
    for (int64_t better = 0; better <= last; better++) {
        if (!clicks[better])
            continue;
        for (int64_t worse = 0; worse < seen; worse++) {
            if (clicks[worse])
                continue;
            double sum = masses[better] + masses[worse];
            if (!(sum > 0.0))
                continue;
            double slope = (masses[better] / sum) * (masses[worse] / sum);
            int64_t upper = better < worse ? better : worse;
            slope *= exchange_weight(masses, tails, upper, better + worse - upper);
            pushes[better] += slope;
            pushes[worse] -= slope;
        }
    }
}

/* `count` sessions of Pairwise Differentiable Gradient Descent from number `first` on. */
RANKWISE_API int64_t rankwise_learn_pdgd(const session_setting *setting, int64_t seed,
                                         int64_t first, int64_t count, double rate, double decay,
                                         double *weights, double *values)
{
    int64_t longest = longest_query(setting), shown = setting->shown, width = setting->width;
    double *masses = malloc((size_t)(2 * longest + 3 * shown + 2) * sizeof(double));
    int64_t *rows = malloc((size_t)(shown + 1) * sizeof(int64_t));
    uint8_t *clicks = malloc((size_t)shown + 1);
    int enough = masses != NULL && rows != NULL && clicks != NULL;
    double *left = masses + longest, *own = left + longest, *tails = own + shown;
    double *pushes = tails + shown + 1;
    for (int64_t session = first; enough && session < first + count; session++) {
        double step = rate * pow(decay, (double)session);
        int64_t query = query_of_session(setting, seed, session);
        int64_t begin = setting->offsets[query], length = list_length(setting, query);
        int64_t documents = setting->offsets[query + 1] - begin;
        double highest = -INFINITY, rest = 0.0;
        for (int64_t place = 0; place < documents; place++) {
            masses[place] = score_row(setting, weights, begin + place);
            highest = masses[place] > highest ? masses[place] : highest;
        }
        for (int64_t place = 0; place < documents; place++)
            left[place] = masses[place] = exp(masses[place] - highest);
        random_stream stream = open_stream(seed, session, FOR_LIST);
        draw_list(&stream, left, documents, length, rows);
        for (int64_t place = 0; place < documents; place++)
            rest += left[place] > 0.0 ? left[place] : 0.0;
        for (int64_t position = length - 1; position >= 0; position--) {
            own[position] = masses[rows[position]];
            rest += own[position];
            tails[position] = rest;
            rows[position] += begin;
        }
        stream = open_stream(seed, session, FOR_CLICKS);
        click_list(setting, &stream, rows, length, clicks);
        values[session - first] = value_of_list(setting, query, rows, length);
        weigh_preferences(clicks, own, tails, length, pushes);
        for (int64_t position = 0; position < length; position++) {
            const double *features = setting->features + rows[position] * width;
            for (int64_t column = 0; pushes[position] != 0.0 && column < width; column++)
                weights[column] += step * pushes[position] * features[column];
        }
    }
    free(masses);
    free(rows);
    free(clicks);
    return enough ? 0 : -1;
}
