/* Learning automata: chances of actions that are rewarded, and nothing else (LRUF, LARF). */
#include "sessions.h"

#include <stdlib.h>
#include <string.h>

/* Linear reward-inaction: p_i + a (1 - p_i) for the rewarded action, (1 - a) p_j for others. */
static void reward(double *chances, int64_t count, int64_t action, double rate)
{
    for (int64_t one = 0; one < count; one++)
        chances[one] *= 1.0 - rate;
    chances[action] += rate;
}

/* `count` sessions of LRUF from number `first` on. `chances` has one automaton a query, one action
   a document; `bars`[q] is the best feedback that query q has had. */
RANKWISE_API int64_t rankwise_learn_lruf(const session_setting *setting, int64_t seed,
                                         int64_t first, int64_t count, double rate,
                                         double *chances, double *bars, double *values)
{
    int64_t shown = setting->shown;
    double *left = malloc((size_t)(longest_query(setting) + 1) * sizeof(double));
    int64_t *rows = malloc((size_t)(shown + 1) * sizeof(int64_t));
    uint8_t *visits = malloc((size_t)shown + 1);
    int enough = left != NULL && rows != NULL && visits != NULL;
    for (int64_t session = first; enough && session < first + count; session++) {
        int64_t query = query_of_session(setting, seed, session), visited = 0;
        int64_t begin = setting->offsets[query], length = list_length(setting, query);
        int64_t documents = setting->offsets[query + 1] - begin;
        double feedback = 0.0;
        memcpy(left, chances + begin, (size_t)documents * sizeof(double));
        random_stream stream = open_stream(seed, session, FOR_LIST);
        draw_list(&stream, left, documents, length, rows);
        for (int64_t position = 0; position < length; position++)
            rows[position] += begin;
        stream = open_stream(seed, session, FOR_CLICKS);
        click_list(setting, &stream, rows, length, visits);
        values[session - first] = value_of_list(setting, query, rows, length);
        for (int64_t position = 0; position < length; position++)
            if (visits[position]) {
                feedback += rate / (double)(position + 1);
                visited++;
            }
        if (visited == 0 || feedback / (double)visited < bars[query])
            continue;
        bars[query] = feedback / (double)visited;
        for (int64_t position = 0; position < length; position++)
            if (visits[position])
                reward(chances + begin, documents, rows[position] - begin, rate);
    }
    free(left);
    free(rows);
    free(visits);
    return enough ? 0 : -1;
}

/* One of the actions, in proportion to their chances. */
static int64_t draw_action(random_stream *stream, const double *chances, int64_t count)
{
    double aim = draw_uniform(stream), passed = 0.0;
    int64_t action = 0;
    for (; action < count - 1; action++) {
        passed += chances[action];
        if (passed > aim)
            break;
    }
    return action;
}

/* `count` sessions of LARF from number `first` on. An action is a source of evidence (a feature):
   it is drawn for every position and gives its best document that is not in the list. `orders` has
   the rows of each query by each source, best first; with `own` each query has an automaton. */
RANKWISE_API int64_t rankwise_learn_larf(const session_setting *setting, int64_t seed,
                                         int64_t first, int64_t count, double rate,
                                         const int64_t *orders, int64_t own, double *chances,
                                         double *values)
{
    int64_t shown = setting->shown, sources = setting->width, longest = longest_query(setting);
    uint8_t *marks = calloc((size_t)(longest + shown + 1), 1), *visits = marks + longest;
    int64_t *rows = malloc((size_t)(2 * shown + sources + 1) * sizeof(int64_t));
    int enough = marks != NULL && rows != NULL;
    int64_t *givers = rows + shown, *next = givers + shown;
    for (int64_t session = first; enough && session < first + count; session++) {
        int64_t query = query_of_session(setting, seed, session);
        int64_t begin = setting->offsets[query], length = list_length(setting, query);
        double *mine = chances + (own ? query * sources : 0);
        random_stream stream = open_stream(seed, session, FOR_LIST);
        memset(next, 0, (size_t)sources * sizeof(int64_t));
        for (int64_t position = 0; position < length; position++) {
            int64_t source = givers[position] = draw_action(&stream, mine, sources);
            const int64_t *order = orders + source * setting->documents + begin;
            while (marks[order[next[source]] - begin])
                next[source]++;
            rows[position] = order[next[source]];
            marks[rows[position] - begin] = 1;
        }
        for (int64_t position = 0; position < length; position++)
            marks[rows[position] - begin] = 0;
        stream = open_stream(seed, session, FOR_CLICKS);
        click_list(setting, &stream, rows, length, visits);
        values[session - first] = value_of_list(setting, query, rows, length);
        for (int64_t position = 0; position < length; position++)
            if (visits[position])
                reward(mine, sources, givers[position], rate);
    }
    free(marks);
    free(rows);
    return enough ? 0 : -1;
}
