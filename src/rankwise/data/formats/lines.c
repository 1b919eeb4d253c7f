/* Lines of a text. */
#include <string.h>

#include "core.h"

/* Line feeds, and where the first of them is (-1: none). */
RANKWISE_API int64_t rankwise_count_lines(const uint8_t *text, int64_t length, int64_t *first)
{
    const uint8_t *at = text, *end = text + length;
    int64_t count = 0;
    *first = -1;
    while (at < end && (at = (const uint8_t *)memchr(at, '\n', (size_t)(end - at))) != NULL) {
        if (count++ == 0)
            *first = at - text;
        at++;
    }
    return count;
}
