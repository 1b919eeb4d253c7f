/* Whole numbers of any length, for the rare decimal numbers that 128 bits cannot decide. */
#include "wide_integers.h"

static const uint32_t POWERS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
                                  1000000000};

void set_big(big_integer *number, uint64_t value)
{
    number->size = 0;
    for (; value != 0; value >>= 32)
        number->limbs[number->size++] = (uint32_t)value;
}

static void append(big_integer *number, uint32_t limb)
{
    if (limb != 0 && number->size < LIMBS)
        number->limbs[number->size++] = limb;
}

void multiply_big(big_integer *number, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < number->size; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    append(number, (uint32_t)carry);
}

void multiply_by_power_of_ten(big_integer *number, int power)
{
    for (; power > 9; power -= 9)
        multiply_big(number, POWERS[9], 0);
    multiply_big(number, POWERS[power], 0);
}

void shift_left(big_integer *number, int bits)
{
    int limbs = bits / 32;
    multiply_big(number, (uint32_t)1 << (bits % 32), 0);
    if (number->size == 0)
        return;
    if (number->size + limbs > LIMBS)
        limbs = LIMBS - number->size;
    for (int i = number->size - 1; i >= 0; i--)
        number->limbs[i + limbs] = number->limbs[i];
    for (int i = 0; i < limbs; i++)
        number->limbs[i] = 0;
    number->size += limbs;
}

int compare_big(const big_integer *a, const big_integer *b)
{
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

uint32_t divide_big(big_integer *number, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = number->size - 1; i >= 0; i--) {
        rest = rest << 32 | number->limbs[i];
        number->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (number->size > 0 && number->limbs[number->size - 1] == 0)
        number->size--;
    return (uint32_t)rest;
}
