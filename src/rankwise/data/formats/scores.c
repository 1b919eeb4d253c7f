/* Score files: one number a line. */
#include <math.h>
#include <string.h>

#include "core.h"
#include "numbers.h"

enum { FINE, NOT_A_SCORE, LACKS_ROOM };

#define LARGEST_EXACT 9007199254740992.0
#define LARGEST_WHOLE 18446744073709551616.0

static int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* Blanks within a line. */
static const uint8_t *skip_spaces(const uint8_t *at)
{
    while (*at != '\n' && is_space(*at))
        at++;
    return at;
}

/* Whether a number is written as a whole one, a sign and digits without point or exponent; its size
   is right below 2^64. */
static int read_whole(const uint8_t *at, uint64_t *size)
{
    at += *at == '-' || *at == '+';
    const uint8_t *begin = at;
    for (*size = 0; is_digit(*at); at++)
        *size = *size * 10 + (*at - '0');
    return at > begin && *at != '.' && (*at | 32) != 'e';
}

/* Lines up to the last one that is not blank. */
RANKWISE_API int64_t rankwise_count_scores(const uint8_t *text, int64_t length)
{
    int64_t lines = 1;
    while (length > 0 && is_space(text[length - 1]))
        length--;
    for (int64_t at = 0; at < length; at++)
        lines += text[at] == '\n';
    return length > 0 ? lines : 0;
}

/* Read `lines` scores. A line that is none ends the reading: `found` gets its number and where it
   begins; with `prefix` it is the number that it begins with, or 0. `whole` gets the line and the
   size of every whole number that a double cannot tell from its neighbours. */
RANKWISE_API int64_t rankwise_parse_scores(const uint8_t *text, int64_t length, int64_t end,
                                           int64_t lines, int64_t prefix, double *values,
                                           int64_t *whole, int64_t *found)
{
    memset(found, 0, 3 * sizeof(int64_t));
    if (!has_text_room(text, length, end))
        return LACKS_ROOM;
    const uint8_t *at = text, *last = text + end;
    for (int64_t line = 0; line < lines; line++) {
        if (at >= last)
            return LACKS_ROOM;
        found[0] = line;
        found[1] = at - text;
        const uint8_t *begin = skip_spaces(at);
        const uint8_t *number_end = read_short_number(begin, &values[line]);
        if (number_end == NULL || !is_space(*number_end))
            number_end = read_number(begin, &values[line]);
        if (!prefix && (number_end == NULL || *skip_spaces(number_end) != '\n'))
            return NOT_A_SCORE;
        if (number_end == NULL)
            values[line] = 0.0;
        double size = fabs(values[line]);
        uint64_t exact;
        if (size >= LARGEST_EXACT && size < LARGEST_WHOLE && read_whole(begin, &exact)) {
            whole[2 * found[2]] = line;
            memcpy(&whole[2 * found[2] + 1], &exact, 8);
            found[2]++;
        }
        at = (const uint8_t *)memchr(begin, '\n', (size_t)(last + 1 - begin)) + 1;
    }
    found[0] = lines;
    return FINE;
}
