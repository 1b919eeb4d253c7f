/* LETOR rows from arrays to bytes: `label qid:ID index:value … #comment`. */
#include <math.h>
#include <string.h>

#include "core.h"
#include "printing.h"

enum { SHORTEST, FIXED };

#define FIXED_PLACES 6
/* An index is printed as a blank, up to seven digits and a colon, in a slot of this size. */
#define PREFIX_ROOM 16

/* Texts one after the other: text i is data[starts[i]] to before data[ends[i]]. */
typedef struct {
    const uint8_t *data;
    int64_t size;
    const int64_t *starts, *ends;
} texts;

typedef struct {
    uint8_t *at, *end;
} output;

/* Copy a text after a mark; 0 where there is no room or the text lies outside its data. */
static int put_text(output *out, const char *mark, const texts *column, int64_t i)
{
    int64_t start = column->starts[i], end = column->ends[i], marked = (int64_t)strlen(mark);
    if (start < 0 || start > end || end > column->size ||
        end - start > out->end - out->at - marked)
        return 0;
    memcpy(out->at, mark, (size_t)marked);
    memcpy(out->at + marked, column->data + start, (size_t)(end - start));
    out->at += marked + end - start;
    return 1;
}

static uint8_t *print_value(double value, int style, int bare, uint8_t *at)
{
    if (isnan(value)) {
        memcpy(at, "NULL", 4);
        return at + 4;
    }
    if (style == SHORTEST)
        return print_shortest(value, at);
    if (bare) {
        *at = '0';
        return at + 1;
    }
    return print_fixed(value, FIXED_PLACES, at);
}

/* The features of a row; 0 where there is no room. Columns in `bare` are 0 in a whole query. */
static int put_features(output *out, const double *cells, int64_t width, int style,
                        const uint8_t *bare, const uint8_t *prefixes, const int64_t *lengths)
{
    int64_t room = PREFIX_ROOM + (style == SHORTEST ? SHORTEST_ROOM : FIXED_ROOM);
    uint8_t *at = out->at;
    for (int64_t column = 0; column < width; column++) {
        if (out->end - at < room)
            return 0;
        memcpy(at, prefixes + PREFIX_ROOM * column, PREFIX_ROOM);
        at = print_value(cells[column], style, bare != NULL && bare[column], at + lengths[column]);
    }
    out->at = at;
    return 1;
}

/* Write rows as long as there is room; returns the bytes, `done` the rows that they hold.

   Row r belongs to query query_of_rows[r]; `bare` has a row of columns per query, or none where
   `bare_columns` is 0. Every length in `lengths` is below PREFIX_ROOM. */
RANKWISE_API int64_t rankwise_write_letor(
    const double *labels, const double *features, int64_t rows, int64_t width, int64_t style,
    const uint8_t *bare, int64_t bare_columns, const uint8_t *prefixes, const int64_t *lengths,
    const int64_t *query_of_rows, int64_t queries, const uint8_t *query_data, int64_t query_size,
    const int64_t *query_starts, const int64_t *query_ends, const uint8_t *comment_data,
    int64_t comment_size, const int64_t *comment_starts, const int64_t *comment_ends, uint8_t *text,
    int64_t room, int64_t *done)
{
    texts query_texts = {query_data, query_size, query_starts, query_ends};
    texts comments = {comment_data, comment_size, comment_starts, comment_ends};
    output out = {text, text + room};
    uint8_t *written = text;
    *done = 0;
    for (int64_t column = 0; column < width; column++)
        if (lengths[column] < 0 || lengths[column] >= PREFIX_ROOM)
            return 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t query = query_of_rows[row];
        if (out.end - out.at < SHORTEST_ROOM || query < 0 || query >= queries)
            break;
        out.at = print_value(labels[row], SHORTEST, 0, out.at);
        if (!put_text(&out, "", &query_texts, query) ||
            !put_features(&out, features + row * width, width, (int)style,
                          bare_columns ? bare + query * width : NULL, prefixes, lengths))
            break;
        if (comment_ends[row] > comment_starts[row] && !put_text(&out, " #", &comments, row))
            break;
        if (out.at == out.end)
            break;
        *out.at++ = '\n';
        written = out.at;
        ++*done;
    }
    return written - text;
}
