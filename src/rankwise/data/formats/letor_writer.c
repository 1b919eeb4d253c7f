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

/* How the features of a row are printed. Columns in a query's row of `bare` are 0 in all of it.
   Dense rows have their indices in `prefixes`; sparse ones (row_offsets not NULL) print them. */
typedef struct {
    const double *values;
    int64_t width, style;
    const uint8_t *bare, *prefixes;
    const int64_t *lengths;
    const int32_t *columns;
    const int64_t *row_offsets;
    int64_t entries, first_index;
} feature_rows;

static int64_t room_for_a_feature(const feature_rows *features)
{
    return PREFIX_ROOM + (features->style == SHORTEST ? SHORTEST_ROOM : FIXED_ROOM);
}

/* The features of a dense row; 0 where there is no room. */
static int put_features(output *out, const feature_rows *features, int64_t row, int64_t query)
{
    int64_t room = room_for_a_feature(features), width = features->width;
    const double *cells = features->values + row * width;
    const uint8_t *bare = features->bare == NULL ? NULL : features->bare + query * width;
    uint8_t *at = out->at;
    for (int64_t column = 0; column < width; column++) {
        if (out->end - at < room)
            return 0;
        memcpy(at, features->prefixes + PREFIX_ROOM * column, PREFIX_ROOM);
        at = print_value(cells[column], (int)features->style, bare != NULL && bare[column],
                         at + features->lengths[column]);
    }
    out->at = at;
    return 1;
}

static uint8_t *print_index(int64_t index, uint8_t *at)
{
    uint8_t digits[20];
    int count = 0;
    do
        digits[count++] = (uint8_t)('0' + index % 10);
    while (index /= 10);
    *at++ = ' ';
    while (count)
        *at++ = digits[--count];
    *at++ = ':';
    return at;
}

/* The entries of a sparse row; 0 where there is no room. */
static int put_entries(output *out, const feature_rows *features, int64_t row)
{
    int64_t room = room_for_a_feature(features);
    int64_t first = features->row_offsets[row], last = features->row_offsets[row + 1];
    uint8_t *at = out->at;
    if (first < 0 || last > features->entries)
        return 0;
    for (int64_t entry = first; entry < last; entry++) {
        if (out->end - at < room || features->columns[entry] < 0)
            return 0;
        at = print_index(features->columns[entry] + features->first_index, at);
        at = print_value(features->values[entry], (int)features->style, 0, at);
    }
    out->at = at;
    return 1;
}

/* Write rows as long as there is room; returns the bytes, `done` the rows that they hold.

   Row r belongs to query query_of_rows[r]; `bare` has a row of columns per query, or none where
   `bare_columns` is 0. Every length in `lengths` is below PREFIX_ROOM. With `sparse`, `values` are
   the entries of rows, and `width`, `bare`, `prefixes` and `lengths` are not looked at. */
RANKWISE_API int64_t rankwise_write_letor(
    const double *labels, const double *values, int64_t rows, int64_t width, int64_t style,
    const uint8_t *bare, int64_t bare_columns, const uint8_t *prefixes, const int64_t *lengths,
    int64_t sparse, const int32_t *columns, const int64_t *row_offsets, int64_t entries,
    int64_t first_index,
    const int64_t *query_of_rows, int64_t queries, const uint8_t *query_data, int64_t query_size,
    const int64_t *query_starts, const int64_t *query_ends, const uint8_t *comment_data,
    int64_t comment_size, const int64_t *comment_starts, const int64_t *comment_ends, uint8_t *text,
    int64_t room, int64_t *done)
{
    texts query_texts = {query_data, query_size, query_starts, query_ends};
    texts comments = {comment_data, comment_size, comment_starts, comment_ends};
    feature_rows features = {values,  width,   style,       bare_columns ? bare : NULL, prefixes,
                             lengths, columns, row_offsets, entries, first_index};
    output out = {text, text + room};
    uint8_t *written = text;
    *done = 0;
    for (int64_t column = 0; !sparse && column < width; column++)
        if (lengths[column] < 0 || lengths[column] >= PREFIX_ROOM)
            return 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t query = query_of_rows[row];
        if (out.end - out.at < SHORTEST_ROOM || query < 0 || query >= queries)
            break;
        out.at = print_value(labels[row], SHORTEST, 0, out.at);
        if (!put_text(&out, "", &query_texts, query) ||
            !(sparse ? put_entries(&out, &features, row)
                     : put_features(&out, &features, row, query)))
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
