/* Doubles to decimal text, whatever the locale (printing.c). */
#ifndef RANKWISE_PRINTING_H
#define RANKWISE_PRINTING_H

#include "core.h"

/* No number takes more bytes: printed in the fewest digits, or with up to nine places. */
#define SHORTEST_ROOM 32
#define FIXED_ROOM 336
#define MOST_PLACES 9

/* digits / 10^places, or a number that has no such form (places < 0). */
typedef struct {
    int64_t digits;
    int places;
} printed_number;

/* The fewest places p for which round(x · 10^p) / 10^p is x, as long as the digits are exact. */
printed_number find_shortest(double value);

/* Exactly `places` (0 to 9) places, as LETOR's files were printed: the double is written with 17
   significant digits and that decimal is rounded, ties away from zero. */
printed_number find_fixed(double value, int places);

/* Print what was found at `out` and return its end. What has no such form is printed with the
   fewest digits that read back to the same bits, as Python's repr does, or by `print_fixed` exactly
   with all its digits. The value must not be NaN. */
uint8_t *print_shortest(double value, uint8_t *out);
uint8_t *print_fixed(double value, int places, uint8_t *out);

/* A whole number, and a number as found. */
uint8_t *print_integer(uint64_t number, uint8_t *out);
uint8_t *print_found(printed_number number, uint8_t *out);

#endif
