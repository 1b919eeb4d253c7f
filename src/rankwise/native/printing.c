/* Doubles to decimal text: the fewest digits that read back to the same bits, or a fixed number. */
#include "printing.h"

#include <math.h>
#include <string.h>

#include "numbers.h"
#include "powers_of_five.h"
#include "wide_integers.h"

#define LARGEST_EXACT 9007199254740992.0
/* Below this, multiplying by a power of ten and rounding finds every decimal that reads back. */
#define SAFELY_ROUNDED 2251799813685248.0
/* Adding and subtracting it rounds smaller numbers to whole ones, ties to even. */
#define ROUNDING 6755399441055744.0

static const uint64_t POWERS[] = {1u,
                                  10u,
                                  100u,
                                  1000u,
                                  10000u,
                                  100000u,
                                  1000000u,
                                  10000000u,
                                  100000000u,
                                  1000000000u,
                                  10000000000u,
                                  100000000000u,
                                  1000000000000u,
                                  10000000000000u,
                                  100000000000000u,
                                  1000000000000000u,
                                  10000000000000000u,
                                  100000000000000000u,
                                  1000000000000000000u,
                                  10000000000000000000u};

/* digits · 10^exponent, with no 0 at the end of the digits. */
typedef struct {
    uint64_t digits;
    int exponent;
} decimal;

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static decimal without_zeros(uint64_t digits, int exponent)
{
    while (digits != 0 && digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (decimal){digits, exponent};
}

/* 5^n rounded up at 128 bits where it is not exact. */
static wide_integer power_rounded_up(int exponent)
{
    wide_integer power = POWERS_OF_FIVE[exponent - SMALLEST_POWER];
    if (exponent > 55 || exponent < -27) {
        power.low++;
        power.high += power.low == 0;
    }
    return power;
}

/* The upper 64 bits of a product of 192; the last one is set where anything follows them. */
static uint64_t multiply_to_odd(wide_integer power, uint64_t factor)
{
    wide_integer upper = multiply(power.high, factor);
    uint64_t carry = multiply(power.low, factor).high;
    uint64_t low = upper.low + carry;
    return (upper.high + (low < carry)) | (low > 1);
}

/* The shortest decimal that reads back to a positive double, the nearest one of them; ties to even
   (Giulietti, "The Schubfach way to render doubles", 2021). Bounds of the interval that rounds to
   the double are quarters of a unit, scaled by a power of ten to about 17 digits. */
static decimal shortest_decimal(double value)
{
    uint64_t bits = bits_of(value), mantissa = bits & 0xFFFFFFFFFFFFFu;
    int power = (int)(bits >> 52), closer_below = mantissa == 0 && power > 1;
    if (power > 0)
        mantissa |= (uint64_t)1 << 52;
    power = (power > 0 ? power : 1) - 1075;
    int exponent = (power * 315653 - (closer_below ? 131008 : 0)) >> 20;
    int shift = power + ((217706 * -exponent) >> 16) + 1;
    wide_integer five = power_rounded_up(-exponent);
    int odd = (int)(mantissa & 1);
    uint64_t lower = multiply_to_odd(five, (4 * mantissa - 2 + (uint64_t)closer_below) << shift);
    uint64_t middle = multiply_to_odd(five, (4 * mantissa) << shift);
    uint64_t upper = multiply_to_odd(five, (4 * mantissa + 2) << shift);
    lower += (uint64_t)odd;
    upper -= (uint64_t)odd;
    uint64_t below = middle / 4, tens = middle / 40;
    int inside = lower <= 40 * tens, next_inside = 40 * tens + 40 <= upper;
    if (below >= 10 && inside != next_inside)
        return without_zeros(tens + (uint64_t)next_inside, exponent + 1);
    inside = lower <= 4 * below;
    next_inside = 4 * below + 4 <= upper;
    if (inside != next_inside)
        return without_zeros(below + (uint64_t)next_inside, exponent);
    uint64_t half = 4 * below + 2;
    int up = middle > half || (middle == half && (below & 1));
    return without_zeros(below + (uint64_t)up, exponent);
}

printed_number find_shortest(double value)
{
    double size = fabs(value);
    if (!(size < LARGEST_EXACT) || (value == 0 && signbit(value)))
        return (printed_number){0, -1};
    double scaled = value * 1e6;
    if (fabs(scaled) < SAFELY_ROUNDED) {
        scaled = scaled + ROUNDING - ROUNDING;
        if (scaled / 1e6 == value) {
            int64_t digits = (int64_t)scaled;
            int places = 6;
            for (; places > 0 && digits % 10 == 0; places--)
                digits /= 10;
            return (printed_number){digits, places};
        }
    }
    int places = -shortest_decimal(size).exponent;
    for (places = places < 0 ? 0 : places; places <= 17; places++) {
        scaled = rint(value * POWERS_OF_TEN[places]);
        if (fabs(scaled) <= LARGEST_EXACT && scaled / POWERS_OF_TEN[places] == value)
            return (printed_number){(int64_t)scaled, places};
    }
    return (printed_number){0, -1};
}

/* A number of 128 bits divided by 2^shift (1 to 127), ties to even. */
static uint64_t shift_rounded(wide_integer number, int shift)
{
    uint64_t digits, rest;
    if (--shift < 64) {
        digits = shift == 0 ? number.low : number.high << (64 - shift) | number.low >> shift;
        rest = number.low & (((uint64_t)1 << shift) - 1);
    } else {
        digits = number.high >> (shift - 64);
        rest = number.low | (number.high & (((uint64_t)1 << (shift - 64)) - 1));
    }
    uint64_t half = digits & 1;
    digits >>= 1;
    return digits + (half && (rest != 0 || (digits & 1)));
}

/* A positive double in 17 significant digits, ties to even: digits / 10^power. */
static uint64_t seventeen_digits(double value, int *power)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53), digits;
    *power = 16 - (int)floor(log10(value));
    for (;;) {
        uint64_t five = 1;
        for (int i = 0; i < *power; i++)
            five *= 5;
        int shift = 53 - exponent - *power;
        wide_integer product = multiply(mantissa, five);
        digits = shift > 0 ? shift_rounded(product, shift) : product.low << -shift;
        /* A logarithm that was rounded is one off. */
        if (digits < POWERS[16])
            ++*power;
        else if (digits > POWERS[17])
            --*power;
        else
            return digits;
    }
}

printed_number find_fixed(double value, int places)
{
    double scaled = fabs(value) * POWERS_OF_TEN[places];
    if (!(scaled < LARGEST_EXACT))
        return (printed_number){0, -1};
    double to_tie = fabs(scaled - (double)(int64_t)scaled - 0.5);
    int64_t digits = (int64_t)(scaled + 0.5);
    /* Only near a tie can rounding the product differ from rounding the printed decimal. */
    if (to_tie <= 1e-6 || to_tie <= scaled * 1e-15) {
        int power;
        uint64_t all = seventeen_digits(fabs(value), &power), unit = POWERS[power - places];
        digits = (int64_t)((all + unit / 2) / unit);
    }
    return (printed_number){value < 0 ? -digits : digits, places};
}

/* Eight digits as bytes, the first of them lowest. */
static uint64_t eight_digits(uint32_t number)
{
    uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007Fu;
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000Fu;
    return tens | (twos - 10 * tens) << 8;
}

static void store_bytes(uint64_t word, uint8_t *out)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(out, &word, 8);
}

/* Exactly `count` (at most 20) digits, with zeros before them. */
static uint8_t *print_digits(uint64_t number, int count, uint8_t *out)
{
    uint8_t digits[24];
    store_bytes(eight_digits((uint32_t)(number / POWERS[16])) | ZEROS, digits);
    number %= POWERS[16];
    store_bytes(eight_digits((uint32_t)(number / 100000000)) | ZEROS, digits + 8);
    store_bytes(eight_digits((uint32_t)(number % 100000000)) | ZEROS, digits + 16);
    memcpy(out, digits + 24 - count, (size_t)count);
    return out + count;
}

static int count_digits(uint64_t number)
{
    int count = 1;
    while (count < 20 && number >= POWERS[count])
        count++;
    return count;
}

uint8_t *print_integer(uint64_t number, uint8_t *out)
{
    if (number < 10) {
        *out = (uint8_t)('0' + number);
        return out + 1;
    }
    return print_digits(number, count_digits(number), out);
}

uint8_t *print_found(printed_number number, uint8_t *out)
{
    uint64_t digits = (uint64_t)number.digits;
    if (number.digits < 0) {
        *out++ = '-';
        digits = -digits;
    }
    out = print_integer(digits / POWERS[number.places], out);
    if (number.places == 0)
        return out;
    *out++ = '.';
    digits %= POWERS[number.places];
    if (number.places > 8)
        return print_digits(digits, number.places, out);
    store_bytes((eight_digits((uint32_t)digits) | ZEROS) >> (64 - 8 * number.places), out);
    return out + number.places;
}

/* As Python's repr: with an exponent from 1e16 on and below 1e-4, else with a point. */
static uint8_t *print_all_digits(double size, uint8_t *out)
{
    decimal number = size == 0 ? (decimal){0, 0} : shortest_decimal(size);
    int count = count_digits(number.digits), point = count + number.exponent;
    if (point > 16 || point < -3) {
        uint8_t digits[24];
        print_digits(number.digits, count, digits);
        *out++ = digits[0];
        if (count > 1)
            *out++ = '.';
        memcpy(out, digits + 1, (size_t)(count - 1));
        out += count - 1;
        *out++ = 'e';
        *out++ = point < 1 ? '-' : '+';
        int power = point < 1 ? 1 - point : point - 1;
        return print_digits((uint64_t)power, power < 100 ? 2 : 3, out);
    }
    if (point >= count) {
        out = print_digits(number.digits, count, out);
        for (; point > count; point--)
            *out++ = '0';
        *out++ = '.';
        *out++ = '0';
        return out;
    }
    int places = count - point;
    out = print_integer(places < 20 ? number.digits / POWERS[places] : 0, out);
    *out++ = '.';
    return print_digits(places < 20 ? number.digits % POWERS[places] : number.digits, places, out);
}

static uint8_t *print_infinity(uint8_t *out)
{
    memcpy(out, "inf", 3);
    return out + 3;
}

uint8_t *print_shortest(double value, uint8_t *out)
{
    printed_number number = find_shortest(value);
    if (number.places >= 0)
        return print_found(number, out);
    if (signbit(value))
        *out++ = '-';
    return isinf(value) ? print_infinity(out) : print_all_digits(fabs(value), out);
}

/* All digits of a number so large that its places beyond the point are few. */
static uint8_t *print_large(double size, int places, uint8_t *out)
{
    uint32_t groups[40];
    int exponent, count = 0, more = 0;
    uint64_t mantissa = (uint64_t)ldexp(frexp(size, &exponent), 53);
    big_integer number;
    set_big(&number, mantissa);
    multiply_by_power_of_ten(&number, places);
    for (exponent -= 53; exponent < 0; exponent++) {
        uint32_t bit = divide_big(&number, 2);
        if (exponent == -1 && bit && (more || (number.size > 0 && (number.limbs[0] & 1))))
            multiply_big(&number, 1, 1);
        more |= (int)bit;
    }
    shift_left(&number, exponent);
    while (number.size > 0)
        groups[count++] = divide_big(&number, 1000000000);
    out = print_integer(groups[--count], out);
    while (count > 0)
        out = print_digits(groups[--count], 9, out);
    if (places > 0) {
        memmove(out - places + 1, out - places, (size_t)places);
        out[-places] = '.';
        out++;
    }
    return out;
}

uint8_t *print_fixed(double value, int places, uint8_t *out)
{
    printed_number number = find_fixed(value, places);
    if (number.places >= 0)
        return print_found(number, out);
    if (signbit(value))
        *out++ = '-';
    return isinf(value) ? print_infinity(out) : print_large(fabs(value), places, out);
}
