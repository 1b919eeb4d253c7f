/* Decimal text to the nearest double, ties to even: the same bits on every machine.

   Three ways, from quick to rare. Up to 2^53 in the digits and a power of ten up to 22: one exact
   multiplication or division (Clinger 1990). Otherwise a 128-bit product with a tabulated power of
   five (Lemire, "Number parsing at a gigabyte per second", 2021). Where more than 19 digits leave
   the last bit open, all digits are compared with the middle of the two doubles. */
#include "numbers.h"

#include <math.h>

#include "powers_of_five.h"
#include "wide_integers.h"

#define LARGEST_EXACT ((uint64_t)1 << 53)
#define DIGITS_KEPT 19
/* The middle of two doubles has at most 768 digits: whether any further one is not 0 is enough. */
#define DIGITS_COMPARED 780
/* A larger power of ten is infinite. */
#define LARGEST_FINITE 308
#define LONGEST_POWER ((int64_t)1000000000000000)

const double POWERS_OF_TEN[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* digits · 10^exponent; `more` tells that digits other than 0 were left out after them. */
typedef struct {
    uint64_t digits;
    int64_t exponent;
    int more;
    const uint8_t *first;
} decimal;

static double nearest_double(uint64_t digits, int64_t exponent);
static double settle(decimal number, double below, double above);
static const uint8_t *read_word(const uint8_t *text, double *value);
static const uint8_t *read_digits(const uint8_t *text, decimal *number);
static void keep_first_digits(const uint8_t *text, const uint8_t *end, decimal *number);
static const uint8_t *read_exponent(const uint8_t *text, int64_t *exponent);

const uint8_t *read_number(const uint8_t *text, double *value)
{
    int negative = *text == '-';
    if (negative || *text == '+')
        text++;
    decimal number = {0, 0, 0, text};
    const uint8_t *end = read_digits(text, &number);
    if (end == NULL) {
        end = read_word(text, value);
        if (end != NULL && negative)
            *value = -*value;
        return end;
    }
    end = read_exponent(end, &number.exponent);
    double size;
    if (!number.more && number.digits <= LARGEST_EXACT && number.exponent >= -22 &&
        number.exponent <= 22) {
        size = (double)(int64_t)number.digits;
        size = number.exponent < 0 ? size / POWERS_OF_TEN[-number.exponent]
                                   : size * POWERS_OF_TEN[number.exponent];
    } else {
        size = nearest_double(number.digits, number.exponent);
        if (number.more)
            size = settle(number, size, nearest_double(number.digits + 1, number.exponent));
    }
    *value = negative ? -size : size;
    return end;
}

/* Digits are appended to a number, eight at a time; the number is right for up to 19 of them. */
static const uint8_t *append_digits(const uint8_t *text, uint64_t *number)
{
    for (;;) {
        uint64_t word = load_bytes(text) ^ ZEROS, others = mark_others(word);
        if (others != 0)
            break;
        *number = *number * 100000000 + join_eight_digits(word);
        text += 8;
    }
    for (; is_digit(*text); text++)
        *number = *number * 10 + (*text - '0');
    return text;
}

/* All digits and the point; NULL where there is no digit. */
static const uint8_t *read_digits(const uint8_t *text, decimal *number)
{
    const uint8_t *end = append_digits(text, &number->digits), *point = end;
    if (*point == '.') {
        end = append_digits(point + 1, &number->digits);
        number->exponent = point + 1 - end;
    }
    int64_t count = (point - text) - number->exponent;
    if (count > DIGITS_KEPT)
        keep_first_digits(text, end, number);
    return count > 0 ? end : NULL;
}

/* Only the first 19 digits that count, and whether any of the others is not 0. */
static void keep_first_digits(const uint8_t *text, const uint8_t *end, decimal *number)
{
    int kept = 0, point = 0;
    *number = (decimal){0, 0, 0, text};
    for (; text < end; text++) {
        if (*text == '.') {
            point = 1;
        } else if (kept < DIGITS_KEPT) {
            number->digits = number->digits * 10 + (*text - '0');
            number->exponent -= point;
            if (number->digits != 0 && kept++ == 0)
                number->first = text;
        } else {
            number->more |= *text != '0';
            number->exponent += !point;
        }
    }
}

/* What follows as an exponent is added; what only looks like one (`1e`, `1e+`) is none. */
static const uint8_t *read_exponent(const uint8_t *text, int64_t *exponent)
{
    if ((*text | 32) != 'e')
        return text;
    const uint8_t *at = text + 1;
    int negative = *at == '-';
    if (negative || *at == '+')
        at++;
    if (!is_digit(*at))
        return text;
    int64_t power = 0;
    for (; is_digit(*at); at++)
        if (power < LONGEST_POWER)
            power = power * 10 + (*at - '0');
    *exponent += negative ? -power : power;
    return at;
}

static const uint8_t *read_word(const uint8_t *text, double *value)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (int i = 0; i < 3; i++) {
        int matched = 0;
        while (words[i][matched] != 0 && (text[matched] | 32) == words[i][matched])
            matched++;
        if (words[i][matched] == 0) {
            *value = i < 2 ? (double)INFINITY : (double)NAN;
            return text + matched;
        }
    }
    return NULL;
}

/* digits · 10^exponent, rounded to nearest, ties to even (Lemire 2021, Algorithm 1). */
static double nearest_double(uint64_t digits, int64_t exponent)
{
    if (digits == 0 || exponent < SMALLEST_POWER)
        return 0.0;
    if (exponent > LARGEST_FINITE)
        return (double)INFINITY;
    const wide_integer *five = &POWERS_OF_FIVE[exponent - SMALLEST_POWER];
    int zeros = __builtin_clzll(digits);
    digits <<= zeros;
    wide_integer product = multiply(digits, five->high);
    if ((product.high & 0x1FF) == 0x1FF) {
        uint64_t carry = multiply(digits, five->low).high;
        product.low += carry;
        product.high += product.low < carry;
    }
    int upper = (int)(product.high >> 63), shift = upper + 9;
    uint64_t mantissa = product.high >> shift;
    int binary = (int)((217706 * exponent) >> 16) + 63 + upper - zeros + 1023;
    if (binary <= 0) {
        if (1 - binary >= 64)
            return 0.0;
        mantissa >>= 1 - binary;
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        return ldexp((double)(int64_t)mantissa, -1074);
    }
    int tie = product.low <= 1 && exponent >= -4 && exponent <= 23 && (mantissa & 3) == 1;
    if (tie && mantissa << shift == product.high)
        mantissa &= ~(uint64_t)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >= LARGEST_EXACT) {
        mantissa >>= 1;
        binary++;
    }
    if (binary >= 2047)
        return (double)INFINITY;
    return ldexp((double)(int64_t)mantissa, binary - 1075);
}

/* The nearer of two neighbours between which the number lies: all its digits, times powers of two
   and ten, are compared with their middle as whole numbers. */
static double settle(decimal number, double below, double above)
{
    if (below == above)
        return below;
    int power, more = 0, count = 0;
    /* A subnormal number has fewer bits than 53, and its last bit is worth 2^-1074. */
    (void)frexp(below, &power);
    power = below == 0.0 || power - 53 < -1074 ? -1074 : power - 53;
    uint64_t mantissa = (uint64_t)ldexp(below, -power);
    big_integer digits, middle;
    set_big(&digits, 0);
    set_big(&middle, 2 * mantissa + 1);
    power -= 1;
    int64_t exponent = number.exponent + DIGITS_KEPT;
    for (const uint8_t *at = number.first; is_digit(*at) || *at == '.'; at++) {
        if (*at == '.')
            continue;
        if (count < DIGITS_COMPARED) {
            multiply_big(&digits, 10, *at - '0');
            count++;
            exponent--;
        } else
            more |= *at != '0';
    }
    if (exponent < 0)
        multiply_by_power_of_ten(&middle, (int)-exponent);
    else
        multiply_by_power_of_ten(&digits, (int)exponent);
    if (power < 0)
        shift_left(&digits, -power);
    else
        shift_left(&middle, power);
    int order = compare_big(&digits, &middle);
    if (order == 0 && !more)
        return (mantissa & 1) == 0 ? below : above;
    return order < 0 ? below : above;
}
