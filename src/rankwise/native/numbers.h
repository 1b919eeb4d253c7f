/* Decimal text to the nearest double, whatever the locale (numbers.c).

   Readers look at up to TEXT_ROOM bytes after the end of a number: a text must have as many bytes
   after it, of which the first can belong to no number (a line feed). */
#ifndef RANKWISE_NUMBERS_H
#define RANKWISE_NUMBERS_H

#include <string.h>

#include "core.h"

#define TEXT_ROOM 32

extern const double POWERS_OF_TEN[23];

/* The longest number that `text` begins with: decimal or scientific notation, inf, infinity or nan
   in either case, with a sign or without. Returns where it ends; NULL where there is none. */
const uint8_t *read_number(const uint8_t *text, double *value);

static inline int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

/* Whether a text of `end` bytes in a buffer of `length` has only line feeds after it, and enough. */
static inline int has_text_room(const uint8_t *text, int64_t length, int64_t end)
{
    if (end < 0 || end > length - TEXT_ROOM)
        return 0;
    for (int64_t at = end; at < end + TEXT_ROOM; at++)
        if (text[at] != '\n')
            return 0;
    return 1;
}

/* Eight bytes, the first of them lowest. */
static inline uint64_t load_bytes(const uint8_t *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The high bit of the first byte that is no digit is set, and none before it. */
static inline uint64_t mark_others(uint64_t digits)
{
    return ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/* The number that a word of eight digit values (0 to 9) makes. */
static inline uint64_t join_eight_digits(uint64_t digits)
{
    digits = digits * 10 + (digits >> 8);
    return ((digits & 0x000000FF000000FFu) * 0x000F424000000064u +
            ((digits >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
}

/* The same of its first `count` bytes, at most 7. */
static inline int64_t join_digits(uint64_t digits, int count)
{
    return (int64_t)join_eight_digits(digits << (56 - 8 * count) << 8);
}

#define ZEROS 0x3030303030303030u

static inline double with_sign(double size, int negative)
{
    uint64_t bits;
    memcpy(&bits, &size, 8);
    bits |= (uint64_t)negative << 63;
    memcpy(&size, &bits, 8);
    return size;
}

/* A plain number of up to seven digits before the point and seven after it, as most numbers are:
   two words are enough, and digits / 10^places is the nearest double, since both are exact and
   division rounds once (Clinger 1990). Returns where it ends; NULL where it is not that short.

   One digit before the point and six after it are asked for first: a branch that nearly always goes
   the same way lets the processor begin with the next number before this one is known. */
static inline const uint8_t *read_short_number(const uint8_t *text, double *value)
{
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    int negative = 0, length = 1, places = 0;
    if (*text == '-') {
        negative = 1;
        text++;
    }
    int64_t digits = *text - '0';
    if (text[1] != '.' || (uint64_t)digits > 9) {
        uint64_t word = load_bytes(text) ^ ZEROS, others = mark_others(word);
        if (others == 0)
            return NULL;
        length = __builtin_ctzll(others) >> 3;
        digits = join_digits(word, length);
    }
    text += length;
    if (*text == '.') {
        uint64_t word = load_bytes(++text) ^ ZEROS, others = mark_others(word);
        if (others == 0)
            return NULL;
        places = __builtin_ctzll(others) >> 3;
        if (places == 6) {
            *value = with_sign((double)(digits * 1000000 + join_digits(word, 6)) / 1e6, negative);
            return text + 6;
        }
        digits = digits * powers[places] + join_digits(word, places);
        text += places;
    }
    *value = with_sign((double)digits / POWERS_OF_TEN[places], negative);
    return length + places > 0 ? text : NULL;
}

#endif
