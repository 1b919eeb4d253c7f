/* Lines of blank-separated columns: a query, a document and a number, as judgements and runs. */
#include <math.h>
#include <string.h>

#include "core.h"
#include "numbers.h"

enum { FINE, WRONG_COLUMNS, NOT_A_NUMBER, LACKS_ROOM };

enum { ROWS, RUNS, PACKED, LINE, COLUMNS, BEGIN, END, LAST_BEGIN, LAST_END };

#define MOST_COLUMNS 6

/* The bytes of a blank in UTF-8, as Python splits text at them; 0 where there is none. */
static int blank_length(const uint8_t *at)
{
    if (*at < 128)
        return *at == ' ' || (*at >= '\t' && *at <= '\r') || (*at >= 28 && *at <= 31);
    if (at[0] == 0xC2)
        return at[1] == 0x85 || at[1] == 0xA0 ? 2 : 0;
    if (at[0] == 0xE1)
        return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    if (at[0] == 0xE2 && at[1] == 0x80)
        return (at[2] >= 0x80 && at[2] <= 0x8A) || at[2] == 0xA8 || at[2] == 0xA9 || at[2] == 0xAF
                   ? 3
                   : 0;
    if (at[0] == 0xE2)
        return at[1] == 0x81 && at[2] == 0x9F ? 3 : 0;
    return at[0] == 0xE3 && at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
}

/* Split a line, which ends at `end`; returns the number of its columns, the first six of them with
   begin and end. */
static int64_t split_line(const uint8_t *at, const uint8_t *end, const uint8_t *columns[][2])
{
    int64_t count = 0;
    for (;;) {
        int length;
        while (at < end && (length = blank_length(at)) > 0)
            at += length;
        if (at >= end)
            return count;
        const uint8_t *begin = at;
        while (at < end && (*at > ' ' && *at < 128 ? 1 : blank_length(at) == 0))
            at++;
        if (count < MOST_COLUMNS) {
            columns[count][0] = begin;
            columns[count][1] = at;
        }
        count++;
    }
}

static int equal(const uint8_t *a, const uint8_t *a_end, const uint8_t *b, const uint8_t *b_end)
{
    return a_end - a == b_end - b && memcmp(a, b, (size_t)(a_end - a)) == 0;
}

/* Digits, after a minus perhaps. */
static int is_whole(const uint8_t *at, const uint8_t *end)
{
    at += *at == '-';
    for (const uint8_t *begin = at;; at++)
        if (at == end || !is_digit(*at))
            return at == end && at > begin;
}

/* The number that a column is; 0 where it is none. With `largest` >= 0 it must be a whole number of
   at most that size. */
static int read_column(const uint8_t *begin, const uint8_t *end, int64_t largest, double *value)
{
    const uint8_t *number_end = read_short_number(begin, value);
    if (number_end != end)
        number_end = read_number(begin, value);
    if (number_end != end || isnan(*value))
        return 0;
    return largest < 0 || (is_whole(begin, end) && fabs(*value) <= (double)largest);
}

/* Rows of `width` columns: the query first, the document in column `document`, the number in column
   `number`, as `read_column` takes it.

   `values` and `lines` get the number and the line of every row, `runs` first row, begin and end of
   the query of every run of rows with one query, `packed` all documents with a line feed after
   each. `found` gets how many there are, where the last column of the first row stands, and where
   it went wrong. */
RANKWISE_API int64_t rankwise_parse_columns(const uint8_t *text, int64_t length, int64_t begin,
                                            int64_t end, int64_t width, int64_t document,
                                            int64_t number, int64_t largest, int64_t rows,
                                            double *values, int64_t *lines, int64_t *runs,
                                            uint8_t *packed, int64_t room, int64_t *found)
{
    const uint8_t *columns[MOST_COLUMNS][2], *query[2] = {text, text};
    memset(found, 0, 9 * sizeof(int64_t));
    if (!has_text_room(text, length, end) || begin < 0 || width > MOST_COLUMNS || document < 0 ||
        document >= width || number < 0 || number >= width)
        return LACKS_ROOM;
    for (const uint8_t *at = text + begin, *last = text + end, *feed; at < last; at = feed + 1) {
        feed = (const uint8_t *)memchr(at, '\n', (size_t)(last + 1 - at));
        found[LINE]++;
        int64_t row = found[ROWS], count = split_line(at, feed, columns);
        if (count == 0)
            continue;
        found[COLUMNS] = count;
        if (count != width)
            return WRONG_COLUMNS;
        found[BEGIN] = columns[number][0] - text;
        found[END] = columns[number][1] - text;
        int64_t size = columns[document][1] - columns[document][0];
        if (row >= rows || size + 1 > room - found[PACKED])
            return LACKS_ROOM;
        if (!read_column(columns[number][0], columns[number][1], largest, &values[row]))
            return NOT_A_NUMBER;
        lines[row] = found[LINE];
        if (row == 0 || !equal(query[0], query[1], columns[0][0], columns[0][1])) {
            query[0] = columns[0][0];
            query[1] = columns[0][1];
            int64_t *run = &runs[3 * found[RUNS]++];
            run[0] = row;
            run[1] = query[0] - text;
            run[2] = query[1] - text;
        }
        memcpy(packed + found[PACKED], columns[document][0], (size_t)size);
        found[PACKED] += size;
        packed[found[PACKED]++] = '\n';
        if (row == 0) {
            found[LAST_BEGIN] = columns[width - 1][0] - text;
            found[LAST_END] = columns[width - 1][1] - text;
        }
        found[ROWS]++;
    }
    return FINE;
}
