/* Numbers as decimal digits, found on whole arrays: number = digits / 10^places. */
#include <math.h>

#include "core.h"
#include "printing.h"

/* Places -1 stands for NaN, -2 for a number that has no such form; with `wanted` places exactly,
   or with as few as read back where it is negative. */
RANKWISE_API void rankwise_find_decimals(const double *values, int64_t count, int64_t wanted,
                                         int64_t *digits, int64_t *places)
{
    for (int64_t i = 0; i < count; i++) {
        printed_number found = wanted < 0 || wanted > MOST_PLACES
                                   ? find_shortest(values[i])
                                   : find_fixed(values[i], (int)wanted);
        digits[i] = found.digits;
        places[i] = isnan(values[i]) ? -1 : found.places < 0 ? -2 : found.places;
    }
}
