/* Products of 128 bits, and whole numbers of any length that a decimal number can need. */
#ifndef RANKWISE_WIDE_INTEGERS_H
#define RANKWISE_WIDE_INTEGERS_H

#include "core.h"

typedef struct {
    uint64_t high, low;
} wide_integer;

static inline wide_integer multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;
    return (wide_integer){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a_high = a >> 32, a_low = (uint32_t)a, b_high = b >> 32, b_low = (uint32_t)b;
    uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;
    return (wide_integer){a_high * b_high + (middle >> 32) + (other >> 32), a * b};
#endif
}

/* 800 digits times a power of two or ten, as comparing a decimal number with a double needs. */
#define LIMBS 144

typedef struct {
    int size;
    uint32_t limbs[LIMBS];
} big_integer;

void set_big(big_integer *number, uint64_t value);
void multiply_big(big_integer *number, uint32_t factor, uint32_t addend);
void multiply_by_power_of_ten(big_integer *number, int power);
void shift_left(big_integer *number, int bits);
int compare_big(const big_integer *a, const big_integer *b);

/* Divide by `divisor` and return what is left over. */
uint32_t divide_big(big_integer *number, uint32_t divisor);

#endif
