/* LETOR / SVMlight rows from bytes: `label qid:ID index:value … #comment`.

   A chunk begins at the start of a line and ends after a line feed, with TEXT_ROOM line feeds
   after it, so that every loop ends at a line feed at the latest. Chunks are parsed side by side
   into slices of the same arrays. letor_text.py says what outcomes and arrays hold. */
#include <math.h>
#include <string.h>

#include "core.h"
#include "numbers.h"

enum {
    FINE,
    BAD_LABEL,
    NO_QUERY,
    EMPTY_QUERY,
    UNEXPECTED_QUERY,
    BAD_FEATURE,
    INDEX_ZERO,
    BAD_VALUE,
    REPEATED_INDEX,
    INDEX_BEYOND,
    CHANGED
};

enum { ROWS, POSITION, RUNS, COMMENTS, DOCUMENTS, ENTRIES, KEPT, COLUMNS, UNSORTED, FOUND };

#define TOKENS_KEPT 512

/* How the n-th index of the row before was written, with blank and colon: the next row's is nearly
   always written the same, and to compare a word is quicker than to read an index. */
typedef struct {
    uint64_t bytes, mask;
    int64_t length, column;
} token;

/* Where the features of sparse rows go: one after the other, those that are exactly +0 left out. */
typedef struct {
    double *values;
    int32_t *columns;
    int64_t *row_offsets;
    int64_t room, kept, width;
} entries;

typedef struct {
    const uint8_t *at;
    int64_t first_index, largest_index, width, written;
    int64_t *stamps;
    entries sparse;
    token tokens[TOKENS_KEPT];
} parser;

static int is_blank(uint8_t byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

static int ends_token(uint8_t byte) { return byte <= ' ' || byte == '#'; }

static const uint8_t *skip_blanks(const uint8_t *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

static const uint8_t *skip_token(const uint8_t *at)
{
    while (!ends_token(*at))
        at++;
    return at;
}

/* A number that is a whole token; NULL where the token is something else. NULL the word is NaN. */
static const uint8_t *read_value(const uint8_t *at, double *value)
{
    const uint8_t *end = read_short_number(at, value);
    if (end != NULL && ends_token(*end))
        return end;
    end = skip_token(at);
    if (end - at == 4 && (at[0] | 32) == 'n' && (at[1] | 32) == 'u' && (at[2] | 32) == 'l' &&
        (at[3] | 32) == 'l') {
        *value = (double)NAN;
        return end;
    }
    int has_sign = *at == '-' || *at == '+';
    return read_number(at, value) == end && !(has_sign && isnan(*value)) ? end : NULL;
}

/* Read an index up to and with its colon; larger ones than `largest` become one more than it. */
static const uint8_t *read_index(const uint8_t *at, int64_t largest, int64_t *index)
{
    const uint8_t *begin = at;
    int64_t number = 0;
    for (; is_digit(*at); at++)
        number = number > largest ? number : number * 10 + (*at - '0');
    *index = number > largest ? largest + 1 : number;
    return *at == ':' && at > begin ? at + 1 : NULL;
}

static void keep_token(token *kept, const uint8_t *begin, const uint8_t *end, int64_t column)
{
    int64_t length = end - begin;
    if (length > 8)
        return;
    kept->mask = ~(uint64_t)0 >> (64 - 8 * length);
    kept->bytes = load_bytes(begin) & kept->mask;
    kept->length = length;
    kept->column = column;
}

/* Not an outcome: the features of a row end here. */
#define ROW_ENDS -1

/* The column of the n-th feature, which begins at `*place`; the value begins there afterwards. */
static inline int read_column(parser *state, const uint8_t **place, int64_t n, int64_t *column)
{
    const uint8_t *at = *place;
    token *kept = &state->tokens[n < TOKENS_KEPT ? n : TOKENS_KEPT - 1];
    if ((load_bytes(at) & kept->mask) == kept->bytes) {
        *place = at + kept->length;
        *column = kept->column;
        return FINE;
    }
    const uint8_t *before = at;
    at = skip_blanks(at);
    state->at = at;
    if (*at == '\n' || *at == '#')
        return ROW_ENDS;
    const uint8_t *begin = at;
    int64_t index;
    at = read_index(at, state->largest_index, &index);
    if (at == NULL)
        return BAD_FEATURE;
    *column = index - state->first_index;
    if (*column < 0)
        return INDEX_ZERO;
    if (*column >= state->width)
        return INDEX_BEYOND;
    if (begin == before + 1)
        keep_token(kept, before, at, *column);
    *place = at;
    return FINE;
}

static inline const uint8_t *read_cell(parser *state, const uint8_t *at, double *cell)
{
    const uint8_t *end = read_short_number(at, cell);
    if (end == NULL || !ends_token(*end)) {
        end = read_value(at, cell);
        if (end == NULL)
            state->at = at;
    }
    return end;
}

/* The features of a row into `cells`; the parser stands at the end of the line or its comment. */
static int parse_features(parser *state, double *cells, int *rising)
{
    const uint8_t *at = state->at;
    int64_t previous = -1, column = 0;
    for (int64_t n = 0;; n++) {
        int outcome = read_column(state, &at, n, &column);
        if (outcome != FINE) {
            state->written += n;
            return outcome == ROW_ENDS ? FINE : outcome;
        }
        *rising &= column > previous;
        previous = column;
        at = read_cell(state, at, &cells[column]);
        if (at == NULL)
            return BAD_VALUE;
    }
}

/* As parse_features, for the sparse row `row`. */
static int parse_sparse_features(parser *state, int64_t row, int *rising)
{
    entries *sparse = &state->sparse;
    const uint8_t *at = state->at;
    int64_t previous = -1, column = 0;
    for (int64_t n = 0;; n++) {
        int outcome = read_column(state, &at, n, &column);
        if (outcome != FINE) {
            state->written += n;
            sparse->row_offsets[row + 1] = sparse->kept;
            return outcome == ROW_ENDS ? FINE : outcome;
        }
        *rising &= column > previous;
        previous = column;
        if (column >= sparse->width)
            sparse->width = column + 1;
        double value;
        at = read_cell(state, at, &value);
        if (at == NULL)
            return BAD_VALUE;
        if (value != 0.0 || signbit(value)) {
            if (sparse->kept == sparse->room)
                return CHANGED;
            sparse->values[sparse->kept] = value;
            sparse->columns[sparse->kept] = (int32_t)column;
            sparse->kept++;
        }
    }
}

/* Whether an index stands twice in the row whose features begin here; the parser stands there. */
static int find_repeated(parser *state, const uint8_t *at, int64_t row)
{
    for (;;) {
        at = skip_blanks(at);
        if (*at == '\n' || *at == '#')
            return FINE;
        const uint8_t *begin = at;
        int64_t index;
        at = skip_token(read_index(at, state->largest_index, &index));
        int64_t *stamp = &state->stamps[index - state->first_index];
        if (*stamp == row + 1) {
            state->at = begin;
            return REPEATED_INDEX;
        }
        *stamp = row + 1;
    }
}

/* The first `docid = X` of a comment, docid as a word of its own. */
static int find_document(const uint8_t *begin, const uint8_t *end, const uint8_t **span)
{
    for (const uint8_t *at = begin; end - at > 5; at++) {
        at = (const uint8_t *)memchr(at, 'd', (size_t)(end - at));
        if (at == NULL || end - at <= 5)
            break;
        uint8_t before = at > begin ? at[-1] : ' ';
        int in_word = is_digit(before) || before == '_' || (uint8_t)((before | 32) - 'a') < 26;
        if (in_word || memcmp(at, "docid", 5) != 0)
            continue;
        const uint8_t *next = skip_blanks(at + 5);
        if (next >= end || *next != '=')
            continue;
        next = skip_blanks(next + 1);
        const uint8_t *last = next;
        while (last < end && *last > ' ')
            last++;
        if (last > next) {
            span[0] = next;
            span[1] = last;
            return 1;
        }
    }
    return 0;
}

/* The spans of a row's comment and document id, empty where there is none. */
static void note_comment(const uint8_t *text, const uint8_t *at, const uint8_t *line_feed,
                         int64_t *spans, int64_t *found)
{
    const uint8_t *begin = at, *end = at, *document[2] = {at, at};
    if (*at == '#') {
        begin = at + 1;
        for (end = line_feed; end > begin && end[-1] <= ' ';)
            end--;
        found[COMMENTS] += end > begin;
        document[0] = document[1] = begin;
        found[DOCUMENTS] += find_document(begin, end, document);
    }
    spans[0] = begin - text;
    spans[1] = end - text;
    spans[2] = document[0] - text;
    spans[3] = document[1] - text;
}

/* A row's query id; where it differs from the row before, a run of rows begins. */
static int parse_query(parser *state, const uint8_t *text, int64_t row, int64_t *runs,
                       int64_t *found)
{
    const uint8_t *begin = state->at + 4, *end = skip_token(begin);
    state->at = end;
    if (begin == end)
        return EMPTY_QUERY;
    int64_t *run = &runs[3 * found[RUNS]];
    if (found[RUNS] == 0 || run[-1] - run[-2] != end - begin ||
        memcmp(text + run[-2], begin, (size_t)(end - begin)) != 0) {
        run[0] = row;
        run[1] = begin - text;
        run[2] = end - text;
        found[RUNS]++;
    }
    return FINE;
}

static int parse_row(parser *state, const uint8_t *text, int with_queries, int64_t row,
                     double *cells, double *label, int64_t *runs, int64_t *found)
{
    const uint8_t *end = read_value(state->at, label);
    if (end == NULL || !isfinite(*label))
        return BAD_LABEL;
    state->at = skip_blanks(end);
    int named = memcmp(state->at, "qid:", 4) == 0, outcome = FINE, rising = 1;
    if (named != with_queries)
        return named ? UNEXPECTED_QUERY : NO_QUERY;
    if (named)
        outcome = parse_query(state, text, row, runs, found);
    const uint8_t *features = state->at;
    if (outcome == FINE)
        outcome = cells != NULL ? parse_features(state, cells, &rising)
                                : parse_sparse_features(state, row, &rising);
    if (outcome != FINE || rising)
        return outcome;
    found[UNSORTED] = 1;
    return find_repeated(state, features, row);
}

/* Rows of a chunk; into `features`, rows of `width` cells, or where row_offsets has room for them
   (`sparse` not 0) as entries: then `features` and `columns` have `room` of them. */
RANKWISE_API int64_t rankwise_parse_letor(const uint8_t *text, int64_t length, int64_t begin,
                                          int64_t end, int64_t first_index, int64_t largest_index,
                                          int64_t with_queries, int64_t rows, int64_t width,
                                          double *features, double *labels, int64_t *spans,
                                          int64_t *runs, int64_t *stamps, int64_t sparse,
                                          int32_t *columns, int64_t *row_offsets, int64_t room,
                                          int64_t *found)
{
    parser state = {.at = text + begin, .first_index = first_index,
                    .largest_index = largest_index, .width = width, .stamps = stamps,
                    .sparse = {features, columns, row_offsets, room, 0, 0}};
    for (int n = 0; n < TOKENS_KEPT; n++)
        state.tokens[n].bytes = 1;
    memset(found, 0, FOUND * sizeof(int64_t));
    if (!has_text_room(text, length, end) || begin < 0 || begin > end ||
        (end > 0 && text[end - 1] != '\n'))
        return CHANGED;
    const uint8_t *last = text + end;
    int outcome = FINE;
    if (sparse)
        row_offsets[0] = 0;
    for (int64_t row = 0; outcome == FINE;) {
        state.at = skip_blanks(state.at);
        found[ROWS] = row;
        found[POSITION] = state.at - text;
        if (state.at >= last)
            break;
        if (*state.at != '\n' && *state.at != '#') {
            double *cells = sparse ? NULL : features + row * width;
            outcome = row == rows ? CHANGED
                                  : parse_row(&state, text, with_queries != 0, row, cells,
                                              &labels[row], runs, found);
            if (outcome != FINE) {
                found[POSITION] = state.at - text;
                break;
            }
            const uint8_t *feed = (const uint8_t *)memchr(state.at, '\n', (size_t)(last - state.at));
            note_comment(text, state.at, feed, &spans[4 * row], found);
            state.at = feed + 1;
            row++;
        } else
            state.at = (const uint8_t *)memchr(state.at, '\n', (size_t)(last - state.at)) + 1;
    }
    found[ENTRIES] = state.written;
    found[KEPT] = state.sparse.kept;
    found[COLUMNS] = state.sparse.width;
    return outcome;
}

/* The largest feature index of the lines, whatever else is wrong with them (-1: none): digits between
   a blank and a colon, before a comment. One more than `largest` stands for all beyond it. `entries`
   is how many indices there are. */
RANKWISE_API int64_t rankwise_largest_index(const uint8_t *text, int64_t length, int64_t end,
                                            int64_t largest, int64_t *entries)
{
    int64_t found = -1, index;
    *entries = 0;
    if (!has_text_room(text, length, end))
        return found;
    for (const uint8_t *at = text, *last = text + end; at < last; at++) {
        if (*at == '#')
            at = (const uint8_t *)memchr(at, '\n', (size_t)(last - at + 1));
        else if (is_blank(*at) && is_digit(at[1]) && read_index(at + 1, largest, &index) != NULL) {
            ++*entries;
            if (index > found)
                found = index;
        }
    }
    return found;
}
