/* The first 128 bits of powers of five, which reading and printing numbers share. */
#ifndef RANKWISE_POWERS_OF_FIVE_H
#define RANKWISE_POWERS_OF_FIVE_H

#include "wide_integers.h"

#define SMALLEST_POWER -342
#define LARGEST_POWER 324

/* 5^n for n from SMALLEST_POWER to LARGEST_POWER: cut off, and for n from -27 to -1 rounded up. */
extern const wide_integer POWERS_OF_FIVE[LARGEST_POWER - SMALLEST_POWER + 1];

#endif
